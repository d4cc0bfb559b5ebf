// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/written_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svmrt {

namespace {

bool writes(const ChipTensor& tensor, const ByteRange& bytes) {
  const std::uint64_t base = tensor.buffer.addr;
  return bytes.end > base && touches(tensor, {std::max(bytes.first, base) - base, bytes.end - base});
}

}  // namespace

WrittenMemory::Clusters::const_iterator WrittenMemory::first_after(std::uint64_t address) const {
  const auto next = clusters_.upper_bound(address);
  if (next == clusters_.begin()) return next;
  const auto previous = std::prev(next);
  return previous->second.end > address ? previous : next;
}

void WrittenMemory::record(std::uint32_t task, const ChipTensor& tensor) {
  const ByteRange range = byte_range(tensor);
  if (range.first == range.end) return;

  std::uint64_t first = tensor.buffer.addr + range.first;
  const std::uint64_t end = tensor.buffer.addr + range.end;
  lowest_ = std::min(lowest_, first);
  highest_ = std::max(highest_, end);
  Cluster merged{end, {}};
  for (auto cluster = first_after(first); cluster != clusters_.end() && cluster->first < end;) {
    auto node = clusters_.extract(cluster++);
    first = std::min(first, node.key());
    merged.end = std::max(merged.end, node.mapped().end);
    std::vector<Writer>& writers = node.mapped().writers;
    if (writers.size() > merged.writers.size()) writers.swap(merged.writers);
    merged.writers.insert(merged.writers.end(), writers.begin(), writers.end());
  }
  merged.writers.push_back({task, tensor});
  clusters_.emplace(first, std::move(merged));
}

std::optional<std::uint32_t> WrittenMemory::search(const ByteRange& bytes) const {
  std::optional<std::uint32_t> latest;
  for (auto cluster = first_after(bytes.first); cluster != clusters_.end() && cluster->first < bytes.end; ++cluster) {
    for (const Writer& writer : cluster->second.writers) {
      if ((!latest || writer.task > *latest) && writes(writer.tensor, bytes)) latest = writer.task;
    }
  }
  return latest;
}

}  // namespace svmrt
