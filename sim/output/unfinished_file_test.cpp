// SPDX-License-Identifier: Apache-2.0
#include "sim/output/unfinished_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace svmsim {
namespace {

namespace fs = std::filesystem;

// The parameter: with a name of its own, or without one, as OutputFile has it where the file system can.
class UnfinishedFileTest : public ::testing::TestWithParam<bool> {
 protected:
  UnfinishedFileTest() : folder_(fs::temp_directory_path() / ("svmsim_unfinished_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~UnfinishedFileTest() override { fs::remove_all(folder_); }
  void SetUp() override {
    if (GetParam()) return;
    const int descriptor = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (descriptor < 0) GTEST_SKIP() << "no files without a name in " << folder_;
    ::close(descriptor);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] UnfinishedFile with(const std::string& text) const {
    UnfinishedFile file = GetParam() ? UnfinishedFile::beside(path("a")) : UnfinishedFile::without_name(path("a"));
    EXPECT_NE(file.stream(), nullptr);
    if (file.stream() != nullptr) std::fputs(text.c_str(), file.stream());
    if (file.stream() != nullptr) std::fflush(file.stream());
    return file;
  }
  [[nodiscard]] long files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_P(UnfinishedFileTest, GetsItsName) {
  UnfinishedFile file = with("new");
  EXPECT_EQ(files(), GetParam() ? 1 : 0);
  EXPECT_TRUE(file.give_name(path("a")));
  file = {};
  EXPECT_EQ(text_of("a"), "new");
  EXPECT_EQ(files(), 1);
}

TEST_P(UnfinishedFileTest, ReplacesWhatIsThereAndNothingElse) {
  for (const char* name : {"a", "a.0", "a.1"}) std::ofstream(path(name)) << "old";
  UnfinishedFile file = with("new");
  EXPECT_TRUE(file.give_name(path("a")));
  file = {};
  EXPECT_EQ(text_of("a"), "new");
  EXPECT_EQ(text_of("a.0"), "old");
  EXPECT_EQ(text_of("a.1"), "old");
  EXPECT_EQ(files(), 3);
}

TEST_P(UnfinishedFileTest, IsGoneWithTheObject) {
  { const UnfinishedFile file = with("new"); }
  EXPECT_EQ(files(), 0);
}

TEST_P(UnfinishedFileTest, AFolderIsNotReplaced) {
  fs::create_directories(path("a"));
  UnfinishedFile file = with("new");
  EXPECT_FALSE(file.give_name(path("a")));
  file = {};
  EXPECT_TRUE(fs::is_directory(path("a")));
  EXPECT_EQ(files(), 1);
}

TEST_P(UnfinishedFileTest, WithoutItsFolderThereIsNone) {
  EXPECT_EQ(UnfinishedFile::beside(path("no/such")).stream(), nullptr);
  EXPECT_EQ(UnfinishedFile::without_name(path("no/such")).stream(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Kinds, UnfinishedFileTest, ::testing::Values(false, true));

}  // namespace
}  // namespace svmsim
