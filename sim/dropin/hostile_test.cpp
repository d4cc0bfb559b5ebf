// SPDX-License-Identifier: Apache-2.0
// Programs with unusual manners: what they do to themselves must not reach device memory, trace or exit code.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/dropin/testing/program_run.h"
#include "sim/memory/poison.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kAllRight = 42;

TEST(HostileProgram, ThreadThatIsToBeCancelledIsNotCancelledInACall) {
  EXPECT_EQ(run_program("hostile", {"cancel"}, {{"SVMSIM_TRACE", new_path("t.jsonl")}}).exit_code, kAllRight);
}

TEST(HostileProgram, OutputThatItClosedDoesNotBecomeDeviceMemory) {
  EXPECT_EQ(run_program("hostile", {"close_output"}).exit_code, kAllRight);
}

TEST(HostileProgram, ViewsNeedNoDescriptorThatItCouldClose) {
  EXPECT_EQ(run_program("hostile", {"close_all"}).exit_code, kAllRight);
}

TEST(HostileProgram, RelativePathsCountFromTheFirstCallWhereverItGoes) {
  const fs::path folder = fs::path(new_path("x")).parent_path();
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  const ChildResult result =
      run_program("hostile", {"chdir"}, {{"SVMSIM_TRACE", "t.jsonl"}, {"SVMSIM_REPORT", "r.json"}});
  fs::current_path(before);
  EXPECT_EQ(result.exit_code, kAllRight) << result.errors;
  EXPECT_TRUE(fs::exists(folder / "t.jsonl"));
  EXPECT_TRUE(fs::exists(folder / "r.json"));
}

TEST(HostileProgram, RelativePathsInAFolderThatIsGoneAreRefused) {
  for (const char* variable : {"SVMSIM_TRACE", "SVMSIM_REPORT"}) {
    const fs::path before = fs::current_path();
    const fs::path gone = new_path("gone");
    fs::create_directory(gone);
    fs::current_path(gone);
    fs::remove(gone);
    const ChildResult result = run_program("ends", {"clean"}, {{variable, "r.json"}});
    fs::current_path(before);
    EXPECT_EQ(result.exit_code, 2) << variable;
    EXPECT_THAT(result.errors, HasSubstr(std::string(variable) + ": "));
    EXPECT_THAT(result.errors, HasSubstr("No such file or directory"));
  }
}

TEST(HostileProgram, SignalThatItSendsItselfEndsItAndIsNoTouch) {
  const ChildResult result = run_program("hostile", {"raise"});
  EXPECT_NE(result.exit_code, kAllRight);
  if (!poison_is_active()) {
    EXPECT_EQ(result.signal, SIGSEGV);
  }
  EXPECT_EQ(result.errors.find("forbidden touch"), std::string::npos) << result.errors;
}

TEST(HostileProgram, ThreadsThatCallOnAfterExitHarmNeitherExitCodeNorTrace) {
  for (int run = 0; run < 10; ++run) {
    const std::string path = new_path("trace.json");
    const ChildResult result = run_program("hostile", {"threads_at_exit"}, {{"SVMSIM_TRACE", path}});
    EXPECT_EQ(result.exit_code, kAllRight) << result.errors;
    EXPECT_TRUE(nlohmann::json::accept(file_content(path)));
  }
}

TEST(HostileEnvironment, ReportToAFifoThatNobodyReadsIsAMistakeAndNoWait) {
  const std::string path = new_path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const ChildResult result = run_program("ends", {"clean"}, {{"SVMSIM_REPORT", path}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("SVMSIM_REPORT: cannot write " + path));
}

TEST(HostileEnvironment, PlatformThatIsNoRegularFileIsRefusedAndNotReadForEver) {
  const std::string fifo = new_path("fifo.toml");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, std::string("/dev/zero")}) {
    EXPECT_EQ(run_program("weak", {}, {{"SVMSIM_PLATFORM", path}}).exit_code, 2) << path;  // looks symbols up
    EXPECT_EQ(run_program("ends", {"clean"}, {{"SVMSIM_PLATFORM", path}}).exit_code, 2) << path;
  }
}

TEST(HostileEnvironment, OneFileForTraceAndReportIsAMistake) {
  const std::string path = new_path("x.json");
  const ChildResult result = run_program("ends", {"clean"}, {{"SVMSIM_TRACE", path}, {"SVMSIM_REPORT", path}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("SVMSIM_REPORT: found \"" + path + "\"; allowed: another file than"));
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace svmsim
