// SPDX-License-Identifier: Apache-2.0
// A JSON document as commands and reports print it: keys in the order in which they were set, times as numbers with
// exactly three decimals. Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/units.h"

namespace svmsim {

using Json = nlohmann::ordered_json;

// A time as a JSON number of nanoseconds (microseconds) with exactly three decimals: 1580 ps are 1.580 ns, and
// 1580000 ps are 1.580 us. Exact for nanoseconds; microseconds round to the nearest nanosecond.
[[nodiscard]] Json nanoseconds(svmrt::Picoseconds time);
[[nodiscard]] Json microseconds(svmrt::Picoseconds time);

// The document as text with a final newline.
[[nodiscard]] std::string document_text(const Json& document);
// A document without times of the above, on one line without a newline. Here as there, what is no UTF-8 is replaced.
[[nodiscard]] std::string line_text(const Json& document);

}  // namespace svmsim
