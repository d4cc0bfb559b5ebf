// SPDX-License-Identifier: Apache-2.0
// The executor port without kernels of the device: runs the tasks of a graph on the host, one after the other in the
// order of submission, each on copies of its tensors. The copies go through the driver port and not through a run, so
// that no statistics of the runtime count them; the time that they take is part of the device time.
// Thread-safe: one graph at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "onboard/host_copies.h"
#include "runtime/executor.h"
#include "runtime/orchestration/host_kernel.h"

namespace svmsim {

class HostExecutor final : public svmrt::Executor {
 public:
  // `driver` is borrowed for the executor's life; `effect` is what tasks do to their tensors (run_task_kernels with the
  // kernels that there are, for one). Tensors without data are not copied.
  HostExecutor(svmrt::Driver& driver, svmrt::TaskEffect effect, HasData has_data = {})
      : driver_(driver), effect_(std::move(effect)), has_data_(std::move(has_data)) {}

  // Nothing takes effect after the first error, which names its task: kDriver for a copy, kInvalidArgument for what
  // the effect objects to, a predicate that cannot be evaluated or whose operand has no data. tasks_run counts the
  // tasks that no predicate left out. Bytes that others write between the elements of an output while its task runs may
  // be lost.
  [[nodiscard]] svmrt::Result<svmrt::ExecutionReport> execute(svmrt::TimelineId timeline,
                                                              const svmrt::TaskGraph& graph) override;

 private:
  [[nodiscard]] svmrt::Result<bool> is_due(svmrt::TimelineId timeline, const svmrt::TaskPredicate& predicate);
  [[nodiscard]] svmrt::Result<void> run(svmrt::TimelineId timeline, const svmrt::TaskGraph& graph,
                                        const svmrt::TaskRecord& task);
  // A created buffer starts out as zeros, so that what a reader finds in it never depends on an earlier owner.
  [[nodiscard]] svmrt::Result<void> zero_created(svmrt::TimelineId timeline, const svmrt::TaskGraph& graph,
                                                 const svmrt::TaskRecord& task);

  svmrt::Driver& driver_;
  const svmrt::TaskEffect effect_;
  const HasData has_data_;
  std::mutex mutex_;  // held while a graph runs
};

}  // namespace svmsim
