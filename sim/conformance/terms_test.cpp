// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/terms.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(ParseAmount, NumbersTakeSuffixesOrAreHexadecimal) {
  EXPECT_EQ(parse_amount("0")->offset, 0u);
  EXPECT_EQ(parse_amount("4096")->offset, 4096u);
  EXPECT_EQ(parse_amount("4K")->offset, 4096u);
  EXPECT_EQ(parse_amount("2M")->offset, 2097152u);
  EXPECT_EQ(parse_amount("1G")->offset, 1073741824u);
  EXPECT_EQ(parse_amount("8T")->offset, 8796093022208u);
  EXPECT_EQ(parse_amount("0x12c000000000")->offset, 0x12c000000000u);
}

TEST(ParseAmount, TermsAddUpAndKeepTheirText) {
  EXPECT_EQ(parse_amount("36M+1")->offset, 37748737u);
  EXPECT_EQ(parse_amount("2M-4K+1")->offset, 2093057u);
  EXPECT_EQ(parse_amount("2M-4K+1")->text, "2M-4K+1");
}

TEST(ParseAmount, OnlyTheFirstTermMayBeAVariable) {
  const auto amount = parse_amount("block_1+4K-1");
  EXPECT_EQ(amount->variable, "block_1");
  EXPECT_EQ(amount->offset, 4095u);
  EXPECT_EQ(parse_amount("a-1")->offset, UINT64_MAX);
  EXPECT_FALSE(parse_amount("4K+a"));
  EXPECT_FALSE(parse_amount("a+b"));
}

TEST(ParseAmount, NumbersEndAt64Bits) {
  EXPECT_EQ(parse_amount("0xffffffffffffffff")->offset, UINT64_MAX);
  EXPECT_FALSE(parse_amount("0x10000000000000000"));
  EXPECT_EQ(parse_amount("16777215T")->offset, 16777215ull << 40);
  EXPECT_FALSE(parse_amount("16777216T"));
}

TEST(ParseAmount, AnythingElseIsRefused) {
  for (const char* text : {"", "+", "a+", "-1", "4k", "K", "0x", "0x4K", "A", "1a", "a b", "4 K", "a++1"}) {
    EXPECT_FALSE(parse_amount(text)) << text;
  }
}

TEST(ParseFlag, OrdinaryAndHugeAreTheWordsOfAclrtMalloc) {
  EXPECT_EQ(parse_alloc_flag("ordinary")->value, 0x2100000000904400u);
  EXPECT_EQ(parse_alloc_flag("huge")->value, 0x2100000000924400u);
}

TEST(ParseFlag, WordsAndNumbersAreJoined) {
  EXPECT_EQ(parse_alloc_flag("HBM|DEV|CONTIGUOUS|66")->value, 0x84400u | 66u);
  EXPECT_EQ(parse_alloc_flag("HBM|HOST_AGENT")->value, 0x5000u);
  EXPECT_EQ(parse_alloc_flag("HBM|RESERVE")->value, 0x5400u);
  EXPECT_EQ(parse_register_flag("DEV_SVM_MAP_HOST|MEM_REGISTER_READ_ONLY|0x10000")->value, 0x10010002u);
  EXPECT_EQ(parse_register_flag("HOST_IO_MAP_DEV")->value, 6u);
}

TEST(ParseFlag, UnknownWordsAndMoreThan32BitsAreRefused) {
  for (const char* text : {"", "Huge", "huge|", "|huge", "huge||4", "DEV_SVM_MAP_HOST"}) {
    EXPECT_FALSE(parse_alloc_flag(text)) << text;
  }
  EXPECT_TRUE(parse_register_flag("0xffffffff"));
  EXPECT_FALSE(parse_register_flag("0x100000000"));
  EXPECT_FALSE(parse_register_flag("huge"));
}

}  // namespace
}  // namespace svmsim
