// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_text.h"

#include <gtest/gtest.h>

#include "sim/config/toml_reader.h"

namespace svmsim {
namespace {

TEST(TomlText, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(toml_quoted("a"), "\"a\"");
  EXPECT_EQ(toml_quoted("a\"\\\n\x7f"), "\"a\\\"\\\\\\u000a\\u007f\"");
}

TEST(TomlText, TheReaderGetsTheSameTextBack) {
  std::string text = "\xc3\xa4 = \"x\" # ";
  for (char c = 1; c < 0x7f; ++c) text += c;
  auto reader = ConfigReader::parse("key = " + toml_quoted(text), "f");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->root().text("key"), text);
}

}  // namespace
}  // namespace svmsim
