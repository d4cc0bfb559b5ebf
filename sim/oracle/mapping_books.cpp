// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/mapping_books.h"

#include <algorithm>

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

MappingBooks::Block& MappingBooks::allocated(DeviceAddr base, Bytes size) {
  Block& block = blocks_[base];
  block = Block{};
  renew(block);
  block.size = size;
  return block;
}

void MappingBooks::freed(DeviceAddr base) { blocks_.erase(base); }

MappingBooks::Mapping& MappingBooks::mapped(DeviceAddr base, Bytes size) {
  return mappings_[base] = Mapping{size, 0, std::nullopt, false};
}

bool MappingBooks::unmapped(DeviceAddr base) { return mappings_.erase(base) != 0; }

std::optional<MappingBooks::Entry> MappingBooks::block_at(DeviceAddr base) {
  const auto found = blocks_.find(base);
  if (found == blocks_.end()) return std::nullopt;
  return Entry{base, &found->second};
}

std::optional<MappingBooks::Entry> MappingBooks::owner_of(DeviceAddr address) {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (!svmrt::span_inside(address, Bytes(1), found->first, found->second.size)) return std::nullopt;
  return Entry{found->first, &found->second};
}

std::optional<MappingBooks::Entry> MappingBooks::mapped_block_at(DeviceAddr base) {
  const auto entry = block_at(base);
  if (!entry || !own_mapping_touches(base, entry->block->size)) return std::nullopt;
  return entry;
}

DeviceAddr MappingBooks::allocation_of(DeviceAddr address) {
  const auto owner = owner_of(address);
  return owner ? owner->base : address;
}

bool MappingBooks::mapping_touches(DeviceAddr base, Bytes size) const {
  const auto behind = mappings_.lower_bound(base + size);
  if (behind == mappings_.begin()) return false;
  const auto found = std::prev(behind);
  return found->first + found->second.size > base;
}

std::vector<DeviceAddr> MappingBooks::mappings_touching(DeviceAddr base, Bytes size) const {
  std::vector<DeviceAddr> found;
  auto at = mappings_.lower_bound(base + size);
  while (at != mappings_.begin()) {
    --at;
    if (at->first + at->second.size <= base) break;
    found.push_back(at->first);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

bool MappingBooks::own_mapping_touches(DeviceAddr base, Bytes size) const {
  const auto touching = mappings_touching(base, size);
  return std::any_of(touching.begin(), touching.end(), [&](DeviceAddr at) { return !mappings_.at(at).foreign; });
}

MappingBooks::Mapping* MappingBooks::mapping_at(DeviceAddr base) {
  const auto found = mappings_.find(base);
  return found == mappings_.end() ? nullptr : &found->second;
}

bool MappingBooks::view_covers(DeviceAddr base, Bytes size) {
  const auto owner = owner_of(base);
  if (owner && owner->block->unregister_failed) return false;
  const auto after = mappings_.upper_bound(base);
  if (after == mappings_.begin()) return false;
  const auto found = std::prev(after);
  return !found->second.foreign && svmrt::span_inside(base, size, found->first, found->second.size);
}

void MappingBooks::all_become_foreign() {
  for (auto& [base, block] : blocks_) {
    block.foreign = true;
    block.unregister_failed = false;
    block.free_failed = false;
  }
  for (auto& [base, mapping] : mappings_) mapping.foreign = true;
}

void MappingBooks::clear() {
  blocks_.clear();
  mappings_.clear();
}

}  // namespace svmsim
