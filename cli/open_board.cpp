// SPDX-License-Identifier: Apache-2.0
#include "cli/open_board.h"

#include <utility>

namespace svmsim {

svmrt::Result<std::unique_ptr<BoardDriver>> open_board(const BoardLibraries& libraries, const Platform& platform,
                                                       Clock clock, svmrt::LogSink log) {
  BoardConfig config;
  config.kind = platform.host_map_path ? BoardKind::kA2a3 : BoardKind::kA5;
  config.acl_library = libraries.acl;
  config.hal_library = libraries.hal;
  config.clock = std::move(clock);
  config.log = std::move(log);
  auto driver = BoardDriver::create(std::move(config));
  if (!driver) return driver;
  if (auto opened = (*driver)->open(); !opened) return tl::unexpected(std::move(opened.error()));
  return driver;
}

}  // namespace svmsim
