// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/callable.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace svmrt {
namespace {

// A context whose table only logs.
struct Recorder {
  std::vector<std::string> lines;
  std::function<void()> on_first_line;

  static const Pto2Ops& ops() {
    static const Pto2Ops kOps = [] {
      Pto2Ops ops{};
      ops.log = [](void* context, Pto2LogLevel, const char* message) {
        Recorder& self = *static_cast<Recorder*>(context);
        self.lines.emplace_back(message);
        if (self.lines.size() == 1 && self.on_first_line) self.on_first_line();
      };
      return ops;
    }();
    return kOps;
  }
};

std::unique_ptr<Callable> load(const std::string& path) {
  auto callable = SharedObjectCallable::load(path);
  EXPECT_TRUE(callable) << callable.error().message;
  return callable ? std::move(*callable) : nullptr;
}

void expect_load_error(const std::string& path, const std::string& word) {
  const auto callable = SharedObjectCallable::load(path);
  ASSERT_FALSE(callable);
  EXPECT_EQ(callable.error().code, ErrorCode::kLoad);
  EXPECT_NE(callable.error().message.find(word), std::string::npos) << callable.error().message;
  EXPECT_NE(callable.error().message.find(path), std::string::npos) << callable.error().message;
}

TEST(SharedObjectCallableTest, EverySourceOfAnObjectSeesTheBinding) {
  const auto callable = load(PROGRAM_FIRST);
  ASSERT_NE(callable, nullptr);
  Recorder recorder;
  ChipTaskArgs args;
  args.add_scalar(41);
  EXPECT_EQ(callable->expected_arg_count(args).value(), 2);
  ASSERT_TRUE(callable->invoke(args, Recorder::ops(), &recorder));
  EXPECT_EQ(recorder.lines, (std::vector<std::string>{"first: entry 41", "first: helper"}));
}

TEST(SharedObjectCallableTest, TwoObjectsAreBoundSeparately) {
  const auto first = load(PROGRAM_FIRST);
  const auto second = load(PROGRAM_SECOND);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  Recorder outer;
  Recorder inner;
  ChipTaskArgs args;
  args.add_scalar(1);
  // The second program runs, and is unbound, in the middle of the first.
  outer.on_first_line = [&] { EXPECT_TRUE(second->invoke(args, Recorder::ops(), &inner)); };
  ASSERT_TRUE(first->invoke(args, Recorder::ops(), &outer));
  EXPECT_EQ(outer.lines, (std::vector<std::string>{"first: entry 1", "first: helper"}));
  EXPECT_EQ(inner.lines, (std::vector<std::string>{"second: entry 1", "second: helper"}));
}

TEST(SharedObjectCallableTest, BindingBelongsToTheInvokingThread) {
  const auto callable = load(PROGRAM_FIRST);
  ASSERT_NE(callable, nullptr);
  Recorder outer;
  Recorder other;
  ChipTaskArgs args;
  args.add_scalar(1);
  outer.on_first_line = [&] {
    std::thread([&] { EXPECT_TRUE(callable->invoke(args, Recorder::ops(), &other)); }).join();
  };
  ASSERT_TRUE(callable->invoke(args, Recorder::ops(), &outer));
  EXPECT_EQ(outer.lines.size(), 2U);
  EXPECT_EQ(other.lines.size(), 2U);
}

TEST(SharedObjectCallableTest, ObjectIsUnloadedWithItsCallable) {
  auto callable = load(PROGRAM_FIRST);
  ASSERT_NE(callable, nullptr);
  void* loaded = dlopen(PROGRAM_FIRST, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(loaded, nullptr);
  dlclose(loaded);
  callable.reset();
  EXPECT_EQ(dlopen(PROGRAM_FIRST, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(SharedObjectCallableTest, EscapingExceptionBecomesAnErrorAndUnbinds) {
  const auto callable = load(PROGRAM_THROWS);
  ASSERT_NE(callable, nullptr);
  Recorder recorder;
  ChipTaskArgs args;
  args.add_scalar(1);
  const auto result = callable->invoke(args, Recorder::ops(), &recorder);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kOrchestration);
  EXPECT_EQ(result.error().orchestration_code, PTO2_ERROR_EXPLICIT_ORCH_FATAL);
  EXPECT_EQ(
      result.error().message,
      "run failed with code -9: orch_error_code=9 EXPLICIT_ORCH_FATAL: aicpu_orchestration_entry threw: no shape");
  EXPECT_EQ(recorder.lines, (std::vector<std::string>{"entry"}));
  // Outside of an invoke the program logs to nobody.
  EXPECT_EQ(callable->expected_arg_count(args).value(), 1);
  EXPECT_EQ(recorder.lines.size(), 1U);

  ChipTaskArgs none;
  EXPECT_EQ(callable->invoke(none, Recorder::ops(), &recorder).error().message,
            "run failed with code -9: orch_error_code=9 EXPLICIT_ORCH_FATAL: aicpu_orchestration_entry threw: "
            "something that is no std::exception");
  EXPECT_EQ(
      callable->expected_arg_count(none).error().message,
      "run failed with code -9: orch_error_code=9 EXPLICIT_ORCH_FATAL: aicpu_orchestration_config threw: no arguments");
}

TEST(SharedObjectCallableTest, MissingFileIsNamed) { expect_load_error("/nonexistent/program.so", "does not exist"); }

TEST(SharedObjectCallableTest, FileThatIsNotRegularIsNamedAndNotOpened) {
  const std::string fifo = ::testing::TempDir() + "orchestration_fifo.so";
  unlink(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  expect_load_error(fifo, "is not a regular file");
  EXPECT_EQ(unlink(fifo.c_str()), 0);
  expect_load_error(::testing::TempDir(), "is not a regular file");
  expect_load_error("/dev/null", "is not a regular file");
}

TEST(SharedObjectCallableTest, FileThatIsNoObjectGivesTheLoadersWords) {
  const std::string path = ::testing::TempDir() + "no_shared_object.so";
  std::ofstream(path) << "text";
  expect_load_error(path, "file too short");
}

TEST(SharedObjectCallableTest, MissingSymbolIsNamed) {
  expect_load_error(PROGRAM_NO_ENTRY, "does not export aicpu_orchestration_entry");
  expect_load_error(PROGRAM_NO_CONFIG, "does not export aicpu_orchestration_config");
  expect_load_error(PROGRAM_NO_BIND, "does not export pto2_bind_orchestration");
}

}  // namespace
}  // namespace svmrt
