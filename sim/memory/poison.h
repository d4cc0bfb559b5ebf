// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer which bytes the host must not touch. One file answers for sanitizer builds, one (doing
// nothing) for the others.
#pragma once

#include <cstddef>

namespace svmsim {

// True when poison() has an effect. Then the simulator's own accesses need another address for the same bytes.
[[nodiscard]] bool poison_is_active();
void poison(const std::byte* begin, std::size_t size);
void unpoison(const std::byte* begin, std::size_t size);
// True when a touch of this byte would be reported; always false in builds without AddressSanitizer.
[[nodiscard]] bool is_poisoned(const std::byte* byte);

}  // namespace svmsim
