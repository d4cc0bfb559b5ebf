// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "sim/config/printable.h"
#include "sim/descriptor.h"

namespace svmsim {

StandardStreams::StandardStreams() {
  const bool open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    // open takes the lowest free number, which is the closed one.
    if (fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor) return;
  }
  if (open) result_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

StandardStreams::~StandardStreams() {
  std::fflush(stdout);  // what a program printed, before descriptor 1 is the command's again
  if (result_ < 0) return;
  dup2(result_, STDOUT_FILENO);
  close(result_);
}

bool StandardStreams::write_result(const std::string& text) const { return result_ >= 0 && write_all(result_, text); }

void print_error_line(const std::string& text) {
  static_cast<void>(write_all(STDERR_FILENO, "svmsim: " + printable(text) + "\n"));
}

void show_step(const std::string& step) {
  if (isatty(STDERR_FILENO) != 0) static_cast<void>(write_all(STDERR_FILENO, "\r\033[K" + printable(step)));
}

void clear_step() { show_step(""); }

}  // namespace svmsim
