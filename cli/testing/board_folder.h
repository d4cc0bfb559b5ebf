// SPDX-License-Identifier: Apache-2.0
// A folder as `--lib` takes it, with a library of one's choice as the driver. For tests only.
#pragma once

#include <filesystem>
#include <string>

#include "cli/testing/scratch_folder.h"

namespace svmsim {

// A folder in which `library` is libascend_hal.so, with the ACL runtime of the drop-in beside it and what both need.
class BoardFolder {
 public:
  explicit BoardFolder(const std::string& library) {
    std::filesystem::create_symlink(library, folder_ / "libascend_hal.so");
    for (const std::string name : {"libascendcl.so", "libsvmsim_process.so"}) {
      std::filesystem::create_symlink(SVMSIM_DROPIN_DIR "/" + name, folder_ / name);
    }
  }
  [[nodiscard]] std::string path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

}  // namespace svmsim
