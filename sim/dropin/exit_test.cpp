// SPDX-License-Identifier: Apache-2.0
// What the libraries do besides answering: refuse a mistaken environment, write trace and report, set the exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/dropin/testing/program_run.h"

namespace svmsim {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(MistakenEnvironment, EndsTheProgramAtItsFirstCallWithOneLine) {
  const ChildResult result = run_program("ends", {"clean"}, {{"SVMSIM_STRICT", "yes"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "svmsim: SVMSIM_STRICT: found \"yes\"; allowed: 0 or 1\n");
}

TEST(MistakenEnvironment, DoesNotMatterToAProgramThatCallsNothing) {
  const ChildResult result = run_program("ends", {"uncalled", "5"}, {{"SVMSIM_STRICT", "yes"}});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.errors, "");
}

TEST(MistakenEnvironment, TraceThatCannotBeWrittenIsOne) {
  const ChildResult result = run_program("ends", {"clean"}, {{"SVMSIM_TRACE", "/nowhere/trace.jsonl"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(StartsWith("svmsim: SVMSIM_TRACE: "), HasSubstr("/nowhere/trace.jsonl")));
}

std::string trace_of(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string path = new_path("trace.jsonl");
  const ChildResult result = run_program(program, arguments, {{"SVMSIM_TRACE", path}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return file_content(path);
}

TEST(Trace, HoldsEveryCallAndIsTheSameInEveryRun) {
  const std::string trace = trace_of("ends", {"clean"});
  EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 4);
  EXPECT_THAT(trace, AllOf(StartsWith("{\"call\":\"allocate\""), HasSubstr("\"call\":\"register\""),
                           HasSubstr("\"call\":\"unregister\""), HasSubstr("\"call\":\"free\"")));
  EXPECT_EQ(trace, trace_of("ends", {"clean"}));
}

TEST(Trace, OfAProgramThatLoadsTheLibraryIsTheSame) {
  EXPECT_EQ(trace_of("loads_late", {"at_exit"}), trace_of("ends", {"clean"}));
}

// 2 allocations and a register in main's own thread before the first child; then whatever the threads called.
TEST(Trace, ForkedChildrenAddNothing) {
  const std::string trace = trace_of("forks", {});
  std::size_t sequence = 0;
  for (std::size_t line = 0; line < trace.size(); line = trace.find('\n', line) + 1, ++sequence) {
    const std::string expected = "\"sequence\":" + std::to_string(sequence) + ",";
    ASSERT_NE(trace.substr(line, trace.find('\n', line) - line).find(expected), std::string::npos) << sequence;
  }
  EXPECT_GE(sequence, 6u);
}

TEST(Trace, OfAProgramThatLeavesByUnderscoreExitNeverGetsItsName) {
  const std::string path = new_path("trace.jsonl");
  EXPECT_EQ(run_program("ends", {"_exit", "4"}, {{"SVMSIM_TRACE", path}}).exit_code, 4);
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Rules broken in the report of a program, in order.
std::vector<std::string> broken_rules(const std::string& program, const std::vector<std::string>& arguments,
                                      EnvironmentChanges variables = {}) {
  const std::string path = new_path("report.json");
  variables["SVMSIM_REPORT"] = path;
  const ChildResult result = run_program(program, arguments, variables);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const auto report = nlohmann::json::parse(file_content(path));
  std::vector<std::string> rules;
  for (const auto& violation : report.at("violations")) rules.push_back(violation.at("rule").get<std::string>());
  return rules;
}

TEST(Report, OfACleanProgramNamesNoRule) { EXPECT_THAT(broken_rules("ends", {"clean"}), testing::IsEmpty()); }

// F3: a leak shows at exit.
TEST(Report, NamesWhatIsLeftAtExit) {
  EXPECT_THAT(broken_rules("ends", {"leak"}), AllOf(testing::Contains("I3"), testing::Contains("I8")));
}

// F2: the free succeeds, the block is mapped all the same.
TEST(Report, NamesAFreeOfAMappedBlockThatSucceeded) {
  const ChildResult result = run_program("ends", {"free_mapped"});
  EXPECT_THAT(result.output, HasSubstr("free 0\n"));
  EXPECT_THAT(broken_rules("ends", {"free_mapped"}), testing::Contains("I2"));
}

// F1.
TEST(Report, NamesAFreeOfAMappedBlockThatWasRefused) {
  const EnvironmentChanges v3{{"SVMSIM_PLATFORM", small_v3()}};
  EXPECT_THAT(run_program("ends", {"free_mapped"}, v3).output, HasSubstr("free 13\n"));
  EXPECT_THAT(broken_rules("ends", {"free_mapped"}, v3), testing::Contains("I2"));
}

TEST(Report, CountsWhatExitHandlersReleaseAsReleased) {
  EXPECT_THAT(broken_rules("ends", {"at_exit"}), testing::IsEmpty());
  EXPECT_THAT(broken_rules("loads_late", {"at_exit"}), testing::IsEmpty());
  EXPECT_THAT(broken_rules("loads_late", {"leak"}), testing::Contains("I8"));
}

TEST(Report, ForkedChildrenWriteNone) { EXPECT_THAT(broken_rules("forks", {}), testing::IsEmpty()); }

TEST(Report, OnStandardErrorIsText) {
  const ChildResult result = run_program("ends", {"leak"}, {{"SVMSIM_REPORT", "-"}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("register"), HasSubstr("I8")));
  EXPECT_EQ(result.output, "began\n");
}

TEST(Report, IsTheSameInEveryRun) {
  const EnvironmentChanges to_stderr{{"SVMSIM_REPORT", "-"}};
  EXPECT_EQ(run_program("ends", {"leak"}, to_stderr).errors, run_program("ends", {"leak"}, to_stderr).errors);
}

TEST(Report, ThatCannotBeWrittenIsExitCode2UnlessTheProgramFailedItself) {
  const EnvironmentChanges nowhere{{"SVMSIM_REPORT", "/nowhere/report"}};
  const ChildResult result = run_program("ends", {"clean"}, nowhere);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, StartsWith("svmsim: SVMSIM_REPORT: cannot write /nowhere/report: "));
  EXPECT_EQ(run_program("ends", {"clean", "3"}, nowhere).exit_code, 3);
}

TEST(Strict, BrokenRulesBecomeTheExitCodeAndOutputIsKept) {
  const EnvironmentChanges strict{{"SVMSIM_STRICT", "1"}};
  const ChildResult leak = run_program("ends", {"leak"}, strict);
  EXPECT_EQ(leak.exit_code, 1);
  EXPECT_EQ(leak.output, "began\n");
  EXPECT_EQ(run_program("ends", {"free_mapped"}, strict).exit_code, 1);
  EXPECT_EQ(run_program("loads_late", {"leak"}, strict).exit_code, 1);
}

TEST(Strict, ProgramsOwnFailureAndCleanProgramsKeepTheirCodes) {
  const EnvironmentChanges strict{{"SVMSIM_STRICT", "1"}};
  EXPECT_EQ(run_program("ends", {"leak", "3"}, strict).exit_code, 3);
  EXPECT_EQ(run_program("ends", {"clean"}, strict).exit_code, 0);
  EXPECT_EQ(run_program("ends", {"leak"}, {{"SVMSIM_STRICT", "0"}}).exit_code, 0);
}

// The plan refuses the first register that reaches the driver; the driver itself would say 8.
TEST(Faults, PlanDecidesWhatACallAnswers) {
  const ChildResult result = run_program("hal_codes", {}, {{"SVMSIM_FAULTS", "refused-register"}});
  EXPECT_THAT(result.output, HasSubstr("register size 0 65534\n"));
}

TEST(Strict, BrokenRulesComeBeforeAReportThatCannotBeWritten) {
  EXPECT_EQ(run_program("ends", {"leak"}, {{"SVMSIM_STRICT", "1"}, {"SVMSIM_REPORT", "/nowhere/report"}}).exit_code, 1);
}

TEST(Strict, StatusIsWhatTheParentProcessSees) {
  EXPECT_EQ(run_program("ends", {"leak", "256"}, {{"SVMSIM_STRICT", "1"}}).exit_code, 1);
}

TEST(Report, ReplacesALongerFile) {
  const std::string path = new_path("report.json");
  std::ofstream(path) << std::string(100'000, 'x');
  EXPECT_EQ(run_program("ends", {"clean"}, {{"SVMSIM_REPORT", path}}).exit_code, 0);
  EXPECT_FALSE(nlohmann::json::parse(file_content(path), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace svmsim
