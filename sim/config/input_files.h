// SPDX-License-Identifier: Apache-2.0
// Which files this process has read, so that no output replaces one of them, under whatever name. Functions of the file
// system, thread-safe.
#pragma once

#include <string>

namespace svmsim {

// read_text_file() notes what it reads; whoever reads in another way, or will only later, says so.
void note_input_file(const std::string& path);
// Also through a link. False for what is not there (any more).
[[nodiscard]] bool is_input_file(const std::string& path);

}  // namespace svmsim
