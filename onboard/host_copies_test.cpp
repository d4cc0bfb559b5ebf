// SPDX-License-Identifier: Apache-2.0
#include "onboard/host_copies.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "runtime/testing/test_support.h"

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::kRunnerTimeline;
using svmrt::TaskTensor;
using svmrt::TensorUse;
using svmrt::testing::CallKind;
using svmrt::testing::FakeDriver;
using svmrt::testing::MappingPlace;

class HostCopiesTest : public testing::Test {
 protected:
  HostCopiesTest() : base_(driver_.allocate(kRunnerTimeline, Bytes(4096)).address) {
    for (int i = 0; i < 4096; ++i) driver_.bytes_at(base_)[i] = std::byte(i % 251);
  }
  [[nodiscard]] TaskTensor bytes(std::uint64_t offset, std::uint32_t size, TensorUse use) const {
    const std::uint32_t shape[] = {size};
    return {make_tensor_external(reinterpret_cast<void*>(base_.value() + offset), shape, 1, DataType::UINT8), use};
  }
  [[nodiscard]] std::byte device(std::uint64_t offset) const { return *driver_.bytes_at(base_ + Bytes(offset)); }

  // Device addresses are no host addresses: what takes one for the other faults.
  FakeDriver driver_{MappingPlace::kElsewhere};
  const DeviceAddr base_;
};

TEST_F(HostCopiesTest, OnlyWhatIsWrittenGoesBack) {
  const TaskTensor arguments[] = {bytes(0, 8, TensorUse::kInput), bytes(64, 8, TensorUse::kOutputExisting),
                                  bytes(128, 8, TensorUse::kInout), bytes(192, 8, TensorUse::kNoDep)};
  HostCopies copies(driver_, kRunnerTimeline);
  const auto tensors = copies.fetch(arguments);
  ASSERT_TRUE(tensors);
  ASSERT_EQ(tensors->size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const svmrt::KernelTensor& tensor = (*tensors)[i];
    EXPECT_EQ(tensor.tensor, &arguments[i].tensor);
    EXPECT_EQ(tensor.use, arguments[i].use);
    EXPECT_EQ(tensor.data[3], device(64 * i + 3));
    tensor.data[3] = std::byte(0xee);
  }
  ASSERT_TRUE(copies.store());
  EXPECT_EQ(device(3), std::byte(3));
  EXPECT_EQ(device(64 + 3), std::byte(0xee));
  EXPECT_EQ(device(64 + 4), std::byte(64 + 4));
  EXPECT_EQ(device(128 + 3), std::byte(0xee));
  EXPECT_EQ(device(192 + 3), std::byte(192 + 3));
  EXPECT_EQ(driver_.count(CallKind::kCopyToDevice), 2u);
}

TEST_F(HostCopiesTest, TensorsThatOverlapOverlapInTheCopies) {
  // The third ends after the second, which lies in the first; the last one only touches.
  const TaskTensor arguments[] = {bytes(100, 4, TensorUse::kInput), bytes(0, 64, TensorUse::kInout),
                                  bytes(10, 4, TensorUse::kInput), bytes(60, 40, TensorUse::kInput)};
  HostCopies copies(driver_, kRunnerTimeline);
  const auto tensors = copies.fetch(arguments);
  ASSERT_TRUE(tensors);
  EXPECT_EQ((*tensors)[2].data, (*tensors)[1].data + 10);
  EXPECT_EQ((*tensors)[3].data, (*tensors)[1].data + 60);
  EXPECT_EQ(driver_.count(CallKind::kCopyFromDevice), 2u);
  EXPECT_EQ((*tensors)[0].data[0], std::byte(100));
  EXPECT_EQ((*tensors)[3].data[39], std::byte(99));
}

TEST_F(HostCopiesTest, CopiesAreAlignedAsOnTheDevice) {
  for (const std::uint64_t offset : std::initializer_list<std::uint64_t>{0, 2, 36, 63, 64}) {
    const TaskTensor arguments[] = {bytes(offset, 4, TensorUse::kInput)};
    HostCopies copies(driver_, kRunnerTimeline);
    const auto tensors = copies.fetch(arguments);
    ASSERT_TRUE(tensors);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>((*tensors)[0].data) % 64, (base_.value() + offset) % 64);
  }
}

// Bytes between the elements of a view are not the task's, and come back as they were.
TEST_F(HostCopiesTest, GapsOfAViewStay) {
  const std::uint32_t shape[] = {4, 16};
  const std::uint32_t part[] = {3, 2};
  const std::uint32_t offset[] = {1, 5};
  const ChipTensor whole = make_tensor_external(reinterpret_cast<void*>(base_.value()), shape, 2, DataType::UINT8);
  const TaskTensor arguments[] = {{whole.view(part, offset), TensorUse::kOutputExisting}};
  HostCopies copies(driver_, kRunnerTimeline);
  const auto tensors = copies.fetch(arguments);
  ASSERT_TRUE(tensors);
  for (const int row : {0, 1, 2}) {
    for (const int column : {0, 1}) (*tensors)[0].data[row * 16 + column] = std::byte(0xee);
  }
  ASSERT_TRUE(copies.store());
  for (std::uint64_t i = 0; i < 64; ++i) {
    const bool mine = i / 16 >= 1 && (i % 16 == 5 || i % 16 == 6);
    EXPECT_EQ(device(i), mine ? std::byte(0xee) : std::byte(i)) << i;
  }
}

TEST_F(HostCopiesTest, FailedCopyNamesTensorAndCode) {
  const TaskTensor arguments[] = {bytes(0, 8, TensorUse::kInput), bytes(64, 8, TensorUse::kOutputExisting)};
  HostCopies copies(driver_, kRunnerTimeline);
  driver_.fail(CallKind::kCopyFromDevice, 1, DriverCode::kIoctlFail);
  const auto failed = copies.fetch(arguments);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, svmrt::ErrorCode::kDriver);
  EXPECT_EQ(failed.error().driver_code, DriverCode::kIoctlFail);
  EXPECT_NE(failed.error().message.find("tensor 1: copy_from_device of 0x"), std::string::npos);
  EXPECT_NE(failed.error().message.find("(8 bytes) failed with IOCRL_FAIL (17)"), std::string::npos);
  ASSERT_TRUE(copies.fetch(arguments));
  driver_.fail_next(CallKind::kCopyToDevice, DriverCode::kBusy);
  const auto stored = copies.store();
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().driver_code, DriverCode::kBusy);
  EXPECT_NE(stored.error().message.find("tensor 1: copy_to_device of 0x"), std::string::npos);
}

TEST_F(HostCopiesTest, TensorThatIsNoMemoryIsNamedAndNothingIsCopied) {
  TaskTensor wraps = bytes(0, 8, TensorUse::kInput);
  wraps.tensor.buffer.addr = UINT64_MAX - 3;
  for (const TaskTensor& bad : {bytes(0, 0, TensorUse::kInput), wraps}) {
    const TaskTensor arguments[] = {bytes(0, 8, TensorUse::kInput), bad};
    HostCopies copies(driver_, kRunnerTimeline);
    const auto failed = copies.fetch(arguments);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, svmrt::ErrorCode::kInvalidArgument);
    EXPECT_EQ(failed.error().message.substr(0, 9), "tensor 1:");
  }
  EXPECT_EQ(driver_.count(CallKind::kCopyFromDevice), 0u);
}

TEST_F(HostCopiesTest, TensorWithoutDataIsNeitherFetchedNorStored) {
  const TaskTensor arguments[] = {bytes(0, 8, TensorUse::kInout), bytes(64, 8, TensorUse::kInout)};
  HostCopies copies(driver_, kRunnerTimeline, [&](DeviceAddr base, Bytes size) {
    EXPECT_EQ(size, Bytes(8));
    return base != base_;
  });
  const auto tensors = copies.fetch(arguments);
  ASSERT_TRUE(tensors) << tensors.error().message;
  EXPECT_EQ((*tensors)[0].data, nullptr);
  EXPECT_EQ((*tensors)[0].tensor, &arguments[0].tensor);
  EXPECT_EQ((*tensors)[1].data[0], std::byte(64));
  ASSERT_TRUE(copies.store());
  EXPECT_EQ(driver_.count(CallKind::kCopyFromDevice), 1u);
  EXPECT_EQ(driver_.count(CallKind::kCopyToDevice), 1u);
}

}  // namespace
}  // namespace svmsim
