// SPDX-License-Identifier: Apache-2.0
#include "sim/config/printable.h"

#include <gtest/gtest.h>

#include <vector>

namespace svmsim {
namespace {

TEST(Printable, ControlCharactersOfEveryKindAreEscaped) {
  EXPECT_EQ(printable("a\tb\r\n"), "a\\x09b\\x0d\\x0a");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  // U+0080 and U+009B (the one-character form of ESC [) as UTF-8.
  EXPECT_EQ(printable("\xc2\x80 \xc2\x9b"), "\\xc2\\x80 \\xc2\\x9b");
}

TEST(Printable, OtherCharactersStay) {
  // From U+00A0 to U+10FFFF, one of each length.
  const std::string text = "x ~\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(Printable, Utf8IsTold) {
  for (const char* text : {"", "a\n\x7f", "\xc2\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(text)) << printable(text);
  for (const char* text : {"a\x9b", "\xc3", "\xc0\xaf", "\xed\xa0\x80 b"})
    EXPECT_FALSE(is_utf8(text)) << printable(text);
}

TEST(Printable, LimitEndsOnAWholeCharacter) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable("ab\xc3\xa9z", 3), "ab\xc3\xa9...");
}

TEST(Printable, ListIsShort) {
  EXPECT_EQ(printable_list(std::vector<std::string>{}), "none");
  EXPECT_EQ(printable_list(std::vector<std::string>{"a", "b\n"}), "a, b\\x0a");
  const std::string list = printable_list(std::vector<std::string>(1000, std::string(1000, 'x')));
  EXPECT_TRUE(list.ends_with(" and 976 more"));
  EXPECT_LT(list.size(), 24U * 100);
}

}  // namespace
}  // namespace svmsim
