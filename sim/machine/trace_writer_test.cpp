// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/machine/runtime_driver.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using svmrt::Picoseconds;

class TraceWriterTest : public ::testing::Test {
 protected:
  TraceWriterTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("svmsim_trace_" + std::to_string(getpid()) + "_" +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~TraceWriterTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }
  // A block allocated, and a register of no bytes, which fails with 8.
  static void make_calls(TraceWriter& writer) {
    const auto machine = make_test_machine();
    RuntimeDriver driver(*machine);
    writer.set_origin(machine->slice_base());
    machine->add_observer(writer);
    const DeviceAddr block = driver.allocate(kRunnerTimeline, Bytes(100)).address;
    EXPECT_EQ(driver.register_to_host(kRunnerTimeline, block, Bytes(0)).code, DriverCode::kParaError);
  }
  static std::string content(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

TEST_F(TraceWriterTest, JsonLinesHoldEachCallWithCodeBeginAndCost) {
  auto writer = TraceWriter::create(path("t.jsonl"));
  ASSERT_TRUE(writer.has_value()) << writer.error();
  make_calls(**writer);
  ASSERT_TRUE((*writer)->finish().has_value());
  std::istringstream lines(content(path("t.jsonl")));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto allocate = nlohmann::json::parse(line);
  EXPECT_EQ(allocate["call"], "allocate");
  EXPECT_EQ(allocate["address"], "svm+0x0");
  EXPECT_EQ(allocate["size"], 160);  // 100 rounded up to 128, plus 32 (rule P4)
  EXPECT_EQ(allocate["code"], 0);
  EXPECT_EQ(allocate["cost_ns"], 3.0);
  ASSERT_TRUE(std::getline(lines, line));
  const auto failed = nlohmann::json::parse(line);
  EXPECT_EQ(failed["call"], "register");
  EXPECT_EQ(failed["code"], 8);
  EXPECT_EQ(failed["begin_ns"], 3.0);
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(TraceWriterTest, CoreSpansAreLinesOrTracksOfADeviceProcess) {
  const CoreTraceSpan cube{"cube", 3, "say \"x\"", 7, 2, Picoseconds(1'500), Picoseconds(2'000)};
  const CoreTraceSpan vector{"vector", 3, "add", 8, 0, Picoseconds(3'500'000), Picoseconds(1)};
  auto lines = TraceWriter::create(path("t.jsonl"));
  auto events = TraceWriter::create(path("t.json"));
  ASSERT_TRUE(lines.has_value() && events.has_value());
  for (TraceWriter* const writer : {lines->get(), events->get()}) {
    writer->add_core_span(cube);
    writer->add_core_span(vector);
    writer->add_core_span(cube);
    ASSERT_TRUE(writer->finish().has_value());
  }
  std::istringstream text(content(path("t.jsonl")));
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(line, R"({"core":"cube 3","kernel":"say \"x\"","task":7,"block":2,"begin_ns":1.500,"cost_ns":2.000})");
  const auto document = nlohmann::json::parse(content(path("t.json")));
  std::map<std::string, std::uint64_t> tracks;  // by name
  std::vector<nlohmann::json> spans;
  for (const auto& event : document["traceEvents"]) {
    if (event["name"] == "thread_name") tracks[event["args"]["name"]] = event["tid"];
    if (event["ph"] == "X") spans.push_back(event);
  }
  ASSERT_EQ(tracks.size(), 2u) << "each named once";
  EXPECT_NE(tracks["cube 3"], tracks["vector 3"]);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[1]["pid"], 1);
  EXPECT_EQ(spans[1]["tid"], tracks["vector 3"]);
  EXPECT_EQ(spans[1]["ts"], 3.5);
  EXPECT_EQ(spans[1]["dur"], 0.000001);
  EXPECT_EQ(spans[0]["args"], (nlohmann::json{{"task", 7}, {"block", 2}}));
}

TEST_F(TraceWriterTest, ChromeEventsAreOneDocumentInMicroseconds) {
  auto writer = TraceWriter::create(path("t.json"));
  ASSERT_TRUE(writer.has_value()) << writer.error();
  make_calls(**writer);
  ASSERT_TRUE((*writer)->finish().has_value());
  const auto document = nlohmann::json::parse(content(path("t.json")));
  ASSERT_EQ(document["traceEvents"].size(), 2U);
  EXPECT_EQ(document["traceEvents"][0]["ph"], "X");
  EXPECT_EQ(document["traceEvents"][1]["name"], "register");
  EXPECT_EQ(document["traceEvents"][1]["ts"], 0.003);
  EXPECT_EQ(document["traceEvents"][1]["dur"], 1.0);
}

TEST_F(TraceWriterTest, UnfinishedTraceLeavesNoFile) {
  {
    auto writer = TraceWriter::create(path("t.json"));
    ASSERT_TRUE(writer.has_value()) << writer.error();
    EXPECT_FALSE(std::filesystem::exists(path("t.json")));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(TraceWriterTest, FolderThatDoesNotExistIsAnErrorThatNamesThePath) {
  const auto writer = TraceWriter::create(path("missing/t.json"));
  ASSERT_FALSE(writer.has_value());
  EXPECT_NE(writer.error().find("missing/t.json"), std::string::npos) << writer.error();
}

TEST_F(TraceWriterTest, WriteThatFailedOnceIsToldAtTheEndThoughLaterOnesWork) {
  const std::string file = path("trace.jsonl");
  EXPECT_EXIT(
      {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit unlimited{};
        getrlimit(RLIMIT_FSIZE, &unlimited);
        rlimit small = unlimited;
        small.rlim_cur = 4096;
        auto writer = TraceWriter::create(file).value();
        setrlimit(RLIMIT_FSIZE, &small);
        for (int i = 0; i < 1000; ++i) writer->on_call(CallRecord{});
        setrlimit(RLIMIT_FSIZE, &unlimited);
        std::_Exit(writer->finish().has_value() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(TraceWriterTest, FinishedTraceIsAsReadableAsAnyNewFile) {
  const std::string file = path("trace.jsonl");
  const mode_t before = umask(027);
  ASSERT_TRUE(TraceWriter::create(file).value()->finish().has_value());
  umask(before);
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
}

}  // namespace
}  // namespace svmsim
