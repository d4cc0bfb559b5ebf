// SPDX-License-Identifier: Apache-2.0
// Prices driver calls in integer picoseconds from the mechanism of each call: a fixed part, a part per page walked, a
// part per byte moved. Value type, thread-compatible.
#pragma once

#include <cstdint>

#include "runtime/units.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

using svmrt::Picoseconds;

// A map or unmap: one ioctl with its lookup and bookkeeping; per ordinary or huge page of the block locked
// bookkeeping (and, when mapping, an address lookup and a remap call); per host page-table entry filling it, or
// checking it before it is dropped.
struct MapTerms {
  Picoseconds call;
  Picoseconds allocation_page;
  Picoseconds host_page;
  bool operator==(const MapTerms&) const = default;
};

// A synchronous transfer: one round trip, then a bandwidth.
struct CopyTerms {
  Picoseconds latency;
  Picoseconds mib;  // per MiB moved
  bool operator==(const CopyTerms&) const = default;
};

struct CostParameters {
  MapTerms register_to_host;
  MapTerms unregister_from_host;
  CopyTerms copy_from_device;
  CopyTerms copy_to_device;
  CopyTerms set_memory;
  Picoseconds allocate;
  Picoseconds free;
  Picoseconds view_load;   // one load through a host view
  Picoseconds view_store;  // one store through a host view
  Picoseconds launch;      // a kernel launch, on top of what the kernels take
  bool operator==(const CostParameters&) const = default;
};

enum class CopyDirection : std::uint8_t { kFromDevice, kToDevice };

// Every function is exact for up to 64 TiB and any parameters, and saturates at the largest Picoseconds otherwise.
class CostModel {
 public:
  CostModel() = default;  // everything is free of charge
  explicit CostModel(const CostParameters& parameters) : parameters_(parameters) {}

  // A success that walked `walk`.
  [[nodiscard]] Picoseconds register_cost(PageWalk walk) const;
  [[nodiscard]] Picoseconds unregister_cost(PageWalk walk) const;
  [[nodiscard]] Picoseconds copy_cost(CopyDirection direction, Bytes size) const;  // rounded to the nearest
  [[nodiscard]] Picoseconds set_memory_cost(Bytes size) const;
  [[nodiscard]] Picoseconds allocate_cost() const { return parameters_.allocate; }
  [[nodiscard]] Picoseconds free_cost() const { return parameters_.free; }
  [[nodiscard]] Picoseconds view_access_cost(std::uint64_t loads, std::uint64_t stores) const;
  [[nodiscard]] Picoseconds launch_cost() const { return parameters_.launch; }

  // A refused or failed call costs its call term: nobody published how far a failing call gets. An allocate or a free
  // has no other term.
  [[nodiscard]] Picoseconds failed_register_cost() const { return parameters_.register_to_host.call; }
  [[nodiscard]] Picoseconds failed_unregister_cost() const { return parameters_.unregister_from_host.call; }
  [[nodiscard]] Picoseconds failed_copy_cost(CopyDirection direction) const { return copy_terms(direction).latency; }
  [[nodiscard]] Picoseconds failed_set_memory_cost() const { return parameters_.set_memory.latency; }

 private:
  [[nodiscard]] const CopyTerms& copy_terms(CopyDirection direction) const;

  CostParameters parameters_;
};

}  // namespace svmsim
