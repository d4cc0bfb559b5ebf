// SPDX-License-Identifier: Apache-2.0
// Measures points for a calibration on a board, through its driver's libraries in this process. Changes the process'
// environment, prints on stderr, and ends in order at SIGINT and SIGTERM. One at a time; thread-bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/board_libraries.h"
#include "cli/cli_error.h"
#include "sim/cost/calibration.h"
#include "sim/platform.h"

namespace svmsim {

struct BoardPoints {
  Calibration points;  // its parameters are still to be fitted
  std::string library;
  bool simulated = false;  // its time is a simulated driver's own
  std::uint64_t iterations = 0;
  std::vector<std::string> left_out;  // what could not be measured, each with the reason
};

// `platform` says what the board is. Exit code 3: no library, or no device; 2: the host's pages are not those of the
// platform; 1: a call failed, the measurement was interrupted, or nothing could be measured.
[[nodiscard]] CliResult<BoardPoints> measure_board(const BoardLibraries& libraries, const Platform& platform,
                                                   std::uint64_t iterations);

}  // namespace svmsim
