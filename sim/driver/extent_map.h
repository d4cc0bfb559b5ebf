// SPDX-License-Identifier: Apache-2.0
// The host mappings of device pages, kept by extent: an ordered map by first page, so that no operation depends on
// how many pages it covers. Carries each change out in the backing. Owned by a driver; thread-bound to it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/backing.h"
#include "sim/driver/hal_driver.h"
#include "sim/driver/span.h"

namespace svmsim {

class ExtentMap {
 public:
  // `backing` is borrowed for the map's life.
  explicit ExtentMap(Backing& backing) : backing_(backing) {}

  [[nodiscard]] bool overlaps(Span span) const;

  // Maps a range of pages that overlaps nothing, as one registration, and returns its host address.
  void* map(Span span, HostAccess access);

  // Maps the pages of `span` that are not mapped yet and makes span.base the first page of a registration; returns
  // the host address of span.base. Mapped pages keep their mapping and their access. A gap behind a mapping becomes
  // part of that mapping's registration.
  void* map_missing(Span span, HostAccess access);

  // U3: unmaps from `base` to the next registration's first page, the first unmapped page or `limit`, whichever
  // comes first. Returns the bytes; 0, and nothing changes, unless a registration starts exactly at `base`. What lies
  // beyond `limit` stays mapped and belongs to no registration.
  [[nodiscard]] Bytes unmap_registration(DeviceAddr base, DeviceAddr limit);

  // Unmaps whatever of `span` is mapped.
  void drop(Span span);
  void drop_all();

  [[nodiscard]] std::vector<MappedExtent> extents() const;

 private:
  struct Extent {
    Bytes size;
    std::byte* host = nullptr;
    HostAccess access = HostAccess::kReadWrite;
    bool starts_registration = true;
  };
  using Extents = std::map<DeviceAddr, Extent>;

  // First extent that ends beyond `address`.
  [[nodiscard]] Extents::const_iterator first_ending_after(DeviceAddr address) const;
  // Makes `at` an extent's start when it lies inside one; the new extent starts no registration.
  void split(DeviceAddr at);

  Backing& backing_;
  Extents extents_;  // by first page; disjoint
};

}  // namespace svmsim
