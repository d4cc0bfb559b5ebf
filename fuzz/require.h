// SPDX-License-Identifier: Apache-2.0
// How a target says that something is wrong. Thread-safe.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace svmsim {

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace svmsim
