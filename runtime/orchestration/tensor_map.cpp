// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_map.h"

#include <algorithm>
#include <bit>

namespace svmrt {

namespace {

unsigned length_class(const ByteRange& range) {
  const std::uint64_t length = range.end - range.first;
  return length == 0 ? 0 : static_cast<unsigned>(std::bit_width(length) - 1);
}

// The longest range of a class.
std::uint64_t longest_of(unsigned length_class) {
  return length_class >= 63 ? UINT64_MAX : (std::uint64_t{2} << length_class) - 1;
}

}  // namespace

bool TensorMap::record(std::uint32_t task, const ChipTensor& tensor) {
  if (size_ == capacity_) return false;
  std::uint32_t slot = free_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[slot].next_free;
  }
  const ByteRange range = byte_range(tensor);
  entries_[slot] = Entry{range, task, kNone, recorded_++, tensor};
  buffers_[tensor.buffer.addr][length_class(range)].emplace(range.first, slot);
  ++size_;
  return true;
}

void TensorMap::forget(Buffer& buffer, std::uint32_t slot) {
  const ByteRange range = entries_[slot].range;
  const auto starts = buffer.find(length_class(range));
  starts->second.erase({range.first, slot});
  if (starts->second.empty()) buffer.erase(starts);
  entries_[slot].next_free = free_;
  free_ = slot;
  --size_;
}

void TensorMap::find_writers(const ChipTensor& tensor, CoveredWriters covered, std::vector<std::uint32_t>& tasks) {
  const auto buffer = buffers_.find(tensor.buffer.addr);
  if (buffer == buffers_.end()) return;
  const ByteRange range = byte_range(tensor);
  found_.clear();
  for (const auto& [length, starts] : buffer->second) {
    const std::uint64_t longest = longest_of(length);
    const std::uint64_t from = range.first > longest ? range.first - longest : 0;
    for (auto start = starts.lower_bound({from, 0}); start != starts.end() && start->first < range.end; ++start) {
      const Entry& entry = entries_[start->second];
      if (entry.range.overlaps(range) && may_overlap(entry.tensor, tensor)) found_.push_back(start->second);
    }
  }
  std::sort(found_.begin(), found_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return entries_[a].order > entries_[b].order; });
  for (const std::uint32_t slot : found_) {
    tasks.push_back(entries_[slot].task);
    if (covered == CoveredWriters::kReplace && covers(tensor, entries_[slot].tensor)) forget(buffer->second, slot);
  }
}

}  // namespace svmrt
