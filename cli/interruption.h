// SPDX-License-Identifier: Apache-2.0
// Lets a long command end in order when it is interrupted: while one of these lives, the first SIGINT or SIGTERM only
// sets a flag; the second ends the process as it always would. One at a time per process.
#pragma once

#include <csignal>

namespace svmsim {

class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();  // the handlers that were there before

  [[nodiscard]] static bool happened();

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace svmsim
