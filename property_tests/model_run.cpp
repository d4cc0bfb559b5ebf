// SPDX-License-Identifier: Apache-2.0
#include "property_tests/model_run.h"

#include <limits>
#include <utility>

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

namespace {

// Not empty, and its last byte has an address.
bool is_range(DeviceAddr address, Bytes size) {
  return size > Bytes(0) && size.count() - 1 <= std::numeric_limits<std::uint64_t>::max() - address.value();
}

bool refuses(const ModelRegion& region) {
  return region.kind == RegionKind::kOutputOnly || region.kind == RegionKind::kWithoutData;
}

}  // namespace

ModelHold& ModelRun::hold(const ModelBlock& block) {
  for (ModelHold& known : holds) {
    if (known.block == block.id) return known;
  }
  return holds.emplace_back(ModelHold{.block = block.id, .base = block.base});
}

bool ModelRun::holds_view(std::uint64_t block) const {
  for (const ModelHold& known : holds) {
    if (known.block == block) return known.acquired || known.registered;
  }
  return false;
}

bool ModelRun::has_failed(std::uint64_t block) const {
  for (const ModelHold& known : holds) {
    if (known.block == block) return known.failed;
  }
  return false;
}

ModelHold* ModelRun::registered_at(DeviceAddr base) {
  for (ModelHold& known : holds) {
    if (known.base == base && known.registered) return &known;
  }
  return nullptr;
}

bool ModelRun::claim(DeviceAddr address, Bytes size, RegionKind kind, std::uint64_t block, ModelBytes host) {
  if (closed || address.is_null() || !is_range(address, size)) return false;
  regions.push_back({.base = address, .size = size, .kind = kind, .block = block, .host = std::move(host)});
  return true;
}

std::optional<std::size_t> ModelRun::serving(DeviceAddr address, Bytes size) const {
  if (!is_range(address, size)) return std::nullopt;
  std::optional<std::size_t> refusing;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (!svmrt::span_inside(address, size, regions[i].base, regions[i].size)) continue;
    if (!refuses(regions[i])) return i;
    if (!refusing) refusing = i;
  }
  return refusing;
}

}  // namespace svmsim
