// SPDX-License-Identifier: Apache-2.0
#include "property_tests/scenario_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "property_tests/testing/scenario_samples.h"

namespace svmsim {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kLargestPositive = (std::uint64_t{1} << 63) - 1;
constexpr const char* kHead = "platform = \"a2a3\"\npolicy = \"cached\"\n";

Scenario read(const std::string& text) {
  auto scenario = parse_scenario(text, "s.toml");
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message() << "\n" << text;
  return scenario ? *std::move(scenario) : Scenario{};
}

ConfigError error_of(const std::string& text) {
  const auto scenario = parse_scenario(text, "s.toml");
  if (scenario) {
    ADD_FAILURE() << "no error for: " << text;
    return {};
  }
  return scenario.error();
}

ConfigError operation_error(const std::string& fields) {
  return error_of(fmt::format("{}operation = [ {{ {} }} ]\n", kHead, fields));
}

TEST(ScenarioFile, EveryKindRegionCallAndSettingReadsBackAsWritten) {
  for (const Scenario& scenario : scenario_samples()) EXPECT_EQ(read(scenario_text(scenario)), scenario);
}

TEST(ScenarioFile, NumbersFromTwoToThe63ReadBackAsWritten) {
  for (const std::uint64_t number : {kLargestPositive, kLargestPositive + 1, ~std::uint64_t{0}}) {
    Scenario scenario;
    scenario.operations = {
        {.kind = OperationKind::kWrite, .run = 2, .offset = number, .size = number, .value = number}};
    EXPECT_EQ(read(scenario_text(scenario)), scenario);
  }
}

TEST(ScenarioFile, AbsentKeysTakeTheirDefaults) {
  const Scenario scenario = read(std::string(kHead) + "operation = []\n");
  EXPECT_EQ(scenario, Scenario{});
}

TEST(ScenarioFile, OperationsMayStandAsTablesOfTheirOwn) {
  const Scenario scenario = read(std::string(kHead) +
                                 "[[operation]]\ndo = \"allocate\"\nslot = 1\nsize = 4096\nrun = \"runner\"\n"
                                 "[[operation]]\ndo = \"finalize\"\n");
  ASSERT_EQ(scenario.operations.size(), 2u);
  EXPECT_EQ(scenario.operations[0],
            (Operation{.kind = OperationKind::kAllocate, .slot = 1, .run = kRunner, .size = 4096}));
  EXPECT_EQ(scenario.operations[1], Operation{.kind = OperationKind::kFinalize});
}

TEST(ScenarioFile, NegativeOffsetIsThatManyBytesBeforeTheBlock) {
  const Scenario scenario =
      read(std::string(kHead) + "operation = [ { do = \"free\", slot = 0, offset = -8, run = 0 } ]\n");
  EXPECT_EQ(scenario.operations.at(0).offset, UINT64_MAX - 7);
}

TEST(ScenarioFile, FieldThatTheKindDoesNotHaveIsRefused) {
  const ConfigError error = operation_error("do = \"open_run\", run = 0, size = 4096");
  EXPECT_EQ(error.key, "operation[0].size");
  EXPECT_EQ(error.allowed, "the keys do, run");
}

TEST(ScenarioFile, MissingFieldIsNamed) {
  const ConfigError error = operation_error("do = \"open_run\"");
  EXPECT_EQ(error.key, "operation[0].run");
  EXPECT_EQ(error.allowed, "an integer from 0 to 2 (required)");
}

TEST(ScenarioFile, UnknownOperationListsTheKnownOnes) {
  const ConfigError error = operation_error("do = \"leap\"");
  EXPECT_EQ(error.key, "operation[0].do");
  EXPECT_EQ(error.value, "\"leap\"");
  EXPECT_THAT(error.allowed, HasSubstr("\"allocate\", \"free\""));
  EXPECT_THAT(error.allowed, HasSubstr("\"race\""));
}

TEST(ScenarioFile, OnlyAllocateAndFreeMayBeTheRunners) {
  EXPECT_EQ(read(std::string(kHead) + "operation = [ { do = \"free\", slot = 0, offset = 0, run = \"runner\" } ]\n")
                .operations.at(0)
                .run,
            kRunner);
  EXPECT_EQ(operation_error("do = \"open_run\", run = \"runner\"").allowed, "an integer from 0 to 2");
  EXPECT_EQ(operation_error("do = \"fork\", slot = 0, run = \"runner\"").allowed, "an integer from 0 to 2");
  EXPECT_EQ(operation_error("do = \"free\", slot = 0, offset = 0, run = \"nobody\"").allowed,
            "an integer from 0 to 2 or \"runner\"");
}

TEST(ScenarioFile, NumbersBeyondTheirRangesAreRefused) {
  EXPECT_EQ(operation_error("do = \"stranger_maps\", slot = 6").allowed, "an integer from 0 to 5");
  EXPECT_EQ(operation_error("do = \"stranger_maps\", slot = -1").allowed, "an integer from 0 to 5");
  EXPECT_EQ(operation_error("do = \"open_run\", run = 3").allowed, "an integer from 0 to 2");
  EXPECT_EQ(operation_error("do = \"race\", run = 0, other = 3, slot = 0, offset = 0, size = 1").key,
            "operation[0].other");
  EXPECT_EQ(operation_error("do = \"fail_next\", call = \"free\", code = 0").allowed,
            "an integer from 1 to 2147483647");
}

TEST(ScenarioFile, OnlyCallsOfThePortCanFail) {
  EXPECT_THAT(operation_error("do = \"fail_next\", call = \"launch\", code = 8").allowed, Not(HasSubstr("launch")));
  EXPECT_EQ(operation_error("do = \"fail_next\", call = \"launch\", code = 8").key, "operation[0].call");
}

TEST(ScenarioFile, HeadKeysAreChecked) {
  EXPECT_EQ(error_of("policy = \"cached\"\noperation = []\n").key, "platform");
  EXPECT_EQ(error_of("platform = \"a2a3\"\noperation = []\n").key, "policy");
  EXPECT_EQ(error_of(kHead).key, "operation");
  EXPECT_EQ(error_of("platform = \"a2a3\"\npolicy = \"lazy\"\noperation = []\n").allowed, svmrt::kPolicyNames);
  EXPECT_EQ(error_of(std::string(kHead) + "reuse = \"never\"\noperation = []\n").allowed,
            "one of \"driver\", \"lifo\", \"quarantine\"");
  EXPECT_EQ(error_of(std::string(kHead) + "backing = \"disk\"\noperation = []\n").allowed, "one of \"plain\", \"mmu\"");
  EXPECT_EQ(error_of(std::string(kHead) + "name = \"a b\"\noperation = []\n").key, "name");
  EXPECT_EQ(error_of(std::string(kHead) + "colour = 1\noperation = []\n").key, "colour");
}

TEST(ScenarioFile, OneOperationMoreThanTheLimitIsRefused) {
  Scenario scenario;
  scenario.operations.assign(kMaxScenarioOperations, Operation{.kind = OperationKind::kFinalize});
  EXPECT_EQ(read(scenario_text(scenario)).operations.size(), kMaxScenarioOperations);
  scenario.operations.push_back(Operation{.kind = OperationKind::kFinalize});
  EXPECT_EQ(error_of(scenario_text(scenario)).allowed, "at most 100000 tables");
}

TEST(ScenarioFile, MissingFileIsNamed) {
  const auto scenario = load_scenario(testing::TempDir() + "no_such_scenario.toml");
  ASSERT_FALSE(scenario.has_value());
  EXPECT_EQ(scenario.error().value, "no such file");
}

}  // namespace
}  // namespace svmsim
