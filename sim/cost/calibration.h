// SPDX-License-Identifier: Apache-2.0
// A calibration: where the prices of a cost model come from. It holds the measured points, the parameters fitted to
// them, how far each point lies from the fit, and which parameters are assumptions. One TOML file in
// fixtures/calibrations/ per calibration. Value type, thread-compatible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/units.h"
#include "sim/config/toml_reader.h"
#include "sim/cost/cost_model.h"
#include "sim/platform.h"

namespace svmsim {

// A parameter of an hour, a time of a week, and what no device has in memory are typing errors.
inline constexpr Picoseconds kMaxParameter{3'600'000'000'000'000};
inline constexpr std::uint64_t kMaxPointNanoseconds = 604'800'000'000'000;
inline constexpr std::uint64_t kMaxPointBytes = std::uint64_t{1} << 46;

enum class ViewAccess : std::uint8_t { kLoad, kStore };

// Words of calibration files and of files of points.
inline constexpr Choice<PageKind> kPageKindWords[] = {{"ordinary", PageKind::kOrdinary}, {"huge", PageKind::kHuge}};
inline constexpr Choice<CopyDirection> kDirectionWords[] = {{"d2h", CopyDirection::kFromDevice},
                                                            {"h2d", CopyDirection::kToDevice}};
inline constexpr Choice<ViewAccess> kViewAccessWords[] = {{"load", ViewAccess::kLoad}, {"store", ViewAccess::kStore}};

struct CalibrationSource {
  std::string what;    // which measurement
  std::string where;   // which machine
  std::string when;    // year and month
  std::string driver;  // driver and toolkit version
  std::string method;  // iterations, what the statistic is
};

// One call of a point. The residual is (model - median) / median in percent, to two places.
struct MeasuredCall {
  std::optional<Picoseconds> min;
  Picoseconds median;
  std::optional<Picoseconds> p99;
  double residual_percent = 0;
  std::optional<double> left_out_percent;  // the residual of a fit without this point; not part of a file
};

// Register and unregister of `bytes` from the start of a block.
struct MapPoint {
  Bytes bytes;
  PageKind page_kind = PageKind::kOrdinary;
  PageWalk walk;
  MeasuredCall register_call;
  MeasuredCall unregister_call;
};

struct CopyPoint {
  CopyDirection direction = CopyDirection::kFromDevice;
  Bytes bytes;
  MeasuredCall call;
};

// So many loads or stores through a view, one after the other.
struct ViewPoint {
  ViewAccess access = ViewAccess::kLoad;
  std::uint64_t accesses = 0;
  MeasuredCall call;
};

// Something that nobody measured or published, and what stands in for it.
struct Assumption {
  std::string parameter;  // "copy_to_device", "view_load", ...
  std::string text;
};

struct Calibration {
  std::string name;
  std::string description;
  CalibrationSource source;
  Personality personality = Personality::kV2;  // of the driver that was measured
  Bytes device_page{4096};
  Bytes host_page{4096};
  bool map_measured = false;  // false: register and unregister are unknown, their parameters zero
  CostParameters parameters;
  std::vector<MapPoint> map_points;
  std::vector<CopyPoint> copy_points;
  std::vector<ViewPoint> view_points;
  std::vector<Assumption> assumptions;
};

// Reads a calibration file; the error names file, line, key, value and what is allowed. Keys, all required unless
// noted:
//   name, description      texts
//   personality            "v2", "v3" or "identity": the driver that was measured
//   device_page, host_page 4096 or 65536, bytes
//   [source]               what, where, when, driver, method: texts
//   [parameters]           allocate_ps, free_ps, view_load_ps, view_store_ps, launch_ps
//   [parameters.register]  call_ps, allocation_page_ps, host_page_ps; with [parameters.unregister] (same keys)
//                          optional: without both, the cost of mapping is not measured
//   [parameters.copy_from_device], [parameters.copy_to_device], [parameters.set_memory]
//                          latency_ps, mib_ps
//   [[map_point]]          optional: bytes, page_kind ("ordinary" or "huge"), pages, then register_ and unregister_
//                          each with min_ns and p99_ns (optional), median_ns, residual_percent
//   [[copy_point]]         optional: direction ("d2h" or "h2d"), bytes, min_ns and p99_ns (optional), median_ns,
//                          residual_percent
//   [[view_point]]         optional: access ("load" or "store"), accesses, then as a copy_point
//   [[assumption]]         optional: parameter, text
[[nodiscard]] ConfigResult<Calibration> load_calibration(const std::string& path);
// The same from memory; `file` is the name that errors carry.
[[nodiscard]] ConfigResult<Calibration> parse_calibration(std::string_view text, std::string file);

// The calibration that a platform names, out of `fixtures`/calibrations. When there is no such file, the error is of
// the platform's file.
[[nodiscard]] ConfigResult<Calibration> load_calibration_of(const Platform& platform, const std::string& fixtures);

// How a platform's prices of map and unmap were come by.
enum class MapCostSource : std::uint8_t {
  kMeasured,     // on a machine of this kind
  kPredicted,    // the model, measured at another host page size
  kBorrowed,     // measured on another driver generation, whose mechanism may differ
  kNotMeasured,  // the calibration has none: nothing is charged
};

[[nodiscard]] MapCostSource map_cost_source(const Platform& platform, const Calibration& calibration);
// "measured", "predicted", "borrowed" or "not_measured".
[[nodiscard]] std::string_view name_of(MapCostSource source);

// What no measurement stands behind: how the platform's prices of map and unmap were come by, unless they were
// measured, then the calibration's own assumptions.
[[nodiscard]] std::vector<Assumption> platform_assumptions(const Platform& platform, const Calibration& calibration);

}  // namespace svmsim
