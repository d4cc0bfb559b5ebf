// SPDX-License-Identifier: Apache-2.0
#include "sim/output/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace svmsim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() : folder_(fs::temp_directory_path() / ("svmsim_output_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] long files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsUnderItsNameWhenItIsComplete) {
  auto file = OutputFile::create(path("a"));
  ASSERT_TRUE(file) << file.error();
  (*file)->write("one ");
  (*file)->write("two");
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_EQ((*file)->path(), path("a"));
  ASSERT_TRUE((*file)->finish());
  EXPECT_EQ(text_of(path("a")), "one two");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, UnfinishedOneLeavesWhatWasThere) {
  std::ofstream(path("a")) << "old";
  {
    auto file = OutputFile::create(path("a"));
    ASSERT_TRUE(file) << file.error();
    (*file)->write("new");
  }
  EXPECT_EQ(text_of(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, ALinkIsFollowedAndStays) {
  std::ofstream(path("a")) << "old";
  fs::create_symlink("a", path("link"));
  auto file = OutputFile::create(path("link"));
  ASSERT_TRUE(file) << file.error();
  (*file)->write("new");
  ASSERT_TRUE((*file)->finish());
  EXPECT_EQ(text_of(path("a")), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(OutputFileTest, ALinkToNothingStaysAndWhatItPointsToIsWritten) {
  fs::create_directories(path("below"));
  fs::create_symlink("below/b", path("link"));
  fs::create_symlink("link", path("first"));
  auto file = OutputFile::create(path("first"));
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ((*file)->path(), fs::canonical(folder_) / "below" / "b");
  (*file)->write("new");
  ASSERT_TRUE((*file)->finish());
  EXPECT_EQ(text_of(path("below/b")), "new");
  EXPECT_TRUE(fs::is_symlink(path("first")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(OutputFileTest, LinksThatPointToEachOtherAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_FALSE(OutputFile::create(path("a")));
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFileTest, IsAsReadableAsAnyNewFile) {
  const mode_t mask = umask(027);
  auto file = OutputFile::create(path("a"));
  ASSERT_TRUE(file) << file.error();
  ASSERT_TRUE((*file)->finish());
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(OutputFileTest, WhatIsNoRegularFileOrHasNoFolderIsRefused) {
  for (const std::string& wrong : {folder_.string(), path("no/such"), std::string(), std::string("/dev/null")}) {
    const auto file = OutputFile::create(wrong);
    ASSERT_FALSE(file) << wrong;
    EXPECT_FALSE(file.error().empty());
  }
  EXPECT_THAT(OutputFile::create("/dev/null").error(), HasSubstr("/dev/null is not a regular file"));
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFileTest, AFolderThatWentAwayShowsAtTheEnd) {
  auto file = OutputFile::create(path("a"));
  ASSERT_TRUE(file) << file.error();
  fs::remove_all(folder_);
  (*file)->write("text");
  const auto finished = (*file)->finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error(), HasSubstr("cannot name"));
}

}  // namespace
}  // namespace svmsim
