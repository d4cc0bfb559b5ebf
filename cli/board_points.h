// SPDX-License-Identifier: Apache-2.0
// Measures points for a calibration on a board, through its driver's libraries, which it loads into this process. Shows
// its steps on stderr. One at a time; thread-bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/board_libraries.h"
#include "cli/board_process.h"
#include "cli/cli_error.h"
#include "sim/cost/calibration.h"
#include "sim/output/json_document.h"
#include "sim/platform.h"

namespace svmsim {

struct BoardPoints {
  Calibration points;  // its parameters are still to be fitted
  std::string library;
  bool simulated = false;  // its time is a simulated driver's own
  std::uint64_t iterations = 0;
  std::vector<std::string> left_out;  // what could not be measured, each with the reason
};

inline constexpr std::uint64_t kMostIterations = 100'000;

struct PointsSetup {
  std::uint64_t iterations = 0;
  Platform platform;
  BoardLibraries libraries;
};

// What a request of BoardWork::kPoints asks for. The error is one of the options that it names.
[[nodiscard]] CliResult<PointsSetup> points_setup(const BoardRequest& request);

// Exit code 3: no library, or no device; 2: as of points_setup(), or the host's pages are not those of the platform;
// 1: a call failed, or nothing could be measured.
[[nodiscard]] CliResult<BoardPoints> measure_board(const BoardRequest& request);

// Between processes.
[[nodiscard]] Json board_points_json(const BoardPoints& points);
[[nodiscard]] CliResult<BoardPoints> read_board_points(const Json& json);

}  // namespace svmsim
