// SPDX-License-Identifier: Apache-2.0
// Documents of shards that no campaign wrote, and sums of many shards.
#include "cli/check_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace svmsim {
namespace {

using testing::HasSubstr;

CheckReport report_of(std::uint64_t shard_count, std::vector<std::uint64_t> shards) {
  CheckReport report;
  report.cases = shard_count;
  report.shard_count = shard_count;
  report.judged = shards.size();
  report.shards = std::move(shards);
  report.complete = true;
  return report;
}

CliError error_of(const std::string& text) {
  const auto report = parse_check_report(text, "r.json");
  return report ? CliError{} : report.error();
}

TEST(CheckReportDocument, WrittenAndReadIsTheSame) {
  const Json document = check_json(report_of(7, {2, 5}));
  const auto report = parse_check_report(document_text(document), "r.json");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(check_json(*report), document);
}

TEST(CheckReportDocument, DeepNestingIsNamedByTheMemberThatHasIt) {
  const std::string deep(3'000'000, '[');
  for (const std::string& text :
       {"{\"seed\": " + deep + std::string(deep.size(), ']') + "}", "{\"digest\": \"\", \"seed\": {\"a\": " + deep}) {
    EXPECT_EQ(error_of(text).message, "r.json: seed: found more; allowed: at most 8 objects and arrays in each other");
  }
  EXPECT_THAT(error_of(deep).message, HasSubstr("r.json:1: found "));
}

TEST(CheckReportDocument, InvalidJsonIsNamedByItsLine) {
  EXPECT_THAT(error_of("").message, HasSubstr("r.json:1: found nothing"));
  EXPECT_THAT(error_of("{\n\"seed\": 1,\n}").message, HasSubstr("r.json:3: found invalid JSON"));
  EXPECT_THAT(error_of("{\n\"seed\": 1e999}").message, HasSubstr("r.json:2: found invalid JSON"));
  EXPECT_THAT(error_of("{\n\"seed\": \"\xff\"}").message, HasSubstr("r.json:2: found bytes that are not UTF-8"));
}

TEST(CheckReportDocument, WrongValuesAreShortAndWhole) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xc3\xa9";
  const std::string value = error_of("{\"seed\": \"" + text + "\"}").value;
  EXPECT_TRUE(value.ends_with("\xc3\xa9...\"")) << value;
  EXPECT_LT(value.size(), 100U);
  EXPECT_EQ(error_of("{\"seed\": [1, [], \"x\"]}").value, "an array of 3");
  EXPECT_EQ(error_of("{\"seed\": {}}").value, "an object");
  EXPECT_EQ(error_of("{\"seed\": -1}").value, "-1");
}

// To look for each shard among all others would take minutes.
TEST(CheckReportSum, OfAMillionShardsIsDoneAtOnce) {
  std::vector<std::uint64_t> even;
  std::vector<std::uint64_t> odd;
  for (std::uint64_t i = 0; i < kMostShards; i += 2) {
    even.push_back(i);
    odd.push_back(i + 1);
  }
  const auto sum = merged(report_of(kMostShards, odd), report_of(kMostShards, even), "r.json");
  ASSERT_TRUE(sum) << sum.error().message;
  EXPECT_TRUE(sum->has_all_shards());
  EXPECT_TRUE(std::is_sorted(sum->shards.begin(), sum->shards.end()));
}

TEST(CheckReportSum, NamesAShardThatIsThereTwice) {
  const auto sum = merged(report_of(9, {0, 3, 8}), report_of(9, {1, 3}), "r.json");
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().key, "shard.indices");
  EXPECT_EQ(sum.error().value, "3");
}

}  // namespace
}  // namespace svmsim
