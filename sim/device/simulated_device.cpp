// SPDX-License-Identifier: Apache-2.0
#include "sim/device/simulated_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "sim/device/device_tensor.h"
#include "sim/device/digest_kernel.h"
#include "sim/device/predicate.h"

namespace svmsim {

namespace {

using Outcome = tl::expected<void, std::string>;

// A created buffer starts out as zeros, so that what a reader finds in it never depends on an earlier owner.
Outcome zero_created(Machine& machine, const svmrt::TaskGraph& graph, const svmrt::TaskRecord& task) {
  for (const svmrt::TaskTensor& created : graph.tensors(task)) {
    const auto bytes = locate(machine, created.tensor);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->data != nullptr) std::memset(bytes->data, 0, bytes->extent.count());
  }
  return {};
}

// The tasks of one launch, on the machine's bytes. After the first error nothing more takes effect.
class Launch final : public DispatchTarget {
 public:
  Launch(Machine& machine, const DeviceConfig& config, const svmrt::TaskGraph& graph)
      : machine_(machine), config_(config), graph_(graph) {}

  [[nodiscard]] bool predicate_holds(std::uint32_t task) override {
    if (error_) return false;
    const auto holds = svmsim::predicate_holds(machine_, *graph_.predicate(graph_.tasks()[task]));
    if (!holds) fail(task, holds.error());
    return holds.value_or(false);
  }
  void run(std::uint32_t task) override {
    if (error_) return;
    if (const Outcome ran = effect(graph_.tasks()[task]); !ran) fail(task, ran.error());
  }
  void occupied(const CoreSpan& span) override {
    if (config_.on_launched) spans_.push_back(span);
  }
  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }
  [[nodiscard]] std::span<const CoreSpan> spans() const { return spans_; }

 private:
  Outcome effect(const svmrt::TaskRecord& task) {
    if (task.kind == svmrt::TaskKind::kDummy || config_.mode == KernelMode::kNone) return {};
    if (task.kind == svmrt::TaskKind::kAlloc) return zero_created(machine_, graph_, task);
    const auto tensors = kernel_tensors(machine_, graph_, task);
    if (!tensors) return tl::unexpected(tensors.error());
    const std::span<const std::uint64_t> scalars = graph_.scalars(task);
    if (config_.mode == KernelMode::kDigest) return run_digest_kernel(task, *tensors, scalars);
    return svmrt::run_task_kernels(task, *tensors, scalars,
                                   [&](std::int32_t function) { return config_.kernels.compute_of(function); });
  }
  void fail(std::uint32_t task, const std::string& why) {
    if (!error_) error_ = fmt::format("task {}: {}", task, why);
  }

  Machine& machine_;
  const DeviceConfig& config_;
  const svmrt::TaskGraph& graph_;
  std::optional<std::string> error_;
  std::vector<CoreSpan> spans_;
};

}  // namespace

svmrt::Result<svmrt::ExecutionReport> SimulatedDevice::execute(TimelineId timeline, const svmrt::TaskGraph& graph) {
  const Platform& platform = machine_.platform();
  Launch launch(machine_, config_, graph);
  const Schedule plan = schedule(graph, config_.kernels, platform.cube_cores, platform.vector_cores, launch);
  if (launch.error()) return svmrt::fail(svmrt::ErrorCode::kOutOfBounds, *launch.error());
  const auto ran = static_cast<std::uint64_t>(
      std::count_if(plan.tasks.begin(), plan.tasks.end(), [](const ScheduledTask& task) { return task.ran; }));
  const Picoseconds overhead = machine_.cost().launch_cost();
  const Picoseconds duration = overhead + plan.makespan;
  const Picoseconds begin = machine_.launch(timeline, duration, ran);
  if (config_.on_launched) config_.on_launched(begin + overhead, launch.spans());
  return svmrt::ExecutionReport{duration, ran};
}

}  // namespace svmsim
