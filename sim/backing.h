// SPDX-License-Identifier: Apache-2.0
// The bytes behind simulated device addresses, and what the host can touch of them. The driver model decides which
// pages exist and which are mapped; a backing carries that out. Thread-bound to its machine's lock.
#pragma once

#include <cstddef>

#include "runtime/units.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

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
  // Makes [base, base + size) touchable by the host and returns where; and takes that away again.
  virtual void* map(DeviceAddr base, Bytes size) = 0;
  virtual void unmap(DeviceAddr base, Bytes size) = 0;
};

}  // namespace svmsim
