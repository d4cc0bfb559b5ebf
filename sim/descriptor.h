// SPDX-License-Identifier: Apache-2.0
// File descriptors of the simulator in a process that may have closed its standard streams. Thread-safe.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace svmsim {

// Takes a descriptor, or a negative number with errno set, and returns one above those of standard input, output and
// error, which a program may have closed and still write to. Negative, with errno set and nothing left open, on
// failure.
[[nodiscard]] inline int above_standard_streams(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int errno_of_move = errno;
  close(descriptor);
  errno = errno_of_move;
  return moved;
}

}  // namespace svmsim
