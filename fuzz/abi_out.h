// SPDX-License-Identifier: Apache-2.0
// One out parameter of a call: the pointer that the call gets, and what became of the bytes behind it. Thread-bound.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fuzz/abi_arena.h"
#include "fuzz/abi_arguments.h"

namespace svmsim {

template <typename T>
class AbiOut {
 public:
  // `before`: what is there when the call comes.
  AbiOut(OutPlace place, const T& before) : place_(place) {
    std::memcpy(own(), &before, sizeof before);
    before_ = bytes_;
  }
  explicit AbiOut(OutPlace place) : AbiOut(place, pattern()) {}
  AbiOut(const AbiOut&) = delete;
  AbiOut& operator=(const AbiOut&) = delete;
  ~AbiOut() = default;

  [[nodiscard]] T* pointer() {
    switch (place_) {
      case OutPlace::kValid:
      case OutPlace::kOdd:
        return reinterpret_cast<T*>(own());
      case OutPlace::kConstant:
        return reinterpret_cast<T*>(abi_arena().constant);
      case OutPlace::kClosed:
        return reinterpret_cast<T*>(abi_arena().closed);
      case OutPlace::kHalfClosed:
        return reinterpret_cast<T*>(abi_arena().buffer + AbiArena::kSize - sizeof(T) / 2);
      case OutPlace::kNull:
        break;
    }
    return nullptr;
  }
  // Whether a call can write there; if not, it counts as null.
  [[nodiscard]] bool usable() const { return place_ == OutPlace::kValid || place_ == OutPlace::kOdd; }
  [[nodiscard]] bool untouched() const { return bytes_ == before_; }
  [[nodiscard]] T value() const {
    T value;
    std::memcpy(&value, own(), sizeof value);
    return value;
  }

 private:
  [[nodiscard]] static T pattern() {
    std::array<std::uint8_t, sizeof(T)> bytes;
    bytes.fill(0xa5);
    return std::bit_cast<T>(bytes);
  }
  [[nodiscard]] std::byte* own() { return bytes_.data() + (place_ == OutPlace::kOdd ? 1 : 0); }
  [[nodiscard]] const std::byte* own() const { return bytes_.data() + (place_ == OutPlace::kOdd ? 1 : 0); }

  const OutPlace place_;
  alignas(T) std::array<std::byte, sizeof(T) + 8> bytes_{};  // more than the parameter: none of it may change
  std::array<std::byte, sizeof(T) + 8> before_{};
};

}  // namespace svmsim
