// SPDX-License-Identifier: Apache-2.0
// Explains a SIGSEGV inside the device address range or the views of a machine on standard error before the process
// ends. The handler and the table of machines are the process's, because a signal's are; each entry belongs to the
// object that made it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/owner_process.h"
#include "runtime/units.h"
#include "sim/machine/mapping_history.h"

namespace svmsim {

// The host address ranges of one machine: where its views lie and, if that is elsewhere, its raw device addresses.
struct TouchRanges {
  svmrt::DeviceAddr slice_base;
  svmrt::Bytes size;
  std::uint64_t view_base = 0;  // host address of the view of slice_base
};

// Lives as long as the ranges and the history it was given. The first one installs the handler, which passes every
// signal on to the one that was there before, or to the default action.
class TouchWatch {
 public:
  TouchWatch(const TouchRanges& ranges, const MappingHistory& history);
  TouchWatch(const TouchWatch&) = delete;
  TouchWatch& operator=(const TouchWatch&) = delete;
  ~TouchWatch();

  // True and reported when the address is one of this machine's. For the handler.
  [[nodiscard]] bool report(std::uint64_t host_address) const;

 private:
  TouchRanges ranges_;
  const MappingHistory& history_;
  svmrt::OwnerProcess owner_;
};

}  // namespace svmsim
