// SPDX-License-Identifier: Apache-2.0
// Which task wrote which part of which buffer last: what dependency inference looks up. Writers are found by the
// address of the buffer as the program gave it, as the public runtime does; the same memory under another base address
// is another buffer, and makes no edge. Host accesses are decided by WrittenMemory instead.
// Thread-compatible; owned by the orchestrator.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/orchestration/api/pto_tensor.h"
#include "runtime/orchestration/tensor_overlap.h"

namespace svmrt {

enum class CoveredWriters { kKeep, kReplace };

class TensorMap {
 public:
  // At most `capacity` entries at a time.
  explicit TensorMap(std::uint32_t capacity) : capacity_(capacity) {}

  // Notes that `task` writes `tensor`. False, and nothing noted, when the map is full.
  [[nodiscard]] bool record(std::uint32_t task, const ChipTensor& tensor);

  // Appends the task of each entry that overlaps `tensor`, latest first, a task once per entry. kReplace drops the
  // entries that `tensor` covers: whoever records `tensor` next comes after their tasks.
  void find_writers(const ChipTensor& tensor, CoveredWriters covered, std::vector<std::uint32_t>& tasks);

  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    ByteRange range;
    std::uint32_t task = 0;
    std::uint32_t next_free = kNone;  // in the free list
    std::uint64_t order = 0;          // of recording
    ChipTensor tensor;
  };
  // The entries of one buffer, as (first byte, position in entries_) by the binary logarithm of their length: within
  // such a class, what overlaps a range begins less than twice the shortest length before it. So a writer of the whole
  // buffer does not make the lookup of a tile look at every other tile.
  using Starts = std::set<std::pair<std::uint64_t, std::uint32_t>>;
  using Buffer = std::map<unsigned, Starts>;

  void forget(Buffer& buffer, std::uint32_t slot);

  std::uint32_t capacity_;
  std::uint32_t size_ = 0;
  std::uint32_t free_ = kNone;
  std::uint64_t recorded_ = 0;
  std::vector<Entry> entries_;
  // By address. Only ever looked up, never iterated: hash order reaches no result.
  std::unordered_map<std::uint64_t, Buffer> buffers_;
  std::vector<std::uint32_t> found_;  // of the lookup in progress; kept for its capacity
};

}  // namespace svmrt
