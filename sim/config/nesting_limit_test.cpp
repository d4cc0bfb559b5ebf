// SPDX-License-Identifier: Apache-2.0
#include "sim/config/nesting_limit.h"

#include <gtest/gtest.h>

#include <string>

namespace svmsim {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(NestingLimit, BracketsUpToTheLimitPass) {
  const std::string text = "a = " + repeated("[", kMaxTomlBrackets) + repeated("]", kMaxTomlBrackets);
  EXPECT_EQ(line_of_excessive_nesting(text), std::nullopt);
}

TEST(NestingLimit, OneBracketMoreNamesItsLine) {
  const std::string text = "b = 1\na = " + repeated("[", kMaxTomlBrackets) + "\n{";
  EXPECT_EQ(line_of_excessive_nesting(text), 3U);
}

TEST(NestingLimit, KeyPartsUpToTheLimitPass) {
  EXPECT_EQ(line_of_excessive_nesting(repeated("a.", kMaxTomlKeyParts - 1) + "a = 1"), std::nullopt);
}

TEST(NestingLimit, OneKeyPartMoreIsFoundInKeysHeadersAndInlineTables) {
  const std::string key = repeated("a.", kMaxTomlKeyParts) + "a";
  EXPECT_EQ(line_of_excessive_nesting(key + " = 1"), 1U);
  EXPECT_EQ(line_of_excessive_nesting("[" + key + "]"), 1U);
  EXPECT_EQ(line_of_excessive_nesting("x = {" + key + " = 1}"), 1U);
  EXPECT_EQ(line_of_excessive_nesting(repeated("\"a b\" . 'c'.", kMaxTomlKeyParts)), 1U);
}

TEST(NestingLimit, ManyShortKeysAndClosedBracketsPass) {
  EXPECT_EQ(line_of_excessive_nesting(repeated("[a.b]\nc.d = [1.5, 2.5]\n", 1000)), std::nullopt);
}

TEST(NestingLimit, StringsAndCommentsAreSkipped) {
  const std::string noise = repeated("[.", 100);
  EXPECT_EQ(line_of_excessive_nesting("a = \"" + noise + "\"  # " + noise), std::nullopt);
  EXPECT_EQ(line_of_excessive_nesting("a = '" + noise + "'"), std::nullopt);
  EXPECT_EQ(line_of_excessive_nesting("a = \"\"\"\n" + noise + "\n\"\"\""), std::nullopt);
  EXPECT_EQ(line_of_excessive_nesting("a = '''\n" + noise + "\n'''"), std::nullopt);
}

TEST(NestingLimit, WhatFollowsAStringIsCountedAgain) {
  const std::string noise = repeated("[", kMaxTomlBrackets + 1);
  EXPECT_EQ(line_of_excessive_nesting("a = \"\\\"\"\n" + noise), 2U);             // an escaped quote
  EXPECT_EQ(line_of_excessive_nesting("a = '\\'\n" + noise), 2U);                 // no escapes in a literal
  EXPECT_EQ(line_of_excessive_nesting("a = \"\"\n" + noise), 2U);                 // an empty string
  EXPECT_EQ(line_of_excessive_nesting("a = \"\"\"\nb\"\"\"\"\"\n" + noise), 3U);  // two quotes before the closing three
  EXPECT_EQ(line_of_excessive_nesting("a = '''b'''\n" + noise), 2U);
}

TEST(NestingLimit, OpenStringsEndWithTheText) {
  for (const char* text : {"\"", "'", "\"\\", "\"\"\"", "'''a", "\"\"\"\\", "a = \"x"}) {
    EXPECT_EQ(line_of_excessive_nesting(text), std::nullopt) << text;
  }
}

TEST(NestingLimit, AStringOfOneLineEndsWithItsLine) {
  const std::string noise = repeated("[", kMaxTomlBrackets + 1);
  EXPECT_EQ(line_of_excessive_nesting("a = \"open\n" + noise), 2U);
  EXPECT_EQ(line_of_excessive_nesting("a = 'open\n" + noise), 2U);
}

TEST(NestingLimit, AQuoteInsideALongStringDoesNotEndIt) {
  EXPECT_EQ(line_of_excessive_nesting("a = \"\"\" \" " + repeated("[", kMaxTomlBrackets + 1)), std::nullopt);
}

TEST(NestingLimit, BracketsThatNothingOpenedMakeNoRoom) {
  EXPECT_EQ(line_of_excessive_nesting("]]]\n" + repeated("[", kMaxTomlBrackets)), std::nullopt);
  EXPECT_EQ(line_of_excessive_nesting("]]]\n" + repeated("[", kMaxTomlBrackets + 1)), 2U);
}

}  // namespace
}  // namespace svmsim
