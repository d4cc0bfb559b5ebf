// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/cost_model.h"

#include <cstdlib>
#include <limits>

namespace svmsim {
namespace {

// Products of a count and a price pass 2^64 long before either is absurd: 64 TiB at 35 us per MiB in bytes.
__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

Picoseconds saturated(Wide picoseconds) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return Picoseconds(picoseconds > kMax ? kMax : static_cast<std::uint64_t>(picoseconds));
}

Wide times(Picoseconds price, std::uint64_t count) { return Wide{price.count()} * count; }

Picoseconds walk_cost(const MapTerms& terms, PageWalk walk) {
  return saturated(terms.call.count() + times(terms.allocation_page, walk.allocation_pages) +
                   times(terms.host_page, walk.host_pages));
}

Picoseconds transfer_cost(const CopyTerms& terms, Bytes size) {
  return saturated(terms.latency.count() + (times(terms.mib, size.count()) + kMib / 2) / kMib);
}

}  // namespace

const CopyTerms& CostModel::copy_terms(CopyDirection direction) const {
  return direction == CopyDirection::kFromDevice ? parameters_.copy_from_device : parameters_.copy_to_device;
}

Picoseconds CostModel::register_cost(PageWalk walk) const { return walk_cost(parameters_.register_to_host, walk); }

Picoseconds CostModel::unregister_cost(PageWalk walk) const {
  return walk_cost(parameters_.unregister_from_host, walk);
}

Picoseconds CostModel::copy_cost(CopyDirection direction, Bytes size) const {
  return transfer_cost(copy_terms(direction), size);
}

Picoseconds CostModel::set_memory_cost(Bytes size) const { return transfer_cost(parameters_.set_memory, size); }

Picoseconds CostModel::view_access_cost(std::uint64_t loads, std::uint64_t stores) const {
  return saturated(times(parameters_.view_load, loads) + times(parameters_.view_store, stores));
}

}  // namespace svmsim
