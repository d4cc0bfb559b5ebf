// SPDX-License-Identifier: Apache-2.0
// Tells an oracle of every element that an orchestration gets or sets, by standing between the orchestration and
// the runtime's functions; the runtime does not know. Borrows both. Thread-bound: runs that are bound at the same time
// need one each.
#pragma once

#include "runtime/orchestration/callable.h"
#include "sim/oracle/oracle.h"

namespace svmsim {

class ObservedCallable final : public svmrt::Callable {
 public:
  ObservedCallable(svmrt::Callable& inner, Oracle& oracle) : inner_(inner), oracle_(oracle) {}

  // The next invocations are of this run, which the oracle knows to be open.
  void serve(TimelineId run) { run_ = run; }

  [[nodiscard]] svmrt::Result<std::int32_t> expected_arg_count(const ChipTaskArgs& args) override;
  [[nodiscard]] svmrt::Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override;

 private:
  svmrt::Callable& inner_;
  Oracle& oracle_;
  TimelineId run_{};
};

}  // namespace svmsim
