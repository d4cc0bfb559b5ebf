// SPDX-License-Identifier: Apache-2.0
// Looking at pointers that a program passed, which may point anywhere. Thread-safe.
#pragma once

#include <cstddef>
#include <cstring>

namespace svmsim {

// Copies `size` bytes, at most 256, from memory of this process; false, with `to` undefined, if not all of them can
// be read.
[[nodiscard]] bool read_bytes(void* to, const void* from, std::size_t size);

// True when `size` bytes, at most 256, at `pointer` can be written (and read). Leaves them as they are.
[[nodiscard]] bool is_writable(void* pointer, std::size_t size);

// For a writable `pointer` of any alignment.
template <typename T>
void put(void* pointer, const T& value) {
  std::memcpy(pointer, &value, sizeof value);
}

}  // namespace svmsim
