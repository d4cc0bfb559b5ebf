// SPDX-License-Identifier: Apache-2.0
// Remembers which process made an object. Mappings and device memory belong to that process: a forked child
// inherits the books but may not act on them. Value type, thread-safe.
#pragma once

#include <unistd.h>

namespace svmrt {

class OwnerProcess {
 public:
  OwnerProcess() : owner_(::getpid()) {}
  // False in a child forked after this object was made.
  [[nodiscard]] bool is_this() const { return ::getpid() == owner_; }

 private:
  pid_t owner_;
};

}  // namespace svmrt
