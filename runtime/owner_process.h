// SPDX-License-Identifier: Apache-2.0
// Remembers which process made an object. Mappings and device memory belong to that process: a forked child
// inherits the books but may not act on them. Value type, thread-safe.
#pragma once

#include <sys/types.h>

namespace svmrt {

// The number of this process, without a system call where the kernel wipes a page for a forked child (Linux 4.14 and
// later). Sees every fork, also one that runs no handler. Thread-safe, and may be called by a signal handler once it
// has been called before.
[[nodiscard]] pid_t this_process();

class OwnerProcess {
 public:
  OwnerProcess() : owner_(this_process()) {}
  // False in a child forked after this object was made.
  [[nodiscard]] bool is_this() const { return this_process() == owner_; }

 private:
  pid_t owner_;
};

}  // namespace svmrt
