// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/dropin/testing/program_run.h"

namespace svmsim {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

tl::expected<Environment, std::string> read(const Variables& variables) {
  return read_environment(variables, SVMSIM_FIXTURES_DIR);
}

std::string mistake_in(const Variables& variables) {
  const auto environment = read(variables);
  return environment ? "no mistake" : environment.error();
}

TEST(Environment, EmptyMeansTheDefaults) {
  const auto environment = read({});
  ASSERT_TRUE(environment) << environment.error();
  EXPECT_EQ(environment->platform.name, "a2a3");
  EXPECT_EQ(environment->backing, BackingKind::kMmu);
  EXPECT_FALSE(environment->strict);
  EXPECT_TRUE(environment->omitted.empty());
  EXPECT_EQ(environment->version, "25.5.0");
  EXPECT_FALSE(environment->trace_path);
  EXPECT_FALSE(environment->report_path);
  EXPECT_FALSE(environment->faults);
}

TEST(Environment, EmptyValueCountsAsNone) {
  const auto environment = read({{"SVMSIM_PLATFORM", ""}, {"SVMSIM_STRICT", ""}, {"SVMSIM_TRACE", ""}});
  ASSERT_TRUE(environment) << environment.error();
  EXPECT_EQ(environment->platform.name, "a2a3");
  EXPECT_FALSE(environment->trace_path);
}

TEST(Environment, PlatformIsFoundByNameAndByPath) {
  EXPECT_EQ(read({{"SVMSIM_PLATFORM", "a5-map"}})->platform.name, "a5-map");
  EXPECT_EQ(read({{"SVMSIM_PLATFORM", small_v3()}})->platform.name, "small-v3");
}

TEST(Environment, PricesAreThoseOfThePlatformsCalibration) {
  const auto priced = read({{"SVMSIM_PLATFORM", "a2a3"}});
  const auto free_of_charge = read({{"SVMSIM_PLATFORM", "identity"}});
  EXPECT_NE(priced->cost.failed_register_cost(), Picoseconds(0));
  EXPECT_EQ(free_of_charge->cost.failed_register_cost(), Picoseconds(0));
}

TEST(Environment, UnknownPlatformListsTheKnownOnes) {
  EXPECT_THAT(mistake_in({{"SVMSIM_PLATFORM", "a2a4"}}),
              AllOf(HasSubstr("SVMSIM_PLATFORM: found \"a2a4\"; allowed: "), HasSubstr("a2a3, "), HasSubstr("a5"),
                    HasSubstr("or the path of a .toml file")));
}

TEST(Environment, PlatformFileThatIsNotThereIsNamed) {
  EXPECT_THAT(mistake_in({{"SVMSIM_PLATFORM", "/nowhere/p.toml"}}),
              AllOf(HasSubstr("SVMSIM_PLATFORM: "), HasSubstr("/nowhere/p.toml")));
}

TEST(Environment, BackingIsMmuOrPlain) {
  EXPECT_EQ(read({{"SVMSIM_BACKING", "plain"}})->backing, BackingKind::kPlain);
  EXPECT_EQ(read({{"SVMSIM_BACKING", "mmu"}})->backing, BackingKind::kMmu);
  EXPECT_EQ(mistake_in({{"SVMSIM_BACKING", "real"}}), "SVMSIM_BACKING: found \"real\"; allowed: mmu or plain");
}

TEST(Environment, FaultPlanIsFoundByName) {
  EXPECT_EQ(read({{"SVMSIM_FAULTS", "busy-free"}})->faults->name, "busy-free");
  EXPECT_THAT(mistake_in({{"SVMSIM_FAULTS", "busy"}}),
              AllOf(HasSubstr("SVMSIM_FAULTS: found \"busy\"; allowed: "), HasSubstr("busy-free, ")));
  EXPECT_THAT(mistake_in({{"SVMSIM_FAULTS", small_v2()}}), AllOf(HasSubstr("SVMSIM_FAULTS: "), HasSubstr(small_v2())));
}

TEST(Environment, WhatIsNotMeasuredComesWithThePlatform) {
  const auto predicted = read({{"SVMSIM_PLATFORM", "a2a3-64k"}});
  ASSERT_FALSE(predicted->assumptions.empty());
  EXPECT_THAT(predicted->assumptions.front().parameter, HasSubstr("predicted"));
}

TEST(Environment, StrictIsZeroOrOne) {
  EXPECT_TRUE(read({{"SVMSIM_STRICT", "1"}})->strict);
  EXPECT_FALSE(read({{"SVMSIM_STRICT", "0"}})->strict);
  EXPECT_EQ(mistake_in({{"SVMSIM_STRICT", "yes"}}), "SVMSIM_STRICT: found \"yes\"; allowed: 0 or 1");
}

TEST(Environment, OmittedSymbolsAreSeparatedByCommas) {
  EXPECT_THAT(read({{"SVMSIM_OMIT", "halMemCtl,aclrtMemset,dsmi_get_version"}})->omitted,
              ElementsAre("halMemCtl", "aclrtMemset", "dsmi_get_version"));
}

TEST(Environment, UnknownSymbolInOmitIsNamed) {
  EXPECT_THAT(mistake_in({{"SVMSIM_OMIT", "halMemCtl,halMemControl"}}),
              AllOf(HasSubstr("SVMSIM_OMIT: found \"halMemControl\"; allowed: "), HasSubstr("halMemCtl, ")));
  EXPECT_THAT(mistake_in({{"SVMSIM_OMIT", "halMemCtl, halMemFree"}}), HasSubstr("found \" halMemFree\""));
}

TEST(Environment, VersionHasAtMost255Bytes) {
  EXPECT_EQ(read({{"SVMSIM_VERSION", std::string(255, '1')}})->version.size(), 255u);
  EXPECT_THAT(mistake_in({{"SVMSIM_VERSION", std::string(256, '1')}}), HasSubstr("allowed: a text of 1 to 255 bytes"));
  EXPECT_THAT(mistake_in({{"SVMSIM_VERSION", "2\n"}}), HasSubstr("found \"2\\x0a\""));
}

TEST(Environment, VariableThatNobodyKnowsIsAMistake) {
  EXPECT_THAT(mistake_in({{"SVMSIM_STRCIT", "1"}}),
              AllOf(HasSubstr("SVMSIM_STRCIT: unknown variable"), HasSubstr("SVMSIM_STRICT")));
}

TEST(Environment, OnlyVariablesOfTheSimulatorAreCollected) {
  ASSERT_EQ(setenv("SVMSIM_VERSION", "1=2", 1), 0);
  ASSERT_EQ(setenv("NOT_SVMSIM_X", "1", 1), 0);
  const auto variables = svmsim_variables();
  unsetenv("SVMSIM_VERSION");
  unsetenv("NOT_SVMSIM_X");
  EXPECT_EQ(variables.at("SVMSIM_VERSION"), "1=2");
  EXPECT_EQ(variables.count("NOT_SVMSIM_X"), 0u);
}

TEST(Environment, VisibleDevicesAreIdsOfTheDriverInTheOrderGiven) {
  EXPECT_THAT(read({})->visible_devices, ElementsAre(0));
  EXPECT_THAT(read({{"ASCEND_RT_VISIBLE_DEVICES", "5,0,65"}})->visible_devices, ElementsAre(5, 0, 65));
}

TEST(Environment, VisibleDevicesOutOfRangeTwiceOrNoNumbersAreRefused) {
  for (const char* const list : {"66", "-1", "1,1", "1,", ",1", "1 ,2", "a", "4294967296"}) {
    EXPECT_THAT(mistake_in({{"ASCEND_RT_VISIBLE_DEVICES", list}}),
                AllOf(HasSubstr("ASCEND_RT_VISIBLE_DEVICES"), HasSubstr(list), HasSubstr("0 to 65")));
  }
}

}  // namespace
}  // namespace svmsim
