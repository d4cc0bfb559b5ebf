// SPDX-License-Identifier: Apache-2.0
#include "sim/output/json_document.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

using svmrt::Picoseconds;

TEST(JsonDocument, TimesKeepThreePlaces) {
  Json json;
  json["a"] = nanoseconds(Picoseconds(1580));
  json["b"] = nanoseconds(Picoseconds(7));
  json["c"] = nanoseconds(Picoseconds(0));
  json["d"] = microseconds(Picoseconds(1'580'000));
  json["e"] = microseconds(Picoseconds(1'580'500));
  EXPECT_EQ(document_text(json),
            "{\n  \"a\": 1.580,\n  \"b\": 0.007,\n  \"c\": 0.000,\n  \"d\": 1.580,\n  \"e\": 1.581\n}\n");
}

TEST(JsonDocument, LargestTimeKeepsEveryDigit) {
  Json json = Json::array({nanoseconds(Picoseconds(UINT64_MAX))});
  EXPECT_EQ(document_text(json), "[\n  18446744073709551.615\n]\n");
}

// A text of somebody else is that text, whatever it begins with, as a value and as a key.
TEST(JsonDocument, TextsComeBackAsTheyWere) {
  for (const std::string text : {"\x01",
                                 "\x01"
                                 "12",
                                 "\x01"
                                 "1.5",
                                 "a\"\x01"
                                 "1.5",
                                 "{\"thousandths\": 1}", "1.580", "plain"}) {
    Json json;
    json["value"] = text;
    json[text] = Json::array({text, Json::array(), Json::object()});
    EXPECT_EQ(Json::parse(document_text(json)), json) << document_text(json);
  }
}

TEST(JsonDocument, WhatIsNoUtf8IsReplaced) {
  Json json;
  json["\xff"] = "\xfe!";
  EXPECT_EQ(document_text(json), "{\n  \"\xef\xbf\xbd\": \"\xef\xbf\xbd!\"\n}\n");
  EXPECT_EQ(line_text(json), "{\"\xef\xbf\xbd\":\"\xef\xbf\xbd!\"}");
}

TEST(JsonDocument, EveryMemberHasALineAndEmptyOnesNone) {
  Json json;
  json["list"] = Json::array({1, Json::array(), Json::object({{"a", nullptr}})});
  json["none"] = Json::object();
  EXPECT_EQ(document_text(json),
            "{\n  \"list\": [\n    1,\n    [],\n    {\n      \"a\": null\n    }\n  ],\n  \"none\": {}\n}\n");
}

}  // namespace
}  // namespace svmsim
