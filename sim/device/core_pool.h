// SPDX-License-Identifier: Apache-2.0
// The cores of one kind and when each is free. Value type, thread-compatible.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "runtime/units.h"

namespace svmsim {

class CorePool {
 public:
  struct Claim {
    svmrt::Picoseconds free_from;
    std::uint32_t core = 0;
  };

  explicit CorePool(std::uint32_t count) {
    for (std::uint32_t core = 0; core < count; ++core) free_.push({svmrt::Picoseconds(0), core});
  }
  // Claims the core that is free earliest (equal: lowest number). When all are claimed already, the caller shares the
  // one that it claimed last.
  Claim claim_earliest() {
    if (free_.empty()) return {svmrt::Picoseconds(0), claimed_.back()};
    const auto [time, core] = free_.top();
    free_.pop();
    claimed_.push_back(core);
    return {time, core};
  }
  // Ends every claim: those cores are free from `time` on.
  void release_claimed(svmrt::Picoseconds time) {
    for (const std::uint32_t core : claimed_) free_.push({time, core});
    claimed_.clear();
  }

 private:
  using Entry = std::pair<svmrt::Picoseconds, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> free_;
  std::vector<std::uint32_t> claimed_;
};

}  // namespace svmsim
