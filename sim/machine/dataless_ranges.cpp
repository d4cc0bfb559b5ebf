// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/dataless_ranges.h"

namespace svmsim {

void DatalessRanges::add(std::uint64_t base, std::uint64_t size) {
  if (size != 0) end_by_base_[base] = base + size;
}

bool DatalessRanges::touches(std::uint64_t base, std::uint64_t size) const {
  if (end_by_base_.empty() || size == 0) return false;
  const auto after = end_by_base_.lower_bound(base + size);  // the first that starts behind the span
  return after != end_by_base_.begin() && std::prev(after)->second > base;
}

}  // namespace svmsim
