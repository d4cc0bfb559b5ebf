// SPDX-License-Identifier: Apache-2.0
#include "onboard/driver_version.h"

#include <algorithm>
#include <array>

#include "onboard/driver_library.h"
#include "runtime/driver_functions.h"

namespace svmsim {

std::optional<std::string> driver_version(const std::string& dsmi_library, std::int32_t device) {
  DriverLibrary library(dsmi_library);
  DriverFunction<svmrt::DsmiGetVersion> get_version(library, "dsmi_get_version");
  if (!get_version.get()) return std::nullopt;
  std::array<char, 256> text{};
  std::uint32_t written = 0;
  if ((*get_version.get())(device, text.data(), static_cast<std::uint32_t>(text.size()), &written) != 0) {
    return std::nullopt;
  }
  // Whatever `written` says, a text ends with its zero.
  std::string version(text.begin(), std::find(text.begin(), text.end(), '\0'));
  if (version.empty()) return std::nullopt;
  return version;
}

}  // namespace svmsim
