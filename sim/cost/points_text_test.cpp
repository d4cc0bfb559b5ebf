// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/points_text.h"

#include <gtest/gtest.h>

#include "sim/cost/points_file.h"

namespace svmsim {
namespace {

TEST(PointsText, IsReadAsThePointsThatItWasMadeOf) {
  const std::string text =
      "kind,device_page,host_page,personality,what,where,when,driver,method\n"
      "source,4096,65536,v3,a,b,c,d,e\n"
      "kind,bytes,page_kind,pages,register_min,register_median,register_p99,unregister_min,unregister_median,"
      "unregister_p99\n"
      "map,64,ordinary,1,1.270,1.580,2.000,2.790,3.741,5.000\n"
      "map,4194304,huge,2,,3.430,,,29.371,\n"
      "kind,bytes,min,median,p99\n"
      "d2h,4,0.001,9.740,604800000000.000\n"
      "h2d,40900000000,,1370000.000,\n"
      "kind,accesses,min,median,p99\n"
      "load,256,1.000,2.000,3.000\n"
      "store,4096,,0.007,\n";
  const auto points = parse_points(text, "points.csv");
  ASSERT_TRUE(points) << points.error().allowed;
  const std::string written = points_text(*points);
  EXPECT_EQ(written, "# Points for `svmsim calibrate --points`. Times are microseconds.\n" + text);
}

TEST(PointsText, TextsOfTheSourceStayOneFieldEach) {
  Calibration points;
  points.source = {"a, b", "c\nd", "", "# e", "\xff"};
  points.copy_points.push_back({CopyDirection::kFromDevice, Bytes(4), {}});
  points.copy_points.back().call.median = Picoseconds(1000);
  const auto again = parse_points(points_text(points), "points.csv");
  ASSERT_TRUE(again) << again.error().allowed;
  EXPECT_EQ(again->source.what, "a; b");
  EXPECT_EQ(again->source.where, "c\\x0ad");
  EXPECT_EQ(again->source.when, "not stated");
  EXPECT_EQ(again->source.driver, "# e");
  EXPECT_EQ(again->source.method, "\\xff");
  EXPECT_EQ(again->copy_points.size(), 1u);
  EXPECT_TRUE(again->map_points.empty());
}

}  // namespace
}  // namespace svmsim
