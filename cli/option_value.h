// SPDX-License-Identifier: Apache-2.0
// Reads numbers, policies and output files out of option texts. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/cli_error.h"
#include "cli/locations.h"
#include "runtime/policy.h"
#include "sim/output/output_file.h"

namespace svmsim {

// A decimal integer from `min` to `max`, nothing else in the text.
[[nodiscard]] CliResult<std::uint64_t> integer_option(const std::string& option, const std::string& text,
                                                      std::uint64_t min, std::uint64_t max);
// Such integers with commas between them, at least one and at most 1000.
[[nodiscard]] CliResult<std::vector<std::uint64_t>> integers_option(const std::string& option, const std::string& text,
                                                                    std::uint64_t min, std::uint64_t max);

// --policy: a policy's name.
[[nodiscard]] CliResult<svmrt::Policy> policy_option(const std::string& text);

// --output: where a fixture is to be written, by its name in a folder of --fixtures ("platforms") or as a .toml file.
[[nodiscard]] CliResult<std::string> output_path(const Locations& locations, const std::string& kind,
                                                 const std::string& text);
// The file that `option` names by `text`, which is `path`, must be none that this process has read, or notes that it
// will: that one would be lost.
[[nodiscard]] CliResult<void> check_output(const std::string& option, const std::string& text, const std::string& path);
// Checks and opens it; nor must it be a program or a library, as those of a driver.
[[nodiscard]] CliResult<std::unique_ptr<OutputFile>> output_option(const std::string& option, const std::string& text,
                                                                   const std::string& path);

// A platform file to write, and how it names the platform of --platform if it extends that.
struct PlatformOutput {
  std::string base;
  std::unique_ptr<OutputFile> file;
};
// --output: `text`, with --platform `argument`, which is `platform`.
[[nodiscard]] CliResult<PlatformOutput> platform_output_option(const Locations& locations, const std::string& text,
                                                               const std::string& argument, const Platform& platform);

}  // namespace svmsim
