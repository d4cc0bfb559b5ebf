// SPDX-License-Identifier: Apache-2.0
#include "cli/option_value.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "sim/config/fixture_file.h"
#include "sim/config/input_files.h"
#include "sim/config/printable.h"

namespace svmsim {

namespace {

// By its first bytes, those of an ELF file.
bool is_program_or_library(const std::string& path) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  std::string start(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file && start == kMagic;
}

// How an output that extends the platform of --platform `argument` names it; the error says why none can.
CliResult<std::string> name_in_output(const std::string& argument, const Platform& platform) {
  std::string name = names_a_path(argument) ? std::filesystem::absolute(platform.file).string() : argument;
  if (!is_utf8(name)) {
    return tl::unexpected(
        option_error("--platform", name, "with --output a path in UTF-8, because the output names it"));
  }
  if (platform.extensions == kMostExtensions) {
    return tl::unexpected(option_error("--platform", argument,
                                       fmt::format("with --output a platform that extends fewer than {} others, "
                                                   "because the output extends it",
                                                   kMostExtensions)));
  }
  return name;
}

}  // namespace

CliResult<std::uint64_t> integer_option(const std::string& option, const std::string& text, std::uint64_t min,
                                        std::uint64_t max) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stopped != end || value < min || value > max) {
    return tl::unexpected(option_error(option, text, fmt::format("an integer from {} to {}", min, max)));
  }
  return value;
}

CliResult<std::vector<std::uint64_t>> integers_option(const std::string& option, const std::string& text,
                                                      std::uint64_t min, std::uint64_t max) {
  constexpr std::size_t kMostValues = 1000;
  std::vector<std::uint64_t> values;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    auto value = integer_option(option, text.substr(at, comma - at), min, max);
    if (!value) return tl::unexpected(value.error());
    if (values.size() == kMostValues) {
      return tl::unexpected(option_error(option, text, fmt::format("at most {} sizes", kMostValues)));
    }
    values.push_back(*value);
    at = comma + 1;
  }
  return values;
}

CliResult<svmrt::Policy> policy_option(const std::string& text) {
  if (const auto policy = svmrt::policy_from_name(text)) return *policy;
  return tl::unexpected(option_error("--policy", text, std::string(svmrt::kPolicyNames)));
}

CliResult<std::string> output_path(const Locations& locations, const std::string& kind, const std::string& text) {
  const std::string path = names_a_path(text) ? text : fixture_file(locations.fixtures, kind, text);
  const std::string name = std::filesystem::path(path).stem().string();
  const bool good_name =
      !name.empty() && name.size() <= 64 &&
      name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
  if (good_name && path.ends_with(".toml")) return path;
  return tl::unexpected(option_error(
      "--output", text,
      fmt::format("a name of 1 to 64 letters, digits, '_' and '-' for fixtures/{}/, or the path of such a .toml file",
                  kind)));
}

CliResult<void> check_output(const std::string& option, const std::string& text, const std::string& path) {
  if (!is_input_file(path)) return {};
  return tl::unexpected(option_error(option, text, "another file than those that the command reads"));
}

CliResult<std::unique_ptr<OutputFile>> output_option(const std::string& option, const std::string& text,
                                                     const std::string& path) {
  if (auto checked = check_output(option, text, path); !checked) return tl::unexpected(checked.error());
  // A driver's libraries load others, which this process never sees.
  if (is_program_or_library(path)) {
    return tl::unexpected(option_error(option, text, "another file than a program or a library"));
  }
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(option_error(option, text, "a file that can be written: " + file.error()));
  return std::move(*file);
}

CliResult<PlatformOutput> platform_output_option(const Locations& locations, const std::string& text,
                                                 const std::string& argument, const Platform& platform) {
  PlatformOutput output;
  auto base = name_in_output(argument, platform);
  if (!base) return tl::unexpected(base.error());
  output.base = std::move(*base);
  const auto path = output_path(locations, "platforms", text);
  if (!path) return tl::unexpected(path.error());
  auto file = output_option("--output", text, *path);
  if (!file) return tl::unexpected(file.error());
  output.file = std::move(*file);
  return output;
}

}  // namespace svmsim
