// SPDX-License-Identifier: Apache-2.0
// Address ranges that have a size but no meaningful bytes, so that 38 GiB of weights need no memory. Thread-bound.
#pragma once

#include <cstdint>
#include <map>

namespace svmsim {

class DatalessRanges {
 public:
  // Ranges must not overlap one that is held already; an empty one is ignored.
  void add(std::uint64_t base, std::uint64_t size);
  // Forgets the range that starts at `base`, if there is one.
  void remove(std::uint64_t base) { end_by_base_.erase(base); }
  void clear() { end_by_base_.clear(); }
  // True when a range touches [base, base + size).
  [[nodiscard]] bool touches(std::uint64_t base, std::uint64_t size) const;

 private:
  std::map<std::uint64_t, std::uint64_t> end_by_base_;
};

}  // namespace svmsim
