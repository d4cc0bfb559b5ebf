// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/page_walk.h"

#include "sim/driver/span.h"

namespace svmsim {

Bytes p1_register_page(PageKind kind, Bytes device_page) {
  return kind == PageKind::kOrdinary ? device_page : times(2, kMiB);
}

PageWalk page_walk(Bytes length, PageKind kind, Bytes device_page, Bytes host_page) {
  const Bytes page = p1_register_page(kind, device_page);
  const std::uint64_t pages = units_of(length, page);
  return PageWalk{pages, units_of(Bytes(pages * page.count()), host_page)};
}

}  // namespace svmsim
