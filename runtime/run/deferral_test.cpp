// SPDX-License-Identifier: Apache-2.0
// Two runs in flight on one runner, of which one reads on the host what the other's tasks write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "runtime/run/bind.h"
#include "runtime/run/testing/session_fixture.h"

namespace svmrt {
namespace {

using testing::CallKind;
using ::testing::HasSubstr;
using testing::kElements;
using testing::LambdaCallable;
using testing::submit_writer;

// Each run has one child-memory argument of kElements bytes.
class Deferral : public testing::SessionFixture {
 protected:
  void SetUp() override {
    start();
    table_ = runner_->device_malloc(Bytes(2 * kElements)).value();
    heap_ = runner_->device_malloc(Bytes(64 << 10)).value();
  }

  struct Live {
    TensorArgument argument;
    DeviceAddr address;
    std::unique_ptr<BoundRun> run;
  };
  std::unique_ptr<Live> open(Direction direction, LambdaCallable& callable, std::uint64_t offset = 0) {
    auto live = std::make_unique<Live>();
    live->argument = tensor("table", direction, Residency::kChildMemory);
    live->address = table_ + Bytes(offset);
    RunRequest request;
    request.tensors = {&live->argument, 1};
    request.child_memory = {&live->address, 1};
    request.orchestrator.heap_base = heap_;
    request.orchestrator.heap_size = Bytes(64 << 10);
    request.callable = &callable;
    live->run = std::move(*BoundRun::open(*runner_, request));
    return live;
  }
  // What a bind answers, and what element `index` of the argument held for its orchestration.
  struct Bound {
    Result<void> result;
    std::uint64_t value = 0;
    bool over = false;
  };
  Bound bind_reader(std::uint32_t index, std::uint64_t offset = 0, Direction direction = Direction::kIn) {
    Bound bound;
    LambdaCallable reader(1, [&](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
      bound.value = testing::get(ops, context, args.tensor(0).ref(), index);
      bound.over = ops.is_fatal(context);
    });
    const auto live = open(direction, reader, offset);
    bound.result = live->run->bind();
    deferred_stats_ = live->run->report();
    return bound;
  }

  LambdaCallable writer_{
      1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) { submit_writer(ops, context, args, 0); }};
  DeviceAddr table_;
  DeviceAddr heap_;
  RunReport deferred_stats_;
};

TEST_F(Deferral, AReadOfWhatALiveRunProducesIsDeferredUntilThatRunExecuted) {
  const auto producer = open(Direction::kInout, writer_);
  ASSERT_TRUE(producer->run->bind());
  const Bound early = bind_reader(3);
  ASSERT_FALSE(early.result);
  EXPECT_TRUE(early.over);
  EXPECT_EQ(early.value, 0u);
  const Error& error = early.result.error();
  EXPECT_EQ(error.code, ErrorCode::kDeferred);
  EXPECT_EQ(error.after_run, producer->run->number());
  EXPECT_EQ(error.orchestration_code, 0);
  EXPECT_THAT(error.message, HasSubstr("prepared incompatible, retry after run 1: get_tensor_data: run 1 is going to "
                                       "write the 1 bytes at "));
  // It reached nothing: no access, no map, no copy.
  EXPECT_EQ(deferred_stats_.orch_error_code, 0);
  EXPECT_EQ(deferred_stats_.accesses, 0u);
  EXPECT_EQ(deferred_stats_.device_copies, 0u);
  EXPECT_EQ(calls(CallKind::kRegister), 0u);

  ASSERT_TRUE(producer->run->execute(executor_));
  const Bound late = bind_reader(3);
  EXPECT_TRUE(late.result);
  EXPECT_EQ(late.value, 1u);  // zero, and one added
  EXPECT_TRUE(producer->run->finish());
}

TEST_F(Deferral, AReadBeforeTheProducerBindsSeesTheBytesOfThen) {
  const Bound early = bind_reader(3);
  EXPECT_TRUE(early.result);
  EXPECT_EQ(early.value, 0u);
  const auto producer = open(Direction::kInout, writer_);
  EXPECT_TRUE(producer->run->bind());
  EXPECT_TRUE(producer->run->execute(executor_));
}

TEST_F(Deferral, ARunThatIsOnlyOpenProducesNothingYet) {
  const auto producer = open(Direction::kInout, writer_);
  EXPECT_TRUE(bind_reader(0).result);
}

TEST_F(Deferral, NeighboursOfTheProducedBytesAreReadAtOnce) {
  const auto producer = open(Direction::kOut, writer_);  // bytes 0 to kElements - 1
  ASSERT_TRUE(producer->run->bind());
  EXPECT_FALSE(bind_reader(kElements - 1).result);
  EXPECT_TRUE(bind_reader(0, kElements).result);
  EXPECT_FALSE(bind_reader(0, kElements - 1).result);
  EXPECT_TRUE(bind_reader(1, kElements - 1).result);
}

TEST_F(Deferral, ArgumentsThatAreOnlyReadDeferNobody) {
  LambdaCallable idle(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  const auto other = open(Direction::kIn, idle);
  ASSERT_TRUE(other->run->bind());
  EXPECT_TRUE(bind_reader(0).result);
}

TEST_F(Deferral, ARunReadsItsOwnInoutArgument) { EXPECT_TRUE(bind_reader(0, 0, Direction::kInout).result); }

TEST_F(Deferral, APureOutputStaysAFatalHoweverManyProduceIt) {
  const auto producer = open(Direction::kOut, writer_);
  ASSERT_TRUE(producer->run->bind());
  const Bound bound = bind_reader(0, 0, Direction::kOut);
  ASSERT_FALSE(bound.result);
  EXPECT_EQ(bound.result.error().code, ErrorCode::kOrchestration);
  EXPECT_EQ(bound.result.error().orchestration_code, PTO2_ERROR_INVALID_ARGS);
}

TEST_F(Deferral, AProducerThatFailsOrIsDroppedDefersNobodyAnyLonger) {
  {
    const auto dropped = open(Direction::kInout, writer_);
    ASSERT_TRUE(dropped->run->bind());
    EXPECT_FALSE(bind_reader(0).result);
  }
  EXPECT_TRUE(bind_reader(0).result);

  const auto failing = open(Direction::kInout, writer_);
  ASSERT_TRUE(failing->run->bind());
  executor_.error = Error{ErrorCode::kDriver, "a core hung", DriverCode::kInnerErr, 0, 0};
  EXPECT_FALSE(failing->run->execute(executor_));
  EXPECT_TRUE(bind_reader(0).result);

  LambdaCallable fatal(1, [](const ChipTaskArgs&, const Pto2Ops& ops, void* context) {
    ops.report_fatal(context, PTO2_ERROR_EXPLICIT_ORCH_FATAL, "enough");
  });
  const auto refused = open(Direction::kInout, fatal);
  EXPECT_FALSE(refused->run->bind());
  EXPECT_TRUE(bind_reader(0).result);
}

TEST_F(Deferral, ADeferredRunThatProducesTooDefersNobody) {
  const auto producer = open(Direction::kInout, writer_);
  ASSERT_TRUE(producer->run->bind());
  EXPECT_FALSE(bind_reader(0, 0, Direction::kInout).result);
  ASSERT_TRUE(producer->run->execute(executor_));
  EXPECT_TRUE(bind_reader(0).result);
}

TEST_F(Deferral, ALostDeviceProducesNothing) {
  const auto producer = open(Direction::kInout, writer_);
  ASSERT_TRUE(producer->run->bind());
  LambdaCallable callable(1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    (void)testing::get(ops, context, args.tensor(0).ref(), 0);
  });
  const auto reader = open(Direction::kIn, callable);
  runner_->device_lost();
  const Result<void> bound = reader->run->bind();
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::kOrchestration);
  EXPECT_THAT(bound.error().message, HasSubstr("device memory is unavailable"));
}

}  // namespace
}  // namespace svmrt
