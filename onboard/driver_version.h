// SPDX-License-Identifier: Apache-2.0
// Which driver a board has, as its management library says. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace svmsim {

// What dsmi_get_version of the library says, which is loaded as dlopen takes it and stays loaded; nothing where the
// library, the function or an answer is not there. `device`: the driver's id. Any bytes but zeros.
[[nodiscard]] std::optional<std::string> driver_version(const std::string& dsmi_library, std::int32_t device);

}  // namespace svmsim
