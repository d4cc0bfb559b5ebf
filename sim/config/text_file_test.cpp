// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace svmsim {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

class TextFile : public ::testing::Test {
 protected:
  TextFile() : path_(testing::TempDir() + "text_file_test_" + std::to_string(getpid())) {}
  ~TextFile() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(TextFile, EveryByteIsReadUpToTheLimit) {
  const std::string text = std::string("a\0\n\r\xff", 5) + std::string(kMib - 5, 'x');
  std::ofstream(path_, std::ios::binary) << text;
  EXPECT_EQ(read_text_file(path_, "CSV file", kMib).value(), text);
  std::ofstream(path_, std::ios::binary | std::ios::app) << 'y';
  const auto larger = read_text_file(path_, "CSV file", kMib);
  ASSERT_FALSE(larger.has_value());
  EXPECT_EQ(larger.error().found, "a file of 1048577 bytes");
  EXPECT_EQ(larger.error().allowed, "a readable CSV file of at most 1 MiB");
}

TEST_F(TextFile, NothingButARegularFileIsOpened) {
  EXPECT_EQ(read_text_file(path_, "CSV file", kMib).error().found, "no such file");
  EXPECT_EQ(read_text_file(testing::TempDir(), "CSV file", kMib).error().found, "a directory");
  EXPECT_EQ(read_text_file("/dev/null", "CSV file", kMib).error().found, "a special file");
}

}  // namespace
}  // namespace svmsim
