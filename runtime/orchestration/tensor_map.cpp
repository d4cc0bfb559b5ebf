// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_map.h"

namespace svmrt {

bool TensorMap::record(std::uint32_t task, const ChipTensor& tensor) {
  if (size_ == capacity_) return false;
  std::uint32_t slot = free_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[slot].next;
  }
  std::uint32_t& head = heads_.try_emplace(tensor.buffer.addr, kNone).first->second;
  entries_[slot] = Entry{byte_range(tensor), task, head, tensor};
  head = slot;
  ++size_;
  return true;
}

void TensorMap::find_writers(const ChipTensor& tensor, CoveredWriters covered, std::vector<std::uint32_t>& tasks) {
  const auto found = heads_.find(tensor.buffer.addr);
  if (found == heads_.end()) return;
  const ByteRange range = byte_range(tensor);
  std::uint32_t* link = &found->second;
  while (*link != kNone) {
    const std::uint32_t slot = *link;
    Entry& entry = entries_[slot];
    if (!entry.range.overlaps(range) || !may_overlap(entry.tensor, tensor)) {
      link = &entry.next;
      continue;
    }
    tasks.push_back(entry.task);
    if (covered == CoveredWriters::kReplace && covers(tensor, entry.tensor)) {
      *link = entry.next;
      entry.next = free_;
      free_ = slot;
      --size_;
    } else {
      link = &entry.next;
    }
  }
}

}  // namespace svmrt
