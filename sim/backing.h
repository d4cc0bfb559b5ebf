// SPDX-License-Identifier: Apache-2.0
// The bytes behind simulated device addresses, and what the host can touch of them. The driver model decides which
// pages exist and which are mapped; a backing carries that out. Thread-bound to its machine's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/units.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

// What the host may do through a mapping.
enum class HostAccess : std::uint8_t { kReadWrite, kReadOnly };

// Which implementation a machine uses (sim/memory/): bookkeeping only, or real mappings whose absence faults.
enum class BackingKind : std::uint8_t { kPlain, kMmu };
inline constexpr BackingKind kBackingKinds[] = {BackingKind::kPlain, BackingKind::kMmu};

// What users write and read: "plain" or "mmu".
[[nodiscard]] constexpr std::string_view backing_name(BackingKind kind) {
  return kind == BackingKind::kMmu ? "mmu" : "plain";
}
[[nodiscard]] constexpr std::optional<BackingKind> backing_from_name(std::string_view name) {
  for (const BackingKind kind : kBackingKinds) {
    if (name == backing_name(kind)) return kind;
  }
  return std::nullopt;
}

class Backing {
 public:
  Backing() = default;
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;
  virtual ~Backing() = default;

  // The simulator's own way to the bytes at a populated device address, never handed to a program.
  [[nodiscard]] virtual std::byte* bytes_at(DeviceAddr address) const = 0;
  // Pages get memory (zero-filled) / give it back.
  virtual void populate(DeviceAddr base, Bytes size) = 0;
  virtual void release(DeviceAddr base, Bytes size) = 0;
  // Makes [base, base + size), of which nothing is mapped, touchable by the host and returns where; and takes that
  // away again, from whatever part of one or several mappings.
  virtual void* map(DeviceAddr base, Bytes size, HostAccess access) = 0;
  virtual void unmap(DeviceAddr base, Bytes size) = 0;
};

}  // namespace svmsim
