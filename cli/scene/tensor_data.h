// SPDX-License-Identifier: Apache-2.0
// Makes the first bytes of a tensor. The same seed, tensor name, shape and data give the same bytes on every
// little-endian machine; the scene and the other tensors play no part. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "cli/scene/scene.h"

namespace svmsim {

// Fills `to`, which is exactly tensor.bytes() long; aborts for another length. Leaves it untouched for kNone. The error
// is of a file of data: it names the file and the reason.
[[nodiscard]] tl::expected<void, std::string> fill_tensor(const SceneTensor& tensor, std::uint64_t seed,
                                                          std::span<std::byte> to);

}  // namespace svmsim
