// SPDX-License-Identifier: Apache-2.0
// Which pages a mapping walks: what the driver covers and the cost model prices. Pure functions, thread-safe.
#pragma once

#include "sim/driver/hal_driver.h"

namespace svmsim {

// P1: what an address must be a multiple of, and a size is rounded to, when memory of this kind is registered: the
// device page for ordinary memory, 2 MiB for huge and giant memory.
[[nodiscard]] Bytes p1_register_page(PageKind kind, Bytes device_page);

// The pages that mapping `length` bytes from the start of a page walks. The length rounds up to whole pages of the
// block; `device_page` and `host_page` are powers of two. Length 0 walks nothing.
[[nodiscard]] PageWalk page_walk(Bytes length, PageKind kind, Bytes device_page, Bytes host_page);

}  // namespace svmsim
