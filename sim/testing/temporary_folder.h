// SPDX-License-Identifier: Apache-2.0
// A new, empty folder for files of a test; removed with all that is in it when its owner goes. For tests only;
// thread-compatible.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace svmsim {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string folder = testing::TempDir() + "svmsim-test-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr) << folder;
    path_ = folder;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Of a file in it, which need not be there.
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace svmsim
