// SPDX-License-Identifier: Apache-2.0
// The keys of a platform file that a driver's answers depend on, with each of their values. Value types, thread-safe.
#pragma once

#include <span>
#include <string>

#include "sim/platform.h"

namespace svmsim {

// A key of a platform file and its value as written there.
struct PlatformChange {
  std::string key;
  std::string value;
};

struct PlatformKeyValue {
  const char* key;
  const char* value;  // as written in a file
  void (*set)(Platform& platform);
};

// The values of a key stand together.
[[nodiscard]] std::span<const PlatformKeyValue> platform_key_values();

}  // namespace svmsim
