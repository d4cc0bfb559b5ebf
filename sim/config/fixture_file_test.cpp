// SPDX-License-Identifier: Apache-2.0
#include "sim/config/fixture_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace svmsim {
namespace {

TEST(FixtureFile, SlashOrEndingMakesAPath) {
  EXPECT_TRUE(names_a_path("./a2a3"));
  EXPECT_TRUE(names_a_path("a2a3.toml"));
  EXPECT_FALSE(names_a_path("a2a3"));
  EXPECT_FALSE(names_a_path("toml"));
}

TEST(FixtureFile, LiesInTheFolderOfItsKind) {
  EXPECT_EQ(fixture_file("/fixtures", "platforms", "a5"), "/fixtures/platforms/a5.toml");
}

TEST(FixtureFile, NamesAreThoseOfTomlFilesSorted) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "svmsim-fixture-file-test";
  fs::create_directories(folder / "platforms");
  for (const char* const name : {"b.toml", "a.toml", "c.txt"}) std::ofstream(folder / "platforms" / name) << "\n";
  const auto names = fixture_names_in(folder.string(), "platforms");
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(allowed_fixtures(*names), "a, b, or the path of a .toml file");
  const auto missing = fixture_names_in(folder.string(), "scenes");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), "No such file or directory");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace svmsim
