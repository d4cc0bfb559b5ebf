// SPDX-License-Identifier: Apache-2.0
#include <sanitizer/asan_interface.h>

#include "sim/memory/poison.h"

namespace svmsim {

bool poison_is_active() { return true; }
void poison(const std::byte* begin, std::size_t size) { __asan_poison_memory_region(begin, size); }
void unpoison(const std::byte* begin, std::size_t size) { __asan_unpoison_memory_region(begin, size); }
bool is_poisoned(const std::byte* byte) { return __asan_address_is_poisoned(byte) != 0; }

}  // namespace svmsim
