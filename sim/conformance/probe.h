// SPDX-License-Identifier: Apache-2.0
// What can be found out about the machine behind a driver: page sizes, what can be mapped, which driver it is. The same
// questions go to a board's library and to the simulated driver of a platform, so that what a platform answers is
// written down nowhere. Thread-bound as the port is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/conformance/hal_port.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

// One thing about the machine, and how it was found, or why not.
struct Finding {
  std::string name;
  std::optional<std::string> value;
  std::string how;
  bool compared = true;  // whether a platform can say it; the others are only reported
};

// What the driver's log says in "support_bar_mem=0 support_bar_huge_mem=1" (R7).
struct BarSupport {
  bool ordinary = false;
  bool huge = false;
};
// By the last such line of a log; null when it has none.
[[nodiscard]] std::optional<BarSupport> bar_support_in_log(std::string_view log);

// What is known beside the driver's answers.
struct ProbeSources {
  // sysconf's, on a board. A simulated driver has a host page of its own, which only its answers tell.
  std::optional<svmrt::Bytes> system_page;
  std::optional<BarSupport> log;
};

// Each question is a case of its own. What a driver does not answer, dies of or does not have is not found, and `how`
// says why. Always the same findings in the same order.
[[nodiscard]] std::vector<Finding> probe(HalPort& port, const ProbeSources& sources);
// Where the size of a host page is from.
enum class HostPageSource : std::uint8_t { kSystem, kAnswers };
// Of the simulated driver of a platform, in this process; kSystem: the platform's host page is known, as a board's is.
[[nodiscard]] std::vector<Finding> probe_in_process(const Platform& platform, const AddressLayout& layout,
                                                    HostPageSource source);

// By name; there is one.
[[nodiscard]] const Finding& finding_of(const std::vector<Finding>& findings, std::string_view name);

}  // namespace svmsim
