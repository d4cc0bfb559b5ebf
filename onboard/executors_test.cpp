// SPDX-License-Identifier: Apache-2.0
// One graph, of real kernels and of digests, on the simulated cores and on the host executor, each over a machine of
// its own: every byte of the memory is the same afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "onboard/host_executor.h"
#include "sim/device/digest_kernel.h"
#include "sim/device/simulated_device.h"
#include "sim/kernels/kernel.h"
#include "sim/machine/runtime_driver.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using svmrt::TaskKind;
using svmrt::TaskTensor;
using svmrt::TensorUse;

constexpr std::uint64_t kMemory = 4096;
const std::vector<std::string>& kernels() {
  static const std::vector<std::string> names = kernel_names();
  return names;
}
std::int32_t function(const std::string& name) {
  const auto found = std::find(kernels().begin(), kernels().end(), name);
  EXPECT_NE(found, kernels().end()) << name;
  return static_cast<std::int32_t>(found - kernels().begin());
}
svmrt::KernelFunction kernel_of(std::int32_t number) {
  return find_kernel(kernels()[static_cast<std::size_t>(number)]);
}

// A machine with one block of floats, 16 rows of 64, which hold i / 8 - 40, and a graph on them.
class World {
 public:
  World() : driver_(*machine_), base_(driver_.allocate(kRunnerTimeline, svmrt::Bytes(kMemory)).address) {
    for (std::uint32_t i = 0; i < kMemory / 4; ++i) {
      const float value = static_cast<float>(i) / 8 - 40;
      std::memcpy(bytes() + std::uint64_t{4} * i, &value, sizeof value);
    }
    build();
  }
  [[nodiscard]] std::byte* bytes() { return machine_->device_bytes(base_, svmrt::Bytes(kMemory)); }
  [[nodiscard]] const svmrt::TaskGraph& graph() const { return graph_; }
  [[nodiscard]] Machine& machine() { return *machine_; }
  [[nodiscard]] svmrt::Driver& driver() { return driver_; }

 private:
  [[nodiscard]] ChipTensor rows(std::uint32_t first, std::uint32_t count, DataType dtype = DataType::FLOAT32) const {
    const std::uint32_t shape[] = {count, dtype == DataType::FLOAT32 ? 64u : 128u};
    return make_tensor_external(reinterpret_cast<void*>(base_.value() + first * 256), shape, 2, dtype);
  }
  // Columns [from, from + count) of rows: elements with gaps between them.
  [[nodiscard]] ChipTensor columns(const ChipTensor& tensor, std::uint32_t from, std::uint32_t count) const {
    const std::uint32_t shape[] = {tensor.shapes[0], count};
    const std::uint32_t offset[] = {0, from};
    return tensor.view(shape, offset);
  }
  // Each task comes after the one before it.
  void add(svmrt::TaskRecord task, const std::vector<TaskTensor>& tensors, std::vector<std::uint64_t> scalars = {}) {
    const auto last = static_cast<std::uint32_t>(graph_.tasks().size());
    const std::uint32_t predecessors[] = {last - 1};
    graph_.add(task, tensors, scalars, std::span(predecessors).subspan(last == 0 ? 1 : 0));
  }
  static svmrt::TaskRecord vector_task(const std::string& name, std::int16_t blocks = 1) {
    svmrt::TaskRecord task;
    task.kind = TaskKind::kVector;
    task.kernels.aiv0_kernel_id = function(name);
    task.block_num = blocks;
    return task;
  }
  [[nodiscard]] svmrt::TaskRecord when(svmrt::TaskRecord task, PredicateOp op, std::int64_t target) {
    svmrt::TaskPredicate predicate;
    predicate.tensor = rows(4, 1);
    predicate.index_count = 2;
    predicate.indices = {0, 63};
    predicate.op = op;
    predicate.target = target;
    task.predicate = graph_.add_predicate(predicate);
    return task;
  }

  void build() {
    const std::uint64_t half = to_u64(0.5F);
    svmrt::TaskRecord created;
    created.kind = TaskKind::kAlloc;
    add(created, {{rows(4, 2), TensorUse::kOutput}});
    add(vector_task("vector_add", 4),
        {{rows(0, 2), TensorUse::kInput}, {rows(2, 2), TensorUse::kInput}, {rows(4, 2), TensorUse::kOutputExisting}});
    // Half of the columns, in place; and the other half of the same rows out of them: the extents overlap.
    add(vector_task("vector_mul_scalar"), {{columns(rows(4, 2), 0, 32), TensorUse::kInout}}, {half});
    add(vector_task("vector_add_scalar"),
        {{columns(rows(6, 2), 0, 32), TensorUse::kInput}, {columns(rows(6, 2), 32, 32), TensorUse::kOutputExisting}},
        {half});
    svmrt::TaskRecord dummy;
    add(dummy, {{rows(0, 1), TensorUse::kInout}});
    // Rows 8 to 11 as 16-bit floats.
    add(vector_task("vector_relu"), {{rows(8, 1, DataType::BFLOAT16), TensorUse::kInput},
                                     {rows(9, 1, DataType::FLOAT16), TensorUse::kOutputExisting}});
    svmrt::TaskRecord product;
    product.kind = TaskKind::kMixed;
    product.kernels.aic_kernel_id = function("matmul");
    const std::uint32_t square[] = {8, 8};
    const auto matrix = [&](std::uint32_t row) {
      return make_tensor_external(reinterpret_cast<void*>(base_.value() + row * 256), square, 2, DataType::FLOAT32);
    };
    add(product,
        {{matrix(0), TensorUse::kInput}, {matrix(1), TensorUse::kInput}, {matrix(12), TensorUse::kOutputExisting}});
    // Element 63 of row 4 is -40 + 63 / 8 - 24 + 63 / 8 = -48.25 by now.
    add(when(vector_task("vector_relu"), PredicateOp::LT, -48), {{rows(13, 1), TensorUse::kInout}});
    add(when(vector_task("vector_relu"), PredicateOp::GT, -48), {{rows(0, 1), TensorUse::kInout}});
  }

  std::unique_ptr<Machine> machine_ = make_test_machine();
  RuntimeDriver driver_;
  const svmrt::DeviceAddr base_;
  svmrt::TaskGraph graph_;
};

class Executors : public testing::TestWithParam<KernelMode> {};

TEST_P(Executors, HostExecutorLeavesTheBytesThatSimulatedCoresLeave) {
  World on_cores;
  DeviceConfig config;
  config.mode = GetParam();
  for (std::size_t i = 0; i < kernels().size(); ++i) {
    config.kernels.by_function[static_cast<std::int32_t>(i)] = {kernels()[i], svmrt::Picoseconds(1),
                                                                kernel_of(static_cast<std::int32_t>(i))};
  }
  SimulatedDevice cores(on_cores.machine(), config);
  const std::vector<std::byte> before(on_cores.bytes(), on_cores.bytes() + kMemory);
  const auto simulated = cores.execute(kRunnerTimeline, on_cores.graph());
  ASSERT_TRUE(simulated) << simulated.error().message;

  World on_host;
  const svmrt::TaskEffect digest = run_digest_kernel;
  HostExecutor host(on_host.driver(), GetParam() == KernelMode::kReal ? svmrt::effect_of_kernels(kernel_of) : digest);
  const auto executed = host.execute(kRunnerTimeline, on_host.graph());
  ASSERT_TRUE(executed) << executed.error().message;

  EXPECT_EQ(executed->tasks_run, simulated->tasks_run);
  EXPECT_EQ(executed->tasks_run, on_host.graph().tasks().size() - 1) << "one predicate holds, the other does not";
  std::size_t changed = 0;
  for (std::size_t i = 0; i < kMemory; ++i) {
    ASSERT_EQ(on_host.bytes()[i], on_cores.bytes()[i]) << "byte " << i;
    changed += on_host.bytes()[i] != before[i] ? 1 : 0;
  }
  EXPECT_GT(changed, 500u);
}

INSTANTIATE_TEST_SUITE_P(Modes, Executors, testing::Values(KernelMode::kReal, KernelMode::kDigest));

}  // namespace
}  // namespace svmsim
