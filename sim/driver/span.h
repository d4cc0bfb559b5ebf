// SPDX-License-Identifier: Apache-2.0
// Ranges of device addresses and page arithmetic of the driver model. Value types, thread-compatible.
#pragma once

#include <cstdint>

#include "runtime/units.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

inline constexpr Bytes kKiB{std::uint64_t{1} << 10};
inline constexpr Bytes kMiB{std::uint64_t{1} << 20};
inline constexpr Bytes kGiB{std::uint64_t{1} << 30};
inline constexpr Bytes kTiB{std::uint64_t{1} << 40};

[[nodiscard]] constexpr Bytes times(std::uint64_t n, Bytes unit) { return Bytes(n * unit.count()); }

// Units that `size` takes, rounded up. `unit` is above 0.
[[nodiscard]] constexpr std::uint64_t units_of(Bytes size, Bytes unit) {
  return size.count() / unit.count() + (size.count() % unit.count() == 0 ? 0 : 1);
}
// Precondition: the rounded size fits 64 bits (every size here is below 2^48).
[[nodiscard]] constexpr Bytes round_up(Bytes size, Bytes unit) { return times(units_of(size, unit), unit); }
[[nodiscard]] constexpr DeviceAddr round_down(DeviceAddr address, Bytes unit) {
  return DeviceAddr(address.value() - address.value() % unit.count());
}
[[nodiscard]] constexpr DeviceAddr round_up(DeviceAddr address, Bytes unit) {
  return DeviceAddr(round_up(Bytes(address.value()), unit).count());
}
[[nodiscard]] constexpr bool is_multiple(DeviceAddr address, Bytes unit) { return address.value() % unit.count() == 0; }
[[nodiscard]] constexpr bool is_multiple(Bytes size, Bytes unit) { return size.count() % unit.count() == 0; }

// [base, base + size); never wraps.
struct Span {
  DeviceAddr base;
  Bytes size;
  [[nodiscard]] constexpr DeviceAddr end() const { return base + size; }
  [[nodiscard]] constexpr bool contains(DeviceAddr address) const { return base <= address && address < end(); }
  constexpr bool operator==(const Span&) const = default;
};

[[nodiscard]] constexpr Span span_between(DeviceAddr begin, DeviceAddr end) { return Span{begin, end - begin}; }

}  // namespace svmsim
