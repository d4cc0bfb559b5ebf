// SPDX-License-Identifier: Apache-2.0
// Reads a [[tensor]] of a scene file. Thread-compatible.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "cli/scene/scene.h"

namespace svmsim {

// No tensor is called so: in a scene file it stands for every tensor.
inline constexpr std::string_view kEveryTensor = "all";

// `names` collects the names of the tensors; a file of data is looked for in `folder`.
[[nodiscard]] SceneTensor read_tensor(ConfigTable& table, std::set<std::string>& names,
                                      const std::filesystem::path& folder);

}  // namespace svmsim
