// SPDX-License-Identifier: Apache-2.0
// Hands out the device range in which an orchestration's outputs are created: a bump pointer, never reclaimed.
// The range belongs to whoever allocated it. Thread-compatible.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/units.h"

namespace svmrt {

class RuntimeHeap {
 public:
  // Every block starts at a device address that is a multiple of this.
  static constexpr std::uint64_t kAlignment = 1024;

  RuntimeHeap(DeviceAddr base, Bytes size) : base_(base), size_(size) {}

  // nullopt, and nothing taken, when the rest is too small.
  [[nodiscard]] std::optional<DeviceAddr> allocate(Bytes size) {
    const std::uint64_t next = base_.value() + used_.count();
    const Bytes start = used_ + Bytes((kAlignment - next % kAlignment) % kAlignment);
    if (base_.is_null() || !span_inside(base_ + start, size, base_, size_)) return std::nullopt;
    used_ = start + size;
    return base_ + start;
  }
  // From the base to the end of the last block.
  [[nodiscard]] Bytes used() const { return used_; }
  [[nodiscard]] Bytes size() const { return size_; }

 private:
  DeviceAddr base_;
  Bytes size_;
  Bytes used_;
};

}  // namespace svmrt
