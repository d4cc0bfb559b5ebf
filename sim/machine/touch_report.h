// SPDX-License-Identifier: Apache-2.0
// The words for a touch that the driver does not allow: which allocation, at which offset, whose it was last, and which
// call unmapped it. Allocates nothing, so that a signal handler can call it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/machine/mapping_history.h"

namespace svmsim {

enum class TouchedRange : std::uint8_t {
  kView,       // where views lie
  kRawDevice,  // the device address itself, on a platform whose views lie elsewhere
};

struct Touch {
  std::uint64_t host_address = 0;
  svmrt::DeviceAddr device_address;
  svmrt::DeviceAddr slice_base;  // what reports show addresses relative to
  TouchedRange range = TouchedRange::kView;
  bool in_forked_child = false;
};

// Writes the report, some lines each ended by a newline, into `text` and returns its length; what does not fit is cut.
// `history` null: the books could not be read.
[[nodiscard]] std::size_t describe_touch(const Touch& touch, const AddressHistory* history, std::span<char> text);

}  // namespace svmsim
