// SPDX-License-Identifier: Apache-2.0
// File descriptors of the simulator in a process that may have closed its standard streams. Thread-safe.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

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

// False, with errno set, when the descriptor does not take all of it. A signal handler may call it.
[[nodiscard]] inline bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace svmsim
