// SPDX-License-Identifier: Apache-2.0
// A backing that owns the slice of device address space of one machine. Thread-bound to its machine's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "sim/backing.h"
#include "sim/memory/mapped_region.h"

namespace svmsim {

// Where the host sees mapped memory: at its device address, or anywhere but there.
enum class ViewAddress : std::uint8_t { kIdentity, kElsewhere };

class SliceBacking : public Backing {
 public:
  [[nodiscard]] DeviceAddr base() const { return slice_.base; }
  [[nodiscard]] Bytes size() const { return slice_.size; }
  // Host address of the view of base(); the view of every other address lies at the same distance from it.
  [[nodiscard]] const std::byte* view_base() const { return view_base_; }

  [[nodiscard]] std::byte* bytes_at(DeviceAddr address) const final { return own_base_ + (address - base()).count(); }

 protected:
  // Regions of the slice's size. `views` empty: views lie at the device address; `own`, where bytes_at() points to,
  // empty: the simulator uses the place of the views.
  SliceBacking(AddressSlice slice, MappedRegion views, MappedRegion own);
  [[nodiscard]] std::byte* view_at(DeviceAddr address) const { return view_base_ + (address - base()).count(); }

  // For a destructor: slice and views outlive the backing.
  [[nodiscard]] ParkedSlice take_slice() { return {std::move(slice_), std::move(views_)}; }

 private:
  AddressSlice slice_;
  MappedRegion views_;
  MappedRegion own_;
  std::byte* view_base_;
  std::byte* own_base_;
};

// Whether the memory of one machine is parked for the next (recycled_backing.h).
enum class SliceUse : std::uint8_t { kOnce, kRecycled };

// Reserves a slice. The error names what the kernel refused and what limits it. kRecycled is what it says for `plain`
// memory in builds without AddressSanitizer, elsewhere it is kOnce, which gives back what is parked.
[[nodiscard]] tl::expected<std::unique_ptr<SliceBacking>, std::string> make_slice_backing(
    BackingKind kind, ViewAddress view_address, SliceUse use = SliceUse::kOnce);

}  // namespace svmsim
