// SPDX-License-Identifier: Apache-2.0
// The scripts of fixtures/conformance and the platforms that they were written for. For tests only; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "sim/conformance/script.h"

namespace svmsim {

// Without folder and extension; a new file must be added to the list.
[[nodiscard]] const std::vector<std::string>& shipped_script_names();
// Fails the running test when the file does not load.
[[nodiscard]] ConformanceScript shipped_script(const std::string& name);
// All of them, loaded once.
[[nodiscard]] const std::vector<ConformanceScript>& shipped_scripts();
// The platform that meets a script's needs. `name`, `description` and `calibration` are filled in too.
[[nodiscard]] Platform platform_for(const ConformanceScript& script);
// The same as the text of a platform file.
[[nodiscard]] std::string platform_file_text(const Platform& platform);

}  // namespace svmsim
