// SPDX-License-Identifier: Apache-2.0
// A backing that owns the slice of device address space of one machine. Thread-bound to its machine's lock.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "sim/backing.h"

namespace svmsim {

// Where the host sees mapped memory: at its device address, or anywhere but there.
enum class ViewAddress : std::uint8_t { kIdentity, kElsewhere };

class SliceBacking : public Backing {
 public:
  [[nodiscard]] virtual DeviceAddr base() const = 0;
  [[nodiscard]] virtual Bytes size() const = 0;
  // Host address of the view of base(); the view of every other address lies at the same distance from it.
  [[nodiscard]] virtual const std::byte* view_base() const = 0;
};

// Reserves a slice. The error names what the kernel refused and what limits it.
[[nodiscard]] tl::expected<std::unique_ptr<SliceBacking>, std::string> make_slice_backing(BackingKind kind,
                                                                                          ViewAddress view_address);

}  // namespace svmsim
