// SPDX-License-Identifier: Apache-2.0
// Lets a long command end in order when it is interrupted: while one of these lives, the first SIGINT, SIGTERM or
// SIGHUP only sets a flag; the second ends the process as it always would. A SIGHUP that was ignored before, as under
// nohup, stays so. One at a time per process.
#pragma once

#include <array>
#include <csignal>

namespace svmsim {

class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();  // the handlers that were there before

  // Since the one that lives was made; false without one.
  [[nodiscard]] static bool happened();

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace svmsim
