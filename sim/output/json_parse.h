// SPDX-License-Identifier: Apache-2.0
// Reads a JSON document back, within limits that keep a hostile one from taking long, much memory or the stack. Pure
// function, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sim/output/json_document.h"

namespace svmsim {

struct JsonLimits {
  std::size_t depth = 8;           // objects and arrays in each other; whatever walks a document may recurse
  std::size_t members = 1000;      // in all; each is looked for among those before it
  std::size_t values = 1'000'000;  // in all
};

struct JsonMistake {
  std::uint32_t line = 0;  // from 1; 0 with a member
  std::string member;      // of the document, below which a limit is exceeded or a name stands twice
  std::string found;
  std::string allowed;
};

// The object that `text` is.
[[nodiscard]] tl::expected<Json, JsonMistake> parse_json_object(std::string_view text, const JsonLimits& limits = {});

}  // namespace svmsim
