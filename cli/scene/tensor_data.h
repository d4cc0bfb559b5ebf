// SPDX-License-Identifier: Apache-2.0
// Makes the first bytes of a tensor. The same seed, tensor name, shape and data give the same bytes on every
// little-endian machine; the scene and the other tensors play no part. Pure function, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cli/scene/scene.h"

namespace svmsim {

// Fills `to`, which is exactly tensor.bytes() long; aborts for another length. Leaves it untouched for kNone.
void fill_tensor(const SceneTensor& tensor, std::uint64_t seed, std::span<std::byte> to);

}  // namespace svmsim
