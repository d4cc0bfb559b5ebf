// SPDX-License-Identifier: Apache-2.0
#include "sim/output/json_parse.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

JsonMistake mistake_of(const std::string& text, const JsonLimits& limits = {}) {
  const auto document = parse_json_object(text, limits);
  if (!document) return document.error();
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(JsonParse, ObjectIsReadInItsOrder) {
  const auto document = parse_json_object("{\"b\": [1, \"x\", null], \"a\": {\"c\": -1.5}}");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->begin().key(), "b");
  EXPECT_EQ(document->at("a").at("c"), -1.5);
}

TEST(JsonParse, InvalidJsonIsNamedByItsLine) {
  EXPECT_EQ(mistake_of("").line, 1U);
  EXPECT_EQ(mistake_of("{\n\"seed\": 1,\n}").line, 3U);
  EXPECT_EQ(mistake_of("{\n\"seed\": 1e999}").line, 2U);
  EXPECT_EQ(mistake_of("{\n\n\"seed\": \"\xff\"}").line, 3U);
  EXPECT_EQ(mistake_of("{\n\"seed\": 1}\n}").line, 3U);
}

TEST(JsonParse, WhatIsFoundInsteadIsNamed) {
  for (const std::string text : {"", " \n\t\r"}) EXPECT_EQ(mistake_of(text).found, "nothing") << text;
  for (const std::string text : {"{\n\"seed\": 1", "{", "{\"seed", "{\"seed\": [1, 2"}) {
    EXPECT_EQ(mistake_of(text).found, "an end in the middle") << text;
  }
  for (const std::string text : {"{\n\n\"seed\": \"\xff\"}", "{\"seed\": \"\xc3(\"}", "{\xc3"}) {
    EXPECT_EQ(mistake_of(text).found, "bytes that are not UTF-8") << text;
  }
  for (const std::string text : {"{\"seed\": 1,}", "{\xc3\xa4: 1}", "{\"seed\": 1}}", "{\"seed\": 1}\n}"}) {
    EXPECT_EQ(mistake_of(text).found, "invalid JSON") << text;
  }
}

TEST(JsonParse, ANameThatStandsTwiceIsRefused) {
  EXPECT_EQ(mistake_of("{\"a\": 1, \"b\": 2, \"a\": 1}").member, "a");
  const JsonMistake below = mistake_of("{\"a\": [{\"b\": 1}, {\"c\": {}, \"b\": 1, \"b\": 2}]}");
  EXPECT_EQ(below.member, "a");
  EXPECT_EQ(below.found, "'b' twice");
  EXPECT_EQ(below.allowed, "each name once in an object");
  EXPECT_TRUE(parse_json_object("{\"a\": {\"a\": 1}, \"b\": [{\"a\": 1}, {\"a\": 1}]}")) << "in others";
}

TEST(JsonParse, OtherValuesAreNoObject) {
  for (const std::string text : {"1", "[{}]", "null", "\"x\""}) {
    EXPECT_EQ(mistake_of(text).found, "something else") << text;
    EXPECT_EQ(mistake_of(text).allowed, "a JSON object") << text;
  }
  EXPECT_EQ(mistake_of(std::string(5'000'000, '[')).found, "something else");
}

TEST(JsonParse, LimitsAreNamedWithTheMember) {
  const JsonLimits limits{3, 4, 6};
  EXPECT_TRUE(parse_json_object("{\"a\": [[]]}", limits));
  EXPECT_EQ(mistake_of("{\"b\": 1, \"a\": [[[]]]}", limits).member, "a");
  EXPECT_EQ(mistake_of("{\"a\": [[[]]]}", limits).allowed, "at most 3 objects and arrays in each other");
  EXPECT_EQ(mistake_of("{\"a\": [0, 1, 2, 3], \"b\": 5}", limits).member, "b") << "the object counts";
  EXPECT_EQ(mistake_of("{\"a\": [0, 1, 2, 3, 4, 5]}", limits).allowed, "at most 6 values");
  EXPECT_EQ(mistake_of("{\"a\": {\"b\": 0, \"c\": 1}, \"d\": {\"e\": 0}}", limits).member, "d");
  EXPECT_EQ(mistake_of("{\"a\": {\"b\": 0, \"c\": 1, \"d\": 2, \"e\": 3}}", limits).allowed, "at most 4 members");
}

// A recursive walk of this would need some hundred MiB of stack.
TEST(JsonParse, DeepNestingIsRefused) {
  const std::string deep(3'000'000, '[');
  EXPECT_EQ(mistake_of("{\"seed\": " + deep + std::string(deep.size(), ']') + "}").member, "seed");
  EXPECT_EQ(mistake_of("{\"seed\": {\"a\": " + deep).member, "seed");
}

// To look for each member among all others would take minutes.
TEST(JsonParse, ManyMembersAreRefused) {
  std::string text = "{\"a\": {\"0\": 0";
  for (int i = 1; i < 500'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  EXPECT_EQ(mistake_of(text + "}}").allowed, "at most 1000 members");
}

}  // namespace
}  // namespace svmsim
