// SPDX-License-Identifier: Apache-2.0
// Draws the arguments of one call by their kinds: what earlier calls returned (exact, inside, behind, freed), null,
// memory of the arena, numbers that are nobody's address, sizes, ids, flags. Never an address that a call could write
// to and that is neither device memory nor meant for it. Thread-bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fuzz/abi_books.h"
#include "fuzz/abi_bytes.h"

namespace svmsim {

// What an out parameter points to.
enum class OutPlace : std::uint8_t { kValid, kOdd, kNull, kConstant, kClosed, kHalfClosed };

// What is the most ordinary address for a parameter.
enum class Usual : std::uint8_t { kBlock, kArena, kHostBlock };

// Where a call writes to, and how many bytes there are to write.
struct Destination {
  void* address = nullptr;
  std::uint64_t room = ~std::uint64_t{0};
};

class AbiArguments {
 public:
  // Borrows all three for its life. `slice`: where device memory begins. `at_once`: other threads call meanwhile.
  AbiArguments(const AbiCall& call, const AbiBooks& books, std::uint64_t slice, bool at_once)
      : call_(call), books_(books), slice_(slice), at_once_(at_once) {}

  [[nodiscard]] void* address(Usual usual);
  // For a copy: memory of malloc_host only while it lives, and a view only as far as it goes.
  [[nodiscard]] Destination destination(Usual usual);
  [[nodiscard]] OutPlace out();
  // Of an allocation or a registration.
  [[nodiscard]] std::uint64_t size();
  // Of a copy: short, or far more than anything has; nothing between, which would only take long.
  [[nodiscard]] std::uint64_t count();
  [[nodiscard]] std::int32_t device_id();
  [[nodiscard]] std::uint64_t alloc_flag();
  [[nodiscard]] std::uint32_t register_flag();
  // 0 to 8, then anything. `usual` for two zeros.
  [[nodiscard]] std::uint32_t number(std::uint32_t usual);

  // What the next argument is drawn from.
  [[nodiscard]] ArgumentBytes next() const { return call_.arguments.at(drawn_); }
  // For messages: the values in their order.
  [[nodiscard]] const std::array<std::uint64_t, kMostArguments>& values() const { return values_; }
  [[nodiscard]] std::size_t drawn() const { return drawn_; }

 private:
  struct Place {
    std::uint64_t address = 0;
    bool of_handle = false;
    Handle handle;
  };

  template <typename T>
  T note(T value) {
    values_.at(drawn_++) = static_cast<std::uint64_t>(value);
    return value;
  }
  [[nodiscard]] Place place(Usual usual) const;
  [[nodiscard]] Place usual_place(Usual usual, std::uint8_t which) const;

  const AbiCall& call_;
  const AbiBooks& books_;
  const std::uint64_t slice_;
  const bool at_once_;
  std::array<std::uint64_t, kMostArguments> values_{};
  std::size_t drawn_ = 0;
};

}  // namespace svmsim
