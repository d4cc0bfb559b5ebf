// SPDX-License-Identifier: Apache-2.0
// The process in which a command works on a board: loads the libraries, does what its arguments say, writes the answer
// to the descriptor that it was started with (sim/host_process.h), and leaves through the libraries' exit handlers.
// usage: board_host, with the arguments that cli/board_process.h makes.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/board_points.h"
#include "cli/board_process.h"
#include "cli/regress/board_scene.h"
#include "cli/standard_streams.h"
#include "sim/descriptor.h"
#include "sim/host_process.h"

namespace svmsim {
namespace {

CliResult<Json> answer_to(const BoardRequest& request) {
  if (request.work == BoardWork::kPoints) return measure_board(request).map(board_points_json);
  return run_on_board(request).map(board_report_json);
}

// The exit code.
int answer(const BoardRequest& request, int descriptor) {
  const std::string text = answer_text(answer_to(request));
  if (write_all(descriptor, text) && ::close(descriptor) == 0) return EXIT_SUCCESS;
  print_error_line(fmt::format("board_host: the answer could not be handed back: {}", std::strerror(errno)));
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  std::signal(SIGTTOU, SIG_IGN);  // its group is none of the terminal's foreground, and shows its steps there
  const auto descriptor = svmsim::begin_host();
  if (!descriptor) {
    svmsim::print_error_line(fmt::format("board_host: cannot begin: {}", std::strerror(errno)));
    return EXIT_FAILURE;
  }
  const auto request = svmsim::board_request({argv + 1, argv + argc});
  if (!request) {
    svmsim::print_error_line("board_host: other arguments than this build of svmsim gives it");
    return EXIT_FAILURE;
  }
  try {
    return svmsim::answer(*request, *descriptor);
  } catch (const std::exception& error) {  // memory that is not there, for one
    svmsim::print_error_line(error.what());
    return EXIT_FAILURE;
  }
}
