// SPDX-License-Identifier: Apache-2.0
// Plain memory for machines of which thousands come and go in a second: what a system call or a page fault costs is
// then most of what a machine costs. Blocks that are released are set to zero where they were touched and keep their
// pages, and the slice is parked for the next machine of the process, with its views if they lie elsewhere.
// Thread-bound to its machine's lock.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "sim/memory/slice_backing.h"

namespace svmsim {

class RecycledBacking final : public SliceBacking {
 public:
  // Takes the parked slice, or reserves one; the error is the one of reserve_slice, or names the limit that was hit.
  [[nodiscard]] static tl::expected<std::unique_ptr<RecycledBacking>, std::string> create(ViewAddress view_address);
  // Parks the slice. Precondition: every block is released.
  ~RecycledBacking() override;

  void populate(DeviceAddr base, Bytes size) override;
  void release(DeviceAddr base, Bytes size) override;
  void* map(DeviceAddr base, Bytes size, HostAccess access) override;
  void unmap(DeviceAddr base, Bytes size) override;

 private:
  explicit RecycledBacking(ParkedSlice parked);
};

}  // namespace svmsim
