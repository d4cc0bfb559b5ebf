// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

namespace svmsim {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsNewAndEmptyAndGoesWithWhatIsInIt) {
  std::optional<TemporaryFolder> folder(std::in_place);
  const fs::path path = folder->path();
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_TRUE(fs::is_empty(path));
  EXPECT_NE(path, TemporaryFolder().path());
  std::ofstream(folder->file("a")) << "text";
  fs::create_directories(path / "b" / "c");
  EXPECT_TRUE(fs::exists(path / "a"));
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace svmsim
