// SPDX-License-Identifier: Apache-2.0
// Reads measured points from a CSV file, as a calibration whose parameters are still to be fitted. Functions of the
// file system, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/config/toml_reader.h"
#include "sim/cost/calibration.h"

namespace svmsim {

// More points are refused.
inline constexpr std::size_t kMaxPoints = 1000;

// Lines, in any order:
//   # ...                  a comment; an empty line is one too
//   kind,COLUMN,...        names the columns of the rows below it, as often as their kinds need
//   map,...                bytes, page_kind ("ordinary" or "huge"), pages (of that kind), then register_ and
//                          unregister_ each with min and p99 (optional) and median
//   d2h,... or h2d,...     a copy: bytes, min and p99 (optional), median
//   load,... or store,...  through a view: accesses (so many, one after the other), then as a copy
//   source,...             at most once: device_page, host_page (bytes), personality ("v2" or "v3"), what, where, when,
//                          driver, method (texts); all optional
// Times are microseconds with at most three decimals. An optional field may be empty, a comma never stands in a field,
// blanks around one are dropped. No two points are of the same kind and size. Without a source the driver is v2 and
// both pages have 4096 bytes; texts that are not there say "not stated", but `what` names the file. The error names
// file, line, column, value and what is allowed.
[[nodiscard]] ConfigResult<Calibration> load_points(const std::string& path);
// The same from memory; `file` is the name that errors carry.
[[nodiscard]] ConfigResult<Calibration> parse_points(std::string_view text, const std::string& file);

}  // namespace svmsim
