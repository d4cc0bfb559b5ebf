// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/observed_callable.h"

#include "sim/oracle/oracle_fixture.h"

namespace svmsim {
namespace {

using svmrt::Policy;

// Gets element 1 of a tensor, then sets element 2 to 9.
class GetAndSet final : public svmrt::Callable {
 public:
  explicit GetAndSet(const ChipTensor& tensor) : tensor_(tensor) {}
  svmrt::Result<std::int32_t> expected_arg_count(const ChipTaskArgs&) override { return 3; }
  svmrt::Result<void> invoke(const ChipTaskArgs&, const Pto2Ops& ops, void* context) override {
    const std::uint32_t first = 1;
    const std::uint32_t second = 2;
    got_ = ops.get_tensor_data(context, &tensor_, 1, &first);
    ops.set_tensor_data(context, &tensor_, 1, &second, 9);
    return {};
  }
  ChipTensor tensor_;
  std::uint64_t got_ = 0;
};

// A runtime that serves each element by a copy, and may spoil it.
struct CopyingRuntime {
  RuntimeDriver& driver;
  TimelineId run;
  std::uint32_t spoils_reads = 0;
  std::uint32_t spoils_writes = 0;
  bool fatal = false;

  static DeviceAddr address(const ChipTensor& tensor, const std::uint32_t* index) {
    return DeviceAddr(tensor.buffer.addr + std::uint64_t{*index} * 4);
  }
  static std::uint64_t get(void* context, const ChipTensor* tensor, std::uint32_t, const std::uint32_t* index) {
    CopyingRuntime& self = *static_cast<CopyingRuntime*>(context);
    std::uint32_t value = 0;
    EXPECT_EQ(self.driver.copy_from_device(self.run, &value, address(*tensor, index), Bytes(4)), DriverCode::kNone);
    return value + self.spoils_reads;
  }
  static void set(void* context, const ChipTensor* tensor, std::uint32_t, const std::uint32_t* index,
                  std::uint64_t bits) {
    CopyingRuntime& self = *static_cast<CopyingRuntime*>(context);
    const auto value = static_cast<std::uint32_t>(bits) + self.spoils_writes;
    EXPECT_EQ(self.driver.copy_to_device(self.run, address(*tensor, index), &value, Bytes(4)), DriverCode::kNone);
  }
  static bool is_fatal(void* context) { return static_cast<CopyingRuntime*>(context)->fatal; }
};

class ObservedCallableTest : public OracleFixture {
 protected:
  ObservedCallableTest() : OracleFixture(Policy::kCopyOnly) {
    tensor_.buffer = {alloc("a").value(), 64};
    const std::uint32_t shape[] = {16};
    tensor_.set_row_major(shape, 1);
    tensor_.dtype = DataType::UINT32;
    const std::uint32_t value = 0x01020304;
    EXPECT_EQ(driver_.copy_to_device(svmrt::kRunnerTimeline, DeviceAddr(tensor_.buffer.addr + 4), &value, Bytes(4)),
              DriverCode::kNone);
  }

  void invoke(CopyingRuntime& runtime) {
    Pto2Ops ops{};
    ops.get_tensor_data = CopyingRuntime::get;
    ops.set_tensor_data = CopyingRuntime::set;
    ops.is_fatal = CopyingRuntime::is_fatal;
    GetAndSet inner(tensor_);
    ObservedCallable observed(inner, oracle_);
    observed.serve(runtime.run);
    EXPECT_EQ(observed.expected_arg_count({}).value(), 3);
    EXPECT_TRUE(observed.invoke({}, ops, &runtime).has_value());
    EXPECT_EQ(inner.got_, 0x01020304U + runtime.spoils_reads);
  }
  CopyingRuntime runtime() { return {driver_, open()}; }

  ChipTensor tensor_;
};

TEST_F(ObservedCallableTest, AccessesCountForTheRunThatIsServed) {
  open();
  CopyingRuntime served = runtime();
  invoke(served);
  end_bind(served.run, 2);
  EXPECT_EQ(broken(), Rules{});
}

TEST_F(ObservedCallableTest, OracleHearsWhatWasRead) {
  CopyingRuntime served = runtime();
  served.spoils_reads = 1;
  invoke(served);
  ASSERT_EQ(broken(), Rules{"I4 a"});
  EXPECT_THAT(message(), ::testing::HasSubstr("a read of 4 bytes at svm+0x4: byte 0 is 0x05"));
}

TEST_F(ObservedCallableTest, OracleHearsWhatWasToBeWritten) {
  CopyingRuntime served = runtime();
  served.spoils_writes = 1;
  invoke(served);
  ASSERT_EQ(broken(), Rules{"I4 a"});
  EXPECT_THAT(message(), ::testing::HasSubstr("a write of 4 bytes at svm+0x8: byte 0 is 0x09"));
}

TEST_F(ObservedCallableTest, FatalMakesTheAccessAFailedOne) {
  CopyingRuntime served = runtime();
  served.spoils_reads = 1;
  served.fatal = true;
  invoke(served);
  EXPECT_EQ(broken(), Rules{});
}

}  // namespace
}  // namespace svmsim
