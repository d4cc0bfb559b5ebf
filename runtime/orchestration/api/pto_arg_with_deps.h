// SPDX-License-Identifier: Apache-2.0
// Task arguments that own the list of their explicit dependencies. Not copyable. Thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto_arg.h"

// Usable wherever CoreTaskArgs are. More than N dependencies are an error of the arguments.
template <std::size_t N = 16>
class CoreTaskArgsWithDeps : public CoreTaskArgs {
 public:
  template <typename... Ids>
  void add_dep(Ids... tasks) {
    (append(tasks), ...);
  }
  void reset() {
    CoreTaskArgs::reset();
    count_ = 0;
  }

 private:
  void append(PTO2TaskId task) {
    if (count_ == N) return set_error("add_dep: too many dependencies");
    deps_[count_++] = task;
    set_dependencies(deps_, count_);
  }

  std::uint32_t count_ = 0;
  PTO2TaskId deps_[N];
};
