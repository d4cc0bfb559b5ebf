// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/out_pointer.h"

#include "sim/memory/host_memory.h"

namespace svmsim {

namespace {

constexpr std::size_t kMost = 256;

}  // namespace

bool read_bytes(void* to, const void* from, std::size_t size) {
  return from != nullptr && size <= kMost && CheckedHostMemory().load(to, from, svmrt::Bytes(size));
}

bool is_writable(void* pointer, std::size_t size) {
  std::byte bytes[kMost];
  return read_bytes(bytes, pointer, size) && CheckedHostMemory().store(pointer, bytes, svmrt::Bytes(size));
}

}  // namespace svmsim
