// SPDX-License-Identifier: Apache-2.0
#include "sim/config/input_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/config/text_file.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;

TEST(InputFiles, WhatWasReadIsKnownUnderEachOfItsNames) {
  const fs::path folder = fs::path(testing::TempDir()) / "svmsim_input_files_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string read = folder / "read.txt";
  const std::string other = folder / "other.txt";
  std::ofstream(read) << "text";
  std::ofstream(other) << "text";
  EXPECT_FALSE(is_input_file(read));
  ASSERT_TRUE(read_text_file(read, "text", 1 << 20));
  fs::create_symlink("read.txt", folder / "link.txt");
  fs::create_hard_link(read, folder / "second.txt");
  for (const char* const name : {"read.txt", "link.txt", "second.txt", "./read.txt"}) {
    EXPECT_TRUE(is_input_file(folder / name)) << name;
  }
  EXPECT_FALSE(is_input_file(other));
  EXPECT_FALSE(is_input_file(folder / "absent.txt"));
  note_input_file(folder / "absent.txt");
  EXPECT_FALSE(is_input_file(folder / "absent.txt"));
  note_input_file(other);
  EXPECT_TRUE(is_input_file(other));
  fs::remove(other);
  EXPECT_FALSE(is_input_file(other));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace svmsim
