// SPDX-License-Identifier: Apache-2.0
// Unit types: bytes, simulated or measured time, device addresses. Each converts to a plain integer only by
// name (`count()`, `value()`), so that a device address never becomes a pointer by accident. Value types,
// thread-compatible.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdlib>

namespace svmrt {

// A number of bytes. Addition wraps never in practice (sizes are below 2^48); subtraction aborts below zero.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  constexpr auto operator<=>(const Bytes&) const = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }
  friend constexpr Bytes operator-(Bytes a, Bytes b) {
    if (b.count_ > a.count_) std::abort();
    return Bytes(a.count_ - b.count_);
  }
  constexpr Bytes& operator+=(Bytes other) { return *this = *this + other; }
  constexpr Bytes& operator-=(Bytes other) { return *this = *this - other; }

 private:
  std::uint64_t count_ = 0;
};

// A point in, or a span of, time in integer picoseconds. 2^64 ps are 213 days. Subtraction aborts below zero.
class Picoseconds {
 public:
  constexpr Picoseconds() = default;
  constexpr explicit Picoseconds(std::uint64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  constexpr auto operator<=>(const Picoseconds&) const = default;
  friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) { return Picoseconds(a.count_ + b.count_); }
  friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) {
    if (b.count_ > a.count_) std::abort();
    return Picoseconds(a.count_ - b.count_);
  }
  friend constexpr Picoseconds operator*(Picoseconds a, std::uint64_t n) { return Picoseconds(a.count_ * n); }
  constexpr Picoseconds& operator+=(Picoseconds other) { return *this = *this + other; }

 private:
  std::uint64_t count_ = 0;
};

// An address in device memory. Zero is "none". It is never a pointer of the host.
class DeviceAddr {
 public:
  constexpr DeviceAddr() = default;
  constexpr explicit DeviceAddr(std::uint64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  [[nodiscard]] constexpr bool is_null() const { return value_ == 0; }
  constexpr auto operator<=>(const DeviceAddr&) const = default;
  friend constexpr DeviceAddr operator+(DeviceAddr a, Bytes b) { return DeviceAddr(a.value_ + b.count()); }
  friend constexpr Bytes operator-(DeviceAddr a, DeviceAddr b) {
    if (b.value_ > a.value_) std::abort();
    return Bytes(a.value_ - b.value_);
  }

 private:
  std::uint64_t value_ = 0;
};

// True when [start, start + length) lies inside [base, base + size); false when start + length overflows.
[[nodiscard]] constexpr bool span_inside(DeviceAddr start, Bytes length, DeviceAddr base, Bytes size) {
  if (start < base) return false;
  const std::uint64_t offset = start.value() - base.value();
  return offset <= size.count() && length.count() <= size.count() - offset;
}

}  // namespace svmrt
