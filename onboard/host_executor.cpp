// SPDX-License-Identifier: Apache-2.0
#include "onboard/host_executor.h"

#include <fmt/format.h>

#include "runtime/orchestration/task_predicate.h"

namespace svmsim {

using svmrt::DriverCode;

namespace {

constexpr svmrt::Bytes kLargestElement{8};

svmrt::Error of_task(std::size_t task, svmrt::Error error) {
  error.message = fmt::format("task {}: {}", task, error.message);
  return error;
}

svmrt::Result<void> objected(std::string message) {
  return svmrt::fail(svmrt::ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace

svmrt::Result<svmrt::ExecutionReport> HostExecutor::execute(svmrt::TimelineId timeline, const svmrt::TaskGraph& graph) {
  const std::lock_guard lock(mutex_);
  const svmrt::Picoseconds start = driver_.now_ps(timeline);
  std::uint64_t tasks_run = 0;
  // Every predecessor comes before its successors.
  for (std::size_t i = 0; i < graph.tasks().size(); ++i) {
    const svmrt::TaskRecord& task = graph.tasks()[i];
    if (const svmrt::TaskPredicate* const predicate = graph.predicate(task); predicate != nullptr) {
      auto due = is_due(timeline, *predicate);
      if (!due) return tl::unexpected(of_task(i, std::move(due.error())));
      if (!*due) continue;
    }
    auto ran = run(timeline, graph, task);
    if (!ran) return tl::unexpected(of_task(i, std::move(ran.error())));
    ++tasks_run;
  }
  return svmrt::ExecutionReport{driver_.now_ps(timeline) - start, tasks_run};
}

svmrt::Result<bool> HostExecutor::is_due(svmrt::TimelineId timeline, const svmrt::TaskPredicate& predicate) {
  const auto [address, size] = svmrt::predicate_operand(predicate);
  std::byte element[kLargestElement.count()] = {};
  if (size == svmrt::Bytes(0) || size > kLargestElement) {
    return tl::unexpected(
        objected(fmt::format("predicate operand of {} bytes; allowed: 1 to {}", size.count(), kLargestElement.count()))
            .error());
  }
  if (has_data_ && !has_data_(address, size)) {
    return tl::unexpected(
        objected(fmt::format("predicate operand of {} has no data", svmrt::block_text(address, size))).error());
  }
  const DriverCode code = driver_.copy_from_device(timeline, element, address, size);
  if (code != DriverCode::kNone) {
    return port_failed("predicate operand: ", svmrt::DriverCall::kCopyFromDevice, {address, size}, code);
  }
  const auto holds = svmrt::predicate_holds(predicate, element);
  if (!holds) return tl::unexpected(objected(holds.error()).error());
  return *holds;
}

svmrt::Result<void> HostExecutor::run(svmrt::TimelineId timeline, const svmrt::TaskGraph& graph,
                                      const svmrt::TaskRecord& task) {
  if (task.kind == svmrt::TaskKind::kDummy) return {};
  if (task.kind == svmrt::TaskKind::kAlloc) return zero_created(timeline, graph, task);
  HostCopies copies(driver_, timeline, has_data_);
  const auto tensors = copies.fetch(graph.tensors(task));
  if (!tensors) return tl::unexpected(tensors.error());
  const auto ran = effect_(task, *tensors, graph.scalars(task));
  if (!ran) return objected(ran.error());
  return copies.store();
}

svmrt::Result<void> HostExecutor::zero_created(svmrt::TimelineId timeline, const svmrt::TaskGraph& graph,
                                               const svmrt::TaskRecord& task) {
  for (const svmrt::TaskTensor& created : graph.tensors(task)) {
    const auto [base, size] = span_of(created.tensor);
    if (size == svmrt::Bytes(0)) continue;
    const DriverCode code = driver_.set_memory(timeline, base, 0, size);
    if (code != DriverCode::kNone) {
      return port_failed("", svmrt::DriverCall::kSetMemory, {base, size}, code);
    }
  }
  return {};
}

}  // namespace svmsim
