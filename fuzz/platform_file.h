// SPDX-License-Identifier: Apache-2.0
// A shipped platform, changed as scenarios change platforms, as a file for processes that take platforms from files.
// Thread-compatible.
#pragma once

#include <string>

#include "sim/platform.h"

namespace svmsim {

class PlatformFile {
 public:
  // With kScenarioHbm of device memory and `reuse`. Whoever loads it finds out when there is no such platform.
  PlatformFile(const std::string& name, AddressReuse reuse);
  PlatformFile(const PlatformFile&) = delete;
  PlatformFile& operator=(const PlatformFile&) = delete;
  ~PlatformFile();

  // For this process and those that it starts, as long as this lives: the file is in memory, and leaves nothing behind
  // when an input aborts.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace svmsim
