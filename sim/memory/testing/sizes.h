// SPDX-License-Identifier: Apache-2.0
// Sizes that the tests of backings name. Test code only.
#pragma once

#include <cstdint>

#include "runtime/units.h"

namespace svmsim {

inline constexpr svmrt::Bytes kPage{4096};
inline constexpr svmrt::Bytes kSegment{std::uint64_t{2} << 20};

}  // namespace svmsim
