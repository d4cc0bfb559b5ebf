// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/poison.h"

namespace svmsim {

bool poison_is_active() { return false; }
void poison(const std::byte* /*begin*/, std::size_t /*size*/) {}
void unpoison(const std::byte* /*begin*/, std::size_t /*size*/) {}
bool is_poisoned(const std::byte* /*byte*/) { return false; }

}  // namespace svmsim
