// SPDX-License-Identifier: Apache-2.0
// Work on a board in a process of its own (board_host), which hands back a document: the libraries that it loads, and
// what they do to a process, end with it, and so do device memory and mappings. Thread-bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/board_libraries.h"
#include "cli/cli_error.h"
#include "cli/locations.h"
#include "sim/output/json_document.h"

namespace svmsim {

enum class BoardWork { kScene, kPoints };

// What board_host is to do; each text as an option of the command has it, and checked already.
struct BoardRequest {
  BoardWork work = BoardWork::kScene;
  Locations locations;
  std::optional<std::string> lib;
  std::string platform;
  // Of a scene.
  std::string scene;
  std::string policy;
  std::string rounds;
  std::string seed;
  // Of points.
  std::string iterations;
};

// As the arguments of board_host, whatever bytes the texts have, and back; nullopt: no such arguments.
[[nodiscard]] std::vector<std::string> words_of(const BoardRequest& request);
[[nodiscard]] std::optional<BoardRequest> board_request(const std::vector<std::string>& words);

// What the process of a request says at the end of its work: a document, or why there is none.
[[nodiscard]] std::string answer_text(const CliResult<Json>& answer);

struct BoardAnswer {
  // Nothing: the process did not come to that, and `failure` is not empty. An error with exit code 2 stands for a
  // process that its libraries ended so, as simulated ones do where a variable of the environment is wrong.
  std::optional<CliResult<Json>> said;
  std::string failure;  // how the process ended, if not well: "died of SIGSEGV", "did not end within 600 s"
};

// After its work the process leaves through its exit handlers, so that a driver can say what it holds. It and what it
// started are killed after `timeout`, when this process ends in whatever way, and when this one is interrupted
// (Interruption).
[[nodiscard]] BoardAnswer ask_board_host(const BoardRequest& request, const BoardLibraries& libraries,
                                         std::chrono::seconds timeout);

}  // namespace svmsim
