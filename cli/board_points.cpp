// SPDX-License-Identifier: Apache-2.0
#include "cli/board_points.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <optional>
#include <utility>

#include "cli/json_reader.h"
#include "cli/open_board.h"
#include "cli/option_value.h"
#include "cli/standard_streams.h"
#include "onboard/driver_clock.h"
#include "onboard/driver_library.h"
#include "onboard/driver_version.h"
#include "onboard/measurement.h"
#include "sim/cost/points_file.h"
#include "sim/cost/points_text.h"
#include "sim/cost/sweep.h"
#include "sim/driver/page_walk.h"

namespace svmsim {

namespace {

// Points hold whole nanoseconds.
Picoseconds rounded(Picoseconds time) { return Picoseconds((time.count() + 500) / 1000 * 1000); }

MeasuredCall measured_call(const CallTimes& times) {
  MeasuredCall call;
  if (rounded(times.min).count() > 0) call.min = rounded(times.min);
  call.median = rounded(times.median);
  call.p99 = rounded(times.p99);
  return call;
}

class PointsMaker {
 public:
  PointsMaker(const Platform& platform, BoardPoints& made) : points_(made.points), left_out_(made.left_out) {
    points_.personality = platform.personality;
    points_.device_page = platform.device_page;
    points_.host_page = platform.host_page;
  }

  void add(const Measurement& measured) {
    left_out_ = measured.left_out;
    for (const MapTimes& row : measured.maps) {
      MapPoint point;
      point.bytes = row.bytes;
      point.page_kind = acl_malloc_page_kind(row.bytes);
      point.walk = page_walk(row.bytes, point.page_kind, points_.device_page, points_.host_page);
      point.register_call = measured_call(row.register_call);
      point.unregister_call = measured_call(row.unregister_call);
      const bool took_time = is_point(fmt::format("register of {} bytes", row.bytes.count()), point.register_call) &&
                             is_point(fmt::format("unregister of {} bytes", row.bytes.count()), point.unregister_call);
      if (took_time) points_.map_points.push_back(point);
    }
    for (const CopyDirection direction : {CopyDirection::kFromDevice, CopyDirection::kToDevice}) {
      const bool from = direction == CopyDirection::kFromDevice;
      for (const CopyTimes& row : measured.copies) {
        const CopyPoint point{direction, row.bytes, measured_call(from ? row.from_device : row.to_device)};
        const std::string what = fmt::format("{} of {} bytes", word_of(kDirectionWords, direction), row.bytes.count());
        if (is_point(what, point.call)) points_.copy_points.push_back(point);
      }
    }
    for (const ViewAccess access : {ViewAccess::kLoad, ViewAccess::kStore}) {
      for (const AccessTimes& row : measured.accesses) {
        const ViewPoint point{access, row.accesses,
                              measured_call(access == ViewAccess::kLoad ? row.loads : row.stores)};
        if (is_point(fmt::format("{} {}s", row.accesses, word_of(kViewAccessWords, access)), point.call)) {
          points_.view_points.push_back(point);
        }
      }
    }
  }

 private:
  // What took no time is not known to cost nothing: nobody may have counted it, as with loads and stores on a simulated
  // board.
  bool is_point(const std::string& what, const MeasuredCall& call) {
    const bool took_time = call.median.count() > 0;
    if (!took_time) left_out_.push_back(what + ": the clock did not move");
    return took_time;
  }

  Calibration& points_;
  std::vector<std::string>& left_out_;
};

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "a host without a name";
  return std::string("host ") + name.data();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (gmtime_r(&now, &parts) == nullptr) return "not stated";
  return fmt::format("{:%Y-%m-%d}", parts);
}

// A simulated board is the same wherever and whenever it is measured.
CalibrationSource source_of(const BoardLibraries& libraries, const Platform& platform, std::uint64_t iterations,
                            bool simulated) {
  const auto version = simulated ? std::nullopt : driver_version(libraries.dsmi, 0);
  // Without commas, which the text of points has none of.
  return {
      fmt::format("svmsim calibrate for platform {}", platform.name), simulated ? "a simulated board" : host_name(),
      simulated ? "at no time: simulated" : today(), simulated ? "simulated" : version.value_or("not stated"),
      fmt::format("{} iterations over 4 buffers of aclrtMalloc HUGE_FIRST in turn; minimum; median; 99th percentile",
                  iterations)};
}

std::optional<CliError> check_host_pages(const Platform& platform) {
  const long page = sysconf(_SC_PAGESIZE);
  if (page <= 0 || static_cast<std::uint64_t>(page) == platform.host_page.count()) return std::nullopt;
  return option_error("--platform", platform.name, fmt::format("a platform of a host with pages of {} bytes", page));
}

}  // namespace

CliResult<PointsSetup> points_setup(const BoardRequest& request) {
  const auto iterations = integer_option("--iterations", request.iterations, 1, kMostIterations);
  if (!iterations) return tl::unexpected(iterations.error());
  auto platform = find_board_platform(request.locations, request.platform);
  if (!platform) return tl::unexpected(platform.error());
  auto libraries = find_board_libraries(request.lib, *platform);
  if (!libraries) return tl::unexpected(libraries.error());
  return PointsSetup{*iterations, std::move(*platform), std::move(*libraries)};
}

CliResult<BoardPoints> measure_board(const BoardRequest& request) {
  const auto setup = points_setup(request);
  if (!setup) return tl::unexpected(setup.error());
  const auto& [iterations, platform, libraries] = *setup;
  // This one first: the others find it loaded, wherever it is.
  DriverLibrary hal(libraries.hal);
  const auto found = hal.find("halHostRegister");
  if (!found && found.error().driver_code == svmrt::DriverCode::kLibraryNotLoaded) {
    return tl::unexpected(absent_board(libraries, found.error().message));
  }
  const DriverClock time = driver_clock(libraries.hal);
  if (auto wrong = check_host_pages(platform); wrong && !time.simulated) return tl::unexpected(std::move(*wrong));

  const auto driver = open_board(libraries, platform, time.clock,
                                 [](svmrt::LogLevel /*level*/, const std::string& line) { print_error_line(line); });
  if (!driver) return tl::unexpected(absent_board(libraries, driver.error().message));

  MeasurementPlan plan = published_plan();
  plan.iterations = iterations;
  plan.progress = show_step;
  const auto measured = measure(**driver, plan);
  clear_step();
  if (!measured) return tl::unexpected(failure("the measurement failed: " + measured.error().message));

  BoardPoints made;
  made.library = libraries.hal;
  made.simulated = time.simulated;
  made.iterations = iterations;
  made.points.source = source_of(libraries, platform, iterations, time.simulated);
  PointsMaker(platform, made).add(*measured);
  if (made.points.map_points.empty() && made.points.copy_points.empty() && made.points.view_points.empty()) {
    return tl::unexpected(failure(fmt::format("nothing could be measured: {}", fmt::join(made.left_out, "; "))));
  }
  return made;
}

Json board_points_json(const BoardPoints& points) {
  Json json;
  json["points"] = points_text(points.points);
  json["library"] = points.library;
  json["simulated"] = points.simulated;
  json["iterations"] = points.iterations;
  json["left_out"] = points.left_out;
  return json;
}

CliResult<BoardPoints> read_board_points(const Json& json) {
  JsonReader reader("report", "", json);
  BoardPoints points;
  const std::string rows = reader.text("points");
  points.library = reader.text("library");
  points.simulated = reader.boolean("simulated");
  points.iterations = reader.integer("iterations", 1, kMostIterations);
  points.left_out = reader.texts("left_out");
  if (reader.error()) return tl::unexpected(*reader.error());
  auto parsed = parse_points(rows, "report");
  if (!parsed) return tl::unexpected(cli_error(parsed.error()));
  points.points = std::move(*parsed);
  return points;
}

}  // namespace svmsim
