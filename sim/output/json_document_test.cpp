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

TEST(JsonDocument, TextsThatLookLikeAMarkedNumberStayValidJson) {
  for (const std::string text : {"\x01", "\x01x",
                                 "\x01"
                                 "12\"",
                                 "\x01"
                                 "1.5 ",
                                 "plain", "\xff\xfe"}) {
    Json json;
    json["value"] = text;
    EXPECT_TRUE(Json::accept(document_text(json))) << document_text(json);
  }
}

}  // namespace
}  // namespace svmsim
