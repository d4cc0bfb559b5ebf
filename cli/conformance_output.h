// SPDX-License-Identifier: Apache-2.0
// What `svmsim conformance` prints and writes. Pure functions, thread-safe.
#pragma once

#include <string>
#include <vector>

#include "sim/conformance/overlay.h"
#include "sim/conformance/report.h"
#include "sim/output/json_document.h"

namespace svmsim {

// Who was asked.
struct ConformanceSubject {
  std::string library;   // its path; empty: the simulated driver in process
  std::string platform;  // the name of the platform whose rules it was asked for
};

[[nodiscard]] Json conformance_json(const ConformanceSubject& subject, const ConformanceReport& report);
[[nodiscard]] std::string conformance_text(const ConformanceSubject& subject, const ConformanceReport& report);

// A platform file that extends `base` (a platform's name or path, UTF-8) and answers as the driver did, as far as keys
// can say it; the rest stands in comments.
[[nodiscard]] std::string overlay_text(const ConformanceSubject& subject, const std::string& base,
                                       const Overlay& overlay);

// The beginning of such a file, whichever command it is from: `who` was asked, and is called `name`.
[[nodiscard]] std::string extending_platform_text(const std::string& command, const std::string& who,
                                                  const std::string& name, const std::string& base,
                                                  const std::vector<PlatformChange>& changes);

}  // namespace svmsim
