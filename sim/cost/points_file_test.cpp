// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/points_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace svmsim {
namespace {

const std::string kMapHeader =
    "kind,bytes,page_kind,pages,register_min,register_median,unregister_min,unregister_median\n";
const std::string kMapRow = "map,64,ordinary,1,1.270,1.580,2.790,3.741\n";
const std::string kCopyHeader = "kind,bytes,min,median\n";

TEST(PointsFile, EveryKindOfPointIsReadExactly) {
  const auto points =
      parse_points("# a comment, with a comma\n\n" + kMapHeader + kMapRow + "map,4194304,huge,2,2.35,3.43,27.7,29\r\n" +
                       "kind, bytes, min, median, p99\nd2h, 4, 9.02, 9.74, 10.001\nh2d,8,,604800,\n"
                       "kind,accesses,median\nload,1000,812.5\nstore,2000,0.001",
                   "p.csv");
  ASSERT_TRUE(points.has_value()) << points.error().message();
  ASSERT_EQ(points->map_points.size(), 2U);
  EXPECT_EQ(points->map_points[0].bytes, Bytes(64));
  EXPECT_EQ(points->map_points[0].page_kind, PageKind::kOrdinary);
  EXPECT_EQ(points->map_points[0].walk.host_pages, 1U);
  EXPECT_EQ(points->map_points[0].register_call.min, Picoseconds(1'270'000));
  EXPECT_EQ(points->map_points[0].register_call.median, Picoseconds(1'580'000));
  EXPECT_EQ(points->map_points[0].unregister_call.min, Picoseconds(2'790'000));
  EXPECT_EQ(points->map_points[0].unregister_call.median, Picoseconds(3'741'000));
  EXPECT_EQ(points->map_points[1].walk.allocation_pages, 2U);
  EXPECT_EQ(points->map_points[1].walk.host_pages, 1024U);
  EXPECT_EQ(points->map_points[1].register_call.median, Picoseconds(3'430'000));
  EXPECT_EQ(points->map_points[1].unregister_call.median, Picoseconds(29'000'000));
  ASSERT_EQ(points->copy_points.size(), 2U);
  EXPECT_EQ(points->copy_points[0].direction, CopyDirection::kFromDevice);
  EXPECT_EQ(points->copy_points[0].call.p99, Picoseconds(10'001'000));
  EXPECT_EQ(points->copy_points[1].direction, CopyDirection::kToDevice);
  EXPECT_EQ(points->copy_points[1].call.min, std::nullopt);
  EXPECT_EQ(points->copy_points[1].call.p99, std::nullopt);
  EXPECT_EQ(points->copy_points[1].call.median, Picoseconds(604'800'000'000));
  ASSERT_EQ(points->view_points.size(), 2U);
  EXPECT_EQ(points->view_points[0].access, ViewAccess::kLoad);
  EXPECT_EQ(points->view_points[0].accesses, 1000U);
  EXPECT_EQ(points->view_points[0].call.median, Picoseconds(812'500'000));
  EXPECT_EQ(points->view_points[1].access, ViewAccess::kStore);
  EXPECT_EQ(points->view_points[1].call.median, Picoseconds(1'000));
}

TEST(PointsFile, WithoutASourceTheMachineIsTheUsualOne) {
  const auto points = parse_points(kCopyHeader + "d2h,4,9,10\n", "some/folder/p.csv");
  ASSERT_TRUE(points.has_value()) << points.error().message();
  EXPECT_EQ(points->personality, Personality::kV2);
  EXPECT_EQ(points->host_page, Bytes(4096));
  EXPECT_EQ(points->device_page, Bytes(4096));
  EXPECT_EQ(points->source.what, "the points of p.csv");
  EXPECT_EQ(points->source.driver, "not stated");
}

TEST(PointsFile, ByteOrderMarkIsSkippedOnce) {
  const std::string mark = "\xef\xbb\xbf";
  EXPECT_TRUE(parse_points(mark + kCopyHeader + "d2h,4,9,10\n", "p.csv").has_value());
  EXPECT_FALSE(parse_points(mark + mark + kCopyHeader + "d2h,4,9,10\n", "p.csv").has_value());
}

TEST(PointsFile, SourceCountsWhereverItStands) {
  const auto points = parse_points(
      kMapHeader + "map,2097152,huge,1,2,3,4,5\n" + "kind,host_page,personality,driver\nsource,65536,v3,CANN 10\n",
      "p.csv");
  ASSERT_TRUE(points.has_value()) << points.error().message();
  EXPECT_EQ(points->host_page, Bytes(65536));
  EXPECT_EQ(points->personality, Personality::kV3);
  EXPECT_EQ(points->source.driver, "CANN 10");
  EXPECT_EQ(points->source.where, "not stated");
  EXPECT_EQ(points->map_points[0].walk.host_pages, 32U);  // 2 MiB in pages of 64 KiB
}

struct BadPoints {
  std::string name;
  std::string text;
  std::uint32_t line;
  std::string key;
  std::string value;
  std::string allowed;  // how it begins
};

class RefusedPoints : public ::testing::TestWithParam<BadPoints> {};

TEST_P(RefusedPoints, NameLineColumnValueAndWhatIsAllowed) {
  const auto points = parse_points(GetParam().text, "p.csv");
  ASSERT_FALSE(points.has_value());
  EXPECT_EQ(points.error().file, "p.csv");
  EXPECT_EQ(points.error().line, GetParam().line);
  EXPECT_EQ(points.error().key, GetParam().key);
  EXPECT_EQ(points.error().value, GetParam().value);
  EXPECT_THAT(points.error().allowed, testing::StartsWith(GetParam().allowed));
}

std::string copy_row(const std::string& bytes, const std::string& min, const std::string& median) {
  return kCopyHeader + "d2h," + bytes + "," + min + "," + median + "\n";
}

const std::string kTime = "microseconds from 0.001 to 604800000000, at most three decimals";

INSTANTIATE_TEST_SUITE_P(
    All, RefusedPoints,
    ::testing::Values(
        BadPoints{"EmptyFile", "", 0, "kind", "no point", "rows of 'map', 'd2h'"},
        BadPoints{"OnlyASource", "kind,host_page\nsource,4096\n", 0, "kind", "no point", "rows of"},
        BadPoints{"OnlyAHeader", kMapHeader, 0, "kind", "no point", "rows of"},
        BadPoints{"RowBeforeItsHeader", kMapRow, 1, "kind", "'map'", "a line of columns first"},
        BadPoints{"UnknownKind", kCopyHeader + "d2d,4,1,1\n", 2, "kind", "'d2d'", "'kind', 'map'"},
        BadPoints{"UnknownColumn", "kind,bytes,mean\n", 1, "", "'mean'", "a column of 'map'"},
        BadPoints{"ColumnTwice", "kind,bytes,median,bytes\n", 1, "", "'bytes'", "each column once"},
        BadPoints{"MissingColumn", "kind,bytes,min\nd2h,4,1\n", 2, "median", "no such column above this 'd2h'",
                  "the columns bytes, median, and perhaps min, p99"},
        BadPoints{"ColumnOfAnotherKind", kMapHeader + "d2h,4,9,9\n", 2, "median", "no such column above this 'd2h'",
                  "the columns bytes, median"},
        BadPoints{"ColumnThatTheKindHasNot", "kind,bytes,median,pages\nd2h,4,9,9\n", 2, "pages",
                  "this column above a 'd2h'", "the columns bytes, median"},
        BadPoints{"TooFewFields", kCopyHeader + "d2h,4,9\n", 2, "", "3 fields", "4, as many as columns"},
        BadPoints{"TooManyFields", kCopyHeader + "d2h,4,9,9,9\n", 2, "", "5 fields", "4, as many as columns"},
        BadPoints{"NoBytes", copy_row("0", "1", "1"), 2, "bytes", "'0'", "an integer from 1 to 70368744177664"},
        BadPoints{"TooManyBytes", copy_row("70368744177665", "1", "1"), 2, "bytes", "'70368744177665'", "an integer"},
        BadPoints{"BytesWithAUnit", copy_row("4K", "1", "1"), 2, "bytes", "'4K'", "an integer"},
        BadPoints{"NegativeBytes", copy_row("-4", "1", "1"), 2, "bytes", "'-4'", "an integer"},
        BadPoints{"NegativeTime", copy_row("4", "1", "-1.5"), 2, "median", "'-1.5'", kTime},
        BadPoints{"TimeWithAUnit", copy_row("4", "1", "1.5us"), 2, "median", "'1.5us'", kTime},
        BadPoints{"TimeWithAnExponent", copy_row("4", "1", "1e3"), 2, "median", "'1e3'", kTime},
        BadPoints{"NotANumber", copy_row("4", "nan", "1"), 2, "min", "'nan'", kTime},
        BadPoints{"Infinite", copy_row("4", "1", "inf"), 2, "median", "'inf'", kTime},
        BadPoints{"NoTime", copy_row("4", "1", ""), 2, "median", "''", kTime},
        BadPoints{"ZeroTime", copy_row("4", "", "0.000"), 2, "median", "'0.000'", kTime},
        BadPoints{"FourDecimals", copy_row("4", "", "1.0000"), 2, "median", "'1.0000'", kTime},
        BadPoints{"NothingBehindThePoint", copy_row("4", "", "1."), 2, "median", "'1.'", kTime},
        BadPoints{"TwoPoints", copy_row("4", "", "1.2.3"), 2, "median", "'1.2.3'", kTime},
        BadPoints{"TimeOfMoreThanAWeek", copy_row("4", "", "604800000000.001"), 2, "median", "'604800000000.001'",
                  kTime},
        BadPoints{"MinAboveTheMedian", copy_row("4", "1.001", "1"), 2, "min", "'1.001'", "at most the median"},
        BadPoints{"P99BelowTheMedian", "kind,bytes,median,p99\nd2h,4,2,1.999\n", 2, "p99", "'1.999'",
                  "at least the median"},
        BadPoints{"PagesThatAreNot", kMapHeader + "map,4097,ordinary,1,1,1,1,1\n", 2, "pages", "'1'",
                  "2, the pages of this kind in that many bytes"},
        BadPoints{"UnknownPageKind", kMapHeader + "map,4096,giant,1,1,1,1,1\n", 2, "page_kind", "'giant'",
                  "one of 'ordinary', 'huge'"},
        BadPoints{"UnknownHostPage", "kind,host_page\nsource,8192\n", 2, "host_page", "'8192'", "one of 4096, 65536"},
        BadPoints{"UnknownDriver", "kind,personality\nsource,identity\n", 2, "personality", "'identity'",
                  "one of 'v2', 'v3'"},
        BadPoints{"PointTwice", copy_row("64", "1", "1") + "h2d,64,1,1\nd2h,064,2,2\n", 4, "",
                  "the point of line 2 again", "one point of a kind and size"},
        BadPoints{"SourceTwice", "kind,when\nsource,a\nsource,b\n", 3, "", "the source of line 2 again", "one source"},
        BadPoints{"ControlCharacters", copy_row("4\x1b[31m", "1", "1"), 2, "bytes", "'4\\x1b[31m'", "an integer"},
        BadPoints{"NulBytes", std::string("kind\0,bytes\n", 12), 1, "kind", "'kind\\x00'", "'kind', 'map'"}),
    [](const auto& test) { return test.param.name; });

TEST(PointsFile, SameSizeOnTheOtherPageKindOrInTheOtherDirectionIsAnotherPoint) {
  EXPECT_TRUE(parse_points(kMapHeader + "map,64,ordinary,1,1,1,1,1\nmap,64,huge,1,1,1,1,1\n", "p").has_value());
  EXPECT_TRUE(parse_points(kCopyHeader + "d2h,64,1,1\nh2d,64,1,1\n", "p").has_value());
}

TEST(PointsFile, ThousandRowsAreReadAndOneMoreIsNot) {
  std::string text = kCopyHeader;
  for (std::size_t i = 1; i <= kMaxPoints; ++i) text += "d2h," + std::to_string(i) + ",1,1\n";
  EXPECT_TRUE(parse_points(text, "p").has_value());
  const auto more = parse_points(text + "h2d,1,1,1\n", "p");
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().line, 1002U);
  EXPECT_EQ(more.error().allowed, "at most 1000 rows");
}

TEST(PointsFile, LongLinesAreShownShortened) {
  const auto commas = parse_points(kCopyHeader + std::string(2'000'000, ','), "p");
  ASSERT_FALSE(commas.has_value());
  EXPECT_EQ(commas.error().value, "''");
  const auto digits = parse_points(copy_row(std::string(1'000'000, '9'), "1", "1"), "p");
  ASSERT_FALSE(digits.has_value());
  EXPECT_LT(digits.error().message().size(), 300U);
}

TEST(PointsFile, FileThatIsTooLargeOrNotThereIsNamed) {
  const std::string path = testing::TempDir() + "points_file_test_" + std::to_string(getpid()) + ".csv";
  const auto absent = load_points(path);
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().message(), path + ": found no such file; allowed: a readable CSV file of at most 2 MiB");
  std::ofstream(path) << std::string(10 << 20, 'x');
  const auto large = load_points(path);
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().value, "a file of 10485760 bytes");
  std::ofstream(path) << copy_row("4", "9", "10");
  EXPECT_EQ(load_points(path)->copy_points.size(), 1U);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace svmsim
