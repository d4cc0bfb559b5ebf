// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/points_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/config/printable.h"

namespace svmsim {
namespace {

std::string field_text(const std::string& text) {
  std::string field = printable(text);
  std::replace(field.begin(), field.end(), ',', ';');
  return field;
}

std::string time_text(const std::optional<Picoseconds>& time) {
  if (!time) return "";
  const std::uint64_t nanoseconds = time->count() / 1000;
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

// ",min,median,p99".
std::string times_text(const MeasuredCall& call) {
  return fmt::format(",{},{},{}", time_text(call.min), time_text(call.median), time_text(call.p99));
}

}  // namespace

std::string points_text(const Calibration& points) {
  const CalibrationSource& source = points.source;
  std::string text = fmt::format(
      "# Points for `svmsim calibrate --points`. Times are microseconds.\n"
      "kind,device_page,host_page,personality,what,where,when,driver,method\n"
      "source,{},{},{},{},{},{},{},{}\n",
      points.device_page.count(), points.host_page.count(), word_of(kPersonalityWords, points.personality),
      field_text(source.what), field_text(source.where), field_text(source.when), field_text(source.driver),
      field_text(source.method));
  if (!points.map_points.empty()) {
    text +=
        "kind,bytes,page_kind,pages,register_min,register_median,register_p99,unregister_min,unregister_median,"
        "unregister_p99\n";
  }
  for (const MapPoint& point : points.map_points) {
    text +=
        fmt::format("map,{},{},{}{}{}\n", point.bytes.count(), word_of(kPageKindWords, point.page_kind),
                    point.walk.allocation_pages, times_text(point.register_call), times_text(point.unregister_call));
  }
  if (!points.copy_points.empty()) text += "kind,bytes,min,median,p99\n";
  for (const CopyPoint& point : points.copy_points) {
    text += fmt::format("{},{}{}\n", word_of(kDirectionWords, point.direction), point.bytes.count(),
                        times_text(point.call));
  }
  if (!points.view_points.empty()) text += "kind,accesses,min,median,p99\n";
  for (const ViewPoint& point : points.view_points) {
    text += fmt::format("{},{}{}\n", word_of(kViewAccessWords, point.access), point.accesses, times_text(point.call));
  }
  return text;
}

}  // namespace svmsim
