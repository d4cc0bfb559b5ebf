// SPDX-License-Identifier: Apache-2.0
// The driver of a board, on the libraries of --lib or the loader's. Loads them into this process. Thread-compatible.
#pragma once

#include <memory>

#include "cli/board_libraries.h"
#include "onboard/board_driver.h"
#include "runtime/result.h"
#include "runtime/runner_reports.h"
#include "sim/platform.h"

namespace svmsim {

// Device 0, open. The platform says whether there is a host-map path. The error says why there is no board.
[[nodiscard]] svmrt::Result<std::unique_ptr<BoardDriver>> open_board(const BoardLibraries& libraries,
                                                                     const Platform& platform, Clock clock,
                                                                     svmrt::LogSink log);

}  // namespace svmsim
