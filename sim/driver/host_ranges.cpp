// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/host_ranges.h"

#include <iterator>

namespace svmsim {
namespace {

// Assumption: the start of v2's SVM range, up to its first device block (P1), on v3 too. Nothing lies there.
constexpr Span kWindows{DeviceAddr(0x100000000000), Bytes(0x2c000000000)};

RegisterOutcome seen_at(DeviceAddr device, PageWalk walk) {
  return {DriverCode::kNone, reinterpret_cast<void*>(device.value()), walk};
}

}  // namespace

HostRanges::HostRanges(Bytes host_page, bool lenient) : host_page_(host_page), lenient_(lenient), windows_(kWindows) {}

RegisterOutcome HostRanges::add(const Request& request, DriverCode overlap) {
  const DeviceAddr start = round_down(request.source, host_page_);
  const Span pages = span_between(start, round_up(request.source + request.size, host_page_));
  if (lenient_) {
    const auto known = ranges_.find(request.source);
    if (known != ranges_.end()) return seen_at(known->second.device, {});
  } else if (overlaps(pages)) {
    return {overlap, nullptr, {}};
  }
  const auto window = windows_.take_first_fit(pages.size, host_page_);
  if (!window) return {DriverCode::kOutOfMemory, nullptr, {}};
  const DeviceAddr device = *window + (request.source - start);
  ranges_.emplace(request.source, HostRange{pages, device, request.type, request.device_id, request.recorded});
  return seen_at(device, walk(pages));
}

const HostRange* HostRanges::find(DeviceAddr source, std::uint32_t device_id) const {
  const auto range = ranges_.find(source);
  return range != ranges_.end() && range->second.device_id == device_id ? &range->second : nullptr;
}

PageWalk HostRanges::remove(DeviceAddr source) {
  const auto range = ranges_.find(source);
  const Span pages = range->second.pages;
  windows_.give_back(Span{round_down(range->second.device, host_page_), pages.size});
  ranges_.erase(range);
  return walk(pages);
}

void HostRanges::clear() {
  ranges_.clear();
  windows_ = AddressRanges(kWindows);
}

// Ranges do not overlap each other, so the last one that starts before the end decides.
bool HostRanges::overlaps(Span pages) const {
  const auto next = ranges_.lower_bound(pages.end());
  return next != ranges_.begin() && pages.base < std::prev(next)->second.pages.end();
}

}  // namespace svmsim
