// SPDX-License-Identifier: Apache-2.0
// Operations of the property tests' alphabet read as calls of the driver's C interface, for comparing two drivers
// without a runner between: any argument may be wrong. A slot is the address that its last allocation got, or null.
// Value types and a pure reader, thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "property_tests/operation.h"

namespace svmsim {

enum class DriverCallKind : std::uint8_t {
  kAlloc,          // halMemAlloc of size and flag, into the slot
  kFree,           // halMemFree
  kRegister,       // halHostRegister
  kUnregister,     // halHostUnregister
  kUnregisterEx,   // halHostUnregisterEx
  kFeature,        // halSupportFeature(device, flag)
  kMemCtl,         // halMemCtl(flag) with every mask bit and the device
  kDevicePointer,  // halMemHostGetDevPointer
  kOpenDevice,     // what the ACL runtime does to the driver when a program sets its device
  kReopenDevice,   // closed and opened again, in the same process
  // Of the ACL layer, on an open device.
  kAclAlloc,
  kAclFree,
  kCopyToDevice,
  kCopyFromDevice,
  kSetMemory,
};

inline constexpr std::uint8_t kScratchSlot = kSlots;  // of a block that is allocated and freed in one operation

struct DriverCall {
  DriverCallKind kind = DriverCallKind::kAlloc;
  std::uint8_t slot = 0;  // the address is that of the slot plus `offset`, modulo 2^64
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t flag = 0;
  std::uint32_t device = 0;
  std::uint8_t value = 0;
};
// "halHostRegister slot 0, offset 0, size 4096, flag 0x2, device 0".
[[nodiscard]] std::string call_text(const DriverCall& call);

class CallReader {
 public:
  // `acl`: with calls of the ACL layer. Without, its allocations and frees are the driver's and copies are left out.
  explicit CallReader(bool acl) : acl_(acl) {}

  // No call where an allocation would be forgotten, or where what is answered could depend on what else the process
  // has at an address: host memory is registered by no call, and copied from and to buffers of the caller only.
  [[nodiscard]] std::vector<DriverCall> read(const Operation& operation);
  // What a call answered: which slots are live follows from it.
  void note(const DriverCall& call, std::int32_t code);

 private:
  struct Slot {
    bool live = false;
    bool ever = false;
    std::uint64_t size = 0;
  };
  [[nodiscard]] bool in_device_memory(const Operation& operation) const;
  [[nodiscard]] std::vector<DriverCall> allocation(const Operation& operation) const;
  [[nodiscard]] std::vector<DriverCall> registration(const Operation& operation) const;

  const bool acl_;
  bool open_ = false;
  std::array<Slot, kSlots + 1> slots_;
};

}  // namespace svmsim
