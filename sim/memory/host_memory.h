// SPDX-License-Identifier: Apache-2.0
// The port to bytes of the host process that a caller names: copies into and out of device memory read and write
// through it. Implementations hold no state; thread-safe.
#pragma once

#include <cstdint>

#include "runtime/units.h"

namespace svmsim {

class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  virtual ~HostMemory() = default;

  // Copies `size` bytes from `host` to `to`, or from `from` to `host`; `to` and `from` are valid. False when the
  // process may not read or write some byte at `host`: then nothing or a first part of it was copied.
  [[nodiscard]] virtual bool load(void* to, const void* host, svmrt::Bytes size) const = 0;
  [[nodiscard]] virtual bool store(void* host, const void* from, svmrt::Bytes size) const = 0;
  // Whether every page of [host, host + size) is there, whatever may be done to it: what a driver that pins host memory
  // finds out. False when the range wraps.
  [[nodiscard]] virtual bool exists(const void* host, svmrt::Bytes size) const = 0;
};

// memcpy: for callers whose addresses are known to be good. A bad one ends the process, and every page exists.
class DirectHostMemory final : public HostMemory {
 public:
  [[nodiscard]] bool load(void* to, const void* host, svmrt::Bytes size) const override;
  [[nodiscard]] bool store(void* host, const void* from, svmrt::Bytes size) const override;
  [[nodiscard]] bool exists(const void* host, svmrt::Bytes size) const override;
};
// One that lives as long as the process.
[[nodiscard]] const HostMemory& direct_host_memory();

// The kernel copies (process_vm_readv and process_vm_writev on the own process) and tells a bad address. Where it
// forbids these calls, as some containers do, memcpy does it and a bad address ends the process.
class CheckedHostMemory final : public HostMemory {
 public:
  [[nodiscard]] bool load(void* to, const void* host, svmrt::Bytes size) const override;
  [[nodiscard]] bool store(void* host, const void* from, svmrt::Bytes size) const override;
  [[nodiscard]] bool exists(const void* host, svmrt::Bytes size) const override;
};

// Host to host; both addresses are checked as `memory` does. The ranges must not overlap. False as above.
[[nodiscard]] bool copy_host(const HostMemory& memory, void* to, const void* from, svmrt::Bytes size);
// Stores `value` into every byte. False as above.
[[nodiscard]] bool fill_host(const HostMemory& memory, void* to, std::uint8_t value, svmrt::Bytes size);

}  // namespace svmsim
