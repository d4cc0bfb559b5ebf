// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_arguments.h"

#include <algorithm>
#include <iterator>

#include "fuzz/abi_arena.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = kKi * kKi;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

// Boundaries of pages, of the rules for segments and caches, and beyond all memory.
constexpr std::uint64_t kSizes[] = {2 * kMi,
                                    0,
                                    1,
                                    31,
                                    32,
                                    4 * kKi - 1,
                                    4 * kKi,
                                    4 * kKi + 1,
                                    64 * kKi,
                                    128 * kKi,
                                    kMi - 32,
                                    kMi - 31,
                                    kMi,
                                    kMi + 1,
                                    1640 * kKi,
                                    1740 * kKi,
                                    2 * kMi + 1,
                                    4 * kMi,
                                    18 * kMi,
                                    18 * kMi + 1,
                                    20 * kMi,
                                    36 * kMi,
                                    38 * kMi,
                                    512 * kMi,
                                    514 * kMi,
                                    1024 * kMi,
                                    kMi* kMi,
                                    8 * kMi* kMi,
                                    208 * kMi* kMi,
                                    std::uint64_t{1} << 63,
                                    kMost - 4095,
                                    kMost - 31,
                                    kMost};
constexpr std::uint64_t kMostCopied = 128 * kKi;

constexpr std::uint64_t kHugeBlock = 0x2100000000924400;  // what aclrtMalloc passes
constexpr std::uint64_t kOrdinaryBlock = 0x2100000000904400;

std::uint64_t moved(const Handle& handle, std::uint8_t how) {
  switch (how % 9) {
    case 0:
      return handle.address + handle.size;
    case 1:
      return handle.address + 1;
    case 2:
      return handle.address + 32;
    case 3:
      return handle.address + 4 * kKi;
    case 4:
      return handle.address + 64 * kKi;
    case 5:
      return handle.address + 2 * kMi;
    case 6:
      return handle.address + handle.size / 2;
    case 7:
      return handle.address + handle.size - 1;
    default:
      return handle.address - 1;
  }
}

std::uint64_t arena_address(std::uint8_t which) {
  constexpr std::uint64_t kOffsets[] = {0,
                                        4 * kKi,
                                        64 * kKi,
                                        1,
                                        8,
                                        60 * kKi,
                                        AbiArena::kSize - 4 * kKi,
                                        AbiArena::kSize - 1,
                                        AbiArena::kSize - 4,
                                        AbiArena::kSize};
  return abi_arena().buffer + kOffsets[which % std::size(kOffsets)];
}

}  // namespace

AbiArguments::Place AbiArguments::usual_place(Usual usual, std::uint8_t which) const {
  if (usual == Usual::kArena) return {arena_address(which), false, {}};
  const auto kind = usual == Usual::kBlock ? HandleKind::kBlock : HandleKind::kHostBlock;
  const auto handle = books_.latest(kind, which);
  return handle ? Place{handle->address, true, *handle} : Place{};
}

AbiArguments::Place AbiArguments::place(Usual usual) const {
  const auto [kind, which] = call_.arguments.at(drawn_);
  const std::uint8_t choice = kind % 32;
  if (choice < 8) return usual_place(usual, which);
  if (choice < 20) {
    // Exact, or one of eight and moved.
    const bool exact = choice < 14;
    const auto handle = books_.latest(exact ? which : static_cast<std::uint8_t>(which % 8));
    if (!handle) return {};
    return {exact ? handle->address : moved(*handle, static_cast<std::uint8_t>(which / 8)), true, *handle};
  }
  switch (choice) {
    case 20:
    case 21:
    case 22:
      return {arena_address(which), false, {}};
    case 23:
      return {abi_arena().constant, false, {}};
    case 24:
      return {abi_arena().closed + which, false, {}};
    case 25:
    case 26:
      return {kWildAddresses[which % std::size(kWildAddresses)], false, {}};
    case 27:
      return {slice_ + which * (4 * kKi), false, {}};
    case 28:
      return {slice_ + which * (2 * kMi), false, {}};
    case 29:
      return {slice_ + which * kMi * kMi / 256, false, {}};
    default:
      return {};
  }
}

void* AbiArguments::address(Usual usual) { return reinterpret_cast<void*>(note(place(usual).address)); }

Destination AbiArguments::destination(Usual usual) {
  const Place found = place(usual);
  Destination safe{reinterpret_cast<void*>(found.address)};
  if (found.of_handle && found.handle.kind == HandleKind::kBlock) {
    if (found.address < slice_) safe = {};
  } else if (found.of_handle) {
    const std::uint64_t offset = found.address - found.handle.address;
    const bool lives =
        found.handle.kind == HandleKind::kView ||
        (found.handle.kind == HandleKind::kHostBlock && !at_once_ && books_.is_host_block(found.handle.address));
    const std::uint64_t room = std::min(found.handle.size - offset, kMostCopied);
    safe = lives && offset < found.handle.size ? Destination{safe.address, room} : Destination{};
  }
  note(reinterpret_cast<std::uint64_t>(safe.address));
  return safe;
}

OutPlace AbiArguments::out() {
  constexpr OutPlace kRare[] = {OutPlace::kOdd, OutPlace::kNull, OutPlace::kConstant, OutPlace::kClosed,
                                OutPlace::kHalfClosed};
  const auto [kind, which] = next();
  return note(kind % 32 < 22 ? OutPlace::kValid : kRare[which % std::size(kRare)]);
}

std::uint64_t AbiArguments::size() {
  const auto [kind, which] = next();
  const std::uint8_t choice = kind % 32;
  if (choice < 20) return note(kSizes[which % std::size(kSizes)]);
  if (choice < 24) {
    // Of a block, so that it fits, or a little off.
    const auto handle = books_.latest(static_cast<std::uint8_t>(which % 4));
    return note((handle ? handle->size : 0) + which / 4 % 3 - 1);
  }
  if (choice < 28) return note(std::uint64_t{which});
  return note(which * (4 * kKi));
}

std::uint64_t AbiArguments::count() {
  const std::uint64_t asked = size();
  const std::uint64_t bounded = asked > kMostCopied && asked < kMi * kMi ? kMostCopied : asked;
  values_.at(drawn_ - 1) = bounded;
  return bounded;
}

std::int32_t AbiArguments::device_id() {
  constexpr std::int32_t kIds[] = {0, 1, 5, 2, -1, 64, 65, 66, 0x7fffffff, -0x7fffffff - 1};
  const auto [kind, which] = next();
  return note(kind % 32 < 12 ? 0 : kIds[which % std::size(kIds)]);
}

std::uint64_t AbiArguments::alloc_flag() {
  const auto [kind, which] = next();
  const std::uint8_t choice = kind % 32;
  if (choice < 10) return note(which % 2 == 0 ? kHugeBlock : kOrdinaryBlock);
  const std::uint64_t one_bit = std::uint64_t{1} << (which % 64);
  if (choice < 16) return note(kOrdinaryBlock ^ one_bit);
  if (choice < 20) return note(kHugeBlock ^ one_bit);
  if (choice < 23) return note((kHugeBlock & ~std::uint64_t{0x3ff}) | which);  // device ids
  if (choice < 26) return note((kOrdinaryBlock & ~std::uint64_t{0x3c00}) | std::uint64_t{which % 16u} << 10);  // sides
  if (choice < 29) return note(which * std::uint64_t{0x0123456789abcdef});
  return note(std::uint64_t{which});
}

std::uint32_t AbiArguments::register_flag() {
  // Types, process types, the bits that v2 does not read, read-only.
  constexpr std::uint32_t kFlags[] = {2,       0,        1,          3,          4,          5,
                                      6,       7,        0xffff,     0x10002,    0x50002,    0x60002,
                                      0x10000, 0x400002, 0x10000002, 0x10000003, 0x10000006, 0x10000000};
  const auto [kind, which] = next();
  if (kind % 32 < 26) return note(kFlags[which % std::size(kFlags)]);
  return note(which * 0x01010101u);
}

std::uint32_t AbiArguments::number(std::uint32_t usual) {
  const auto [kind, which] = next();
  const std::uint8_t choice = kind % 32;
  if (choice < 12) return note(which == 0 ? usual : which % 9u);
  if (choice < 22) return note(std::uint32_t{which});
  if (choice < 26) return note(std::uint32_t{1} << (which % 32));
  return note(which % 2 == 0 ? 0xffffffffu - which : 0x80000000u + which);
}

}  // namespace svmsim
