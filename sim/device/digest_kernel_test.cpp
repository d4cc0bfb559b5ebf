// SPDX-License-Identifier: Apache-2.0
#include "sim/device/digest_kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "sim/device/device_tensor.h"
#include "sim/device/testing/device_fixture.h"

namespace svmsim {
namespace {

using svmrt::TaskGraph;
using svmrt::TaskKind;
using svmrt::TaskRecord;
using svmrt::TaskTensor;
using svmrt::TensorUse;

class DigestKernel : public DeviceFixture {
 protected:
  void run(const std::vector<TaskTensor>& tensors, std::vector<std::uint64_t> scalars = {},
           TaskKind kind = TaskKind::kCube, std::int32_t function = 0) {
    run_with({function, -1, -1}, tensors, std::move(scalars), kind);
  }

  void run_with(const MixedKernels& functions, const std::vector<TaskTensor>& tensors,
                std::vector<std::uint64_t> scalars = {}, TaskKind kind = TaskKind::kMixed) {
    TaskGraph graph;
    TaskRecord task;
    task.kind = kind;
    task.kernels = functions;
    graph.add(task, tensors, scalars, {});
    const auto located = kernel_tensors(*machine_, graph, graph.tasks()[0]);
    ASSERT_TRUE(located.has_value()) << located.error();
    ASSERT_TRUE(run_digest_kernel(graph.tasks()[0], *located, graph.scalars(graph.tasks()[0])).has_value());
  }
};

TEST_F(DigestKernel, EveryInputByteScalarAndFunctionChangesTheOutput) {
  const DeviceAddr in = allocate(64);
  const DeviceAddr out = allocate(32);
  const auto output = [&](std::vector<std::uint64_t> scalars, std::int32_t function) {
    run({{tensor(in, {64}), TensorUse::kInput}, {tensor(out, {32}), TensorUse::kOutputExisting}}, std::move(scalars),
        TaskKind::kCube, function);
    return bytes(out, 32);
  };
  std::set<std::vector<std::byte>> seen{output({1}, 0)};
  EXPECT_FALSE(seen.insert(output({1}, 0)).second);  // the same task on the same bytes
  EXPECT_TRUE(seen.insert(output({2}, 0)).second);
  EXPECT_TRUE(seen.insert(output({1}, 1)).second);
  for (std::uint64_t i = 0; i < 64; ++i) {
    std::byte& byte = *machine_->device_bytes(in + Bytes(i), Bytes(1));
    byte ^= std::byte{1};
    EXPECT_TRUE(seen.insert(output({1}, 0)).second) << "byte " << i;
    byte ^= std::byte{1};
  }
}

TEST_F(DigestKernel, FunctionOfEachKernelSlotChangesTheOutput) {
  const DeviceAddr out = allocate(32);
  std::set<std::vector<std::byte>> seen;
  for (const MixedKernels& functions : {MixedKernels{1, 2, 3}, {9, 2, 3}, {1, 9, 3}, {1, 2, 9}}) {
    run_with(functions, {{tensor(out, {32}), TensorUse::kOutputExisting}});
    seen.insert(bytes(out, 32));
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST_F(DigestKernel, NoDepBytesChangeTheOutput) {
  const DeviceAddr beside = allocate(32);
  const DeviceAddr out = allocate(32);
  const auto output = [&] {
    run({{tensor(beside, {32}), TensorUse::kNoDep}, {tensor(out, {32}), TensorUse::kOutputExisting}});
    return bytes(out, 32);
  };
  const auto before = output();
  *machine_->device_bytes(beside + Bytes(31), Bytes(1)) ^= std::byte{1};
  EXPECT_NE(output(), before);
}

TEST_F(DigestKernel, OutputsOfEqualShapeDiffer) {
  const DeviceAddr first = allocate(32);
  const DeviceAddr second = allocate(32);
  run({{tensor(first, {32}), TensorUse::kOutputExisting}, {tensor(second, {32}), TensorUse::kOutputExisting}});
  EXPECT_NE(bytes(first, 32), bytes(second, 32));
}

TEST_F(DigestKernel, RowsOfAStridedOutputDiffer) {
  const DeviceAddr at = allocate(64);
  const std::uint32_t shape[] = {2, 3};
  const std::uint32_t offset[] = {1, 4};
  run({{tensor(at, {8, 8}).view(shape, offset), TensorUse::kOutputExisting}});
  EXPECT_NE(bytes(at + Bytes(8 + 4), 3), bytes(at + Bytes(16 + 4), 3));
}

TEST_F(DigestKernel, AddressesTakeNoPart) {
  const DeviceAddr in = allocate(64);
  const DeviceAddr first = allocate(32);
  const DeviceAddr second = allocate(32);
  run({{tensor(in, {64}), TensorUse::kInput}, {tensor(first, {32}), TensorUse::kOutputExisting}});
  run({{tensor(in, {64}), TensorUse::kInput}, {tensor(second, {32}), TensorUse::kOutputExisting}});
  EXPECT_EQ(bytes(first, 32), bytes(second, 32));
}

TEST_F(DigestKernel, InoutReadsWhatItFound) {
  const DeviceAddr state = allocate(16);
  run({{tensor(state, {16}), TensorUse::kInout}});
  const auto once = bytes(state, 16);
  run({{tensor(state, {16}), TensorUse::kInout}});
  EXPECT_NE(bytes(state, 16), once);
}

TEST_F(DigestKernel, InputsAndNoDepArgumentsStayUntouched) {
  const DeviceAddr in = allocate(64);
  const auto before = bytes(in, 64);
  run({{tensor(in, {32}), TensorUse::kInput}, {tensor(in + Bytes(32), {32}), TensorUse::kNoDep}});
  EXPECT_EQ(bytes(in, 64), before);
}

TEST_F(DigestKernel, StridedOutputWritesItsElementsOnly) {
  const DeviceAddr at = allocate(64);
  std::memset(machine_->device_bytes(at, Bytes(64)), 0xee, 64);
  const ChipTensor whole = tensor(at, {8, 8});
  const std::uint32_t shape[] = {2, 3};
  const std::uint32_t offset[] = {1, 4};
  run({{whole.view(shape, offset), TensorUse::kOutputExisting}});
  const auto after = bytes(at, 64);
  int changed = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    for (std::uint32_t column = 0; column < 8; ++column) {
      const bool inside = row >= 1 && row < 3 && column >= 4 && column < 7;
      if (!inside) {
        EXPECT_EQ(after[row * 8 + column], std::byte{0xee}) << row << "," << column;
      }
      changed += after[row * 8 + column] != std::byte{0xee} ? 1 : 0;
    }
  }
  EXPECT_GE(changed, 4);  // of six bytes; one may come out as 0xee by chance
}

TEST_F(DigestKernel, StridedInputReadsItsElementsOnly) {
  const DeviceAddr at = allocate(64);
  const DeviceAddr out = allocate(8);
  const ChipTensor whole = tensor(at, {8, 8});
  const std::uint32_t shape[] = {2, 3};
  const std::uint32_t offset[] = {1, 4};
  const auto output = [&] {
    run({{whole.view(shape, offset), TensorUse::kInput}, {tensor(out, {8}), TensorUse::kOutputExisting}});
    return bytes(out, 8);
  };
  const auto before = output();
  *machine_->device_bytes(at + Bytes(8 + 3), Bytes(1)) ^= std::byte{1};  // left of the box
  EXPECT_EQ(output(), before);
  *machine_->device_bytes(at + Bytes(8 + 4), Bytes(1)) ^= std::byte{1};  // its first element
  EXPECT_NE(output(), before);
}

TEST_F(DigestKernel, TensorsWithoutDataAreNeitherReadNorWritten) {
  const DeviceAddr none = allocate(64);
  const DeviceAddr out = allocate(8);
  machine_->declare_device_without_data(none, Bytes(64));
  run({{tensor(none, {64}), TensorUse::kInout}, {tensor(out, {8}), TensorUse::kOutputExisting}});
  const auto before = bytes(out, 8);
  EXPECT_EQ(bytes(none, 64), std::vector<std::byte>(64));
  *machine_->device_bytes(none, Bytes(1)) = std::byte{1};
  run({{tensor(none, {64}), TensorUse::kInout}, {tensor(out, {8}), TensorUse::kOutputExisting}});
  EXPECT_EQ(bytes(out, 8), before);
}

TEST_F(DigestKernel, TensorOutsideDeviceMemoryIsAnError) {
  TaskGraph graph;
  TaskRecord task;
  task.kind = TaskKind::kCube;
  const std::vector<TaskTensor> tensors = {{tensor(DeviceAddr(4096), {64}), TensorUse::kInput}};
  graph.add(task, tensors, {}, {});
  const auto located = kernel_tensors(*machine_, graph, graph.tasks()[0]);
  ASSERT_FALSE(located.has_value());
  EXPECT_EQ(located.error(), "tensor 0: 64 bytes at 0x1000 are not device memory");
}

}  // namespace
}  // namespace svmsim
