// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sim/config/fixture_file.h"
#include "sim/config/printable.h"
#include "sim/driver/hal_flags.h"
#include "sim/dropin/symbols.h"

namespace svmsim {

namespace {

constexpr std::size_t kLongestVersion = 255;
constexpr std::string_view kVisibleDevices = "ASCEND_RT_VISIBLE_DEVICES";

#define SVMSIM_NAME(NAME) #NAME,
constexpr std::string_view kSymbols[] = {SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_NAME) SVMSIM_ASCENDCL_SYMBOLS(SVMSIM_NAME)
                                             SVMSIM_DRVDSMI_HOST_SYMBOLS(SVMSIM_NAME)};
#undef SVMSIM_NAME

std::string mistake(std::string_view variable, std::string_view value, std::string_view allowed) {
  return fmt::format("{}: found \"{}\"; allowed: {}", variable, printable(value), allowed);
}

// A mistake in a file that a variable named, directly or not.
std::string mistake(std::string_view variable, const ConfigError& error) {
  return fmt::format("{}: {}", variable, error.message());
}

// Reads variables one by one and keeps the first mistake.
class Reader {
 public:
  Reader(const std::map<std::string, std::string>& variables, std::string fixtures)
      : variables_(variables), fixtures_(std::move(fixtures)) {}

  [[nodiscard]] std::optional<std::string> text(const std::string& variable) {
    known_.push_back(variable);
    const auto it = variables_.find(variable);
    if (it == variables_.end() || it->second.empty()) return std::nullopt;
    return it->second;
  }

  // The file that a variable names, by path or as a fixture.
  [[nodiscard]] std::string file(const std::string& variable, const std::string& kind, const std::string& value) {
    if (names_a_path(value)) return value;
    const auto names = fixture_names_in(fixtures_, kind);
    if (!names) {
      reject(mistake(
          variable, value,
          fmt::format("the path of a .toml file (no names: cannot read {}/{}: {})", fixtures_, kind, names.error())));
    } else if (std::find(names->begin(), names->end(), value) == names->end()) {
      reject(mistake(variable, value, allowed_fixtures(*names)));
    }
    return fixture_file(fixtures_, kind, value);
  }

  void reject(std::string message) {
    if (!error_) error_ = std::move(message);
  }

  // After every variable was asked for: a name that nobody knows is a mistake too.
  [[nodiscard]] std::optional<std::string> first_mistake() const {
    if (error_) return error_;
    for (const auto& [name, value] : variables_) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        return fmt::format("{}: unknown variable, found \"{}\"; allowed: {}", printable(name), printable(value),
                           fmt::join(known_, ", "));
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const std::string& fixtures() const { return fixtures_; }

 private:
  const std::map<std::string, std::string>& variables_;
  const std::string fixtures_;
  std::vector<std::string> known_;
  std::optional<std::string> error_;
};

void read_platform(Reader& reader, Environment& environment) {
  const std::string variable = "SVMSIM_PLATFORM";
  const std::string path = reader.file(variable, "platforms", reader.text(variable).value_or("a2a3"));
  if (reader.failed()) return;
  auto platform = load_platform(path, reader.fixtures());
  if (!platform) return reader.reject(mistake(variable, platform.error()));
  const auto calibration = load_calibration_of(*platform, reader.fixtures());
  if (!calibration) return reader.reject(mistake(variable, calibration.error()));
  environment.assumptions = platform_assumptions(*platform, *calibration);
  environment.platform = std::move(*platform);
  environment.cost = CostModel(calibration->parameters);
}

void read_backing(Reader& reader, Environment& environment) {
  const std::optional<std::string> value = reader.text("SVMSIM_BACKING");
  if (!value) return;
  const auto backing = backing_from_name(*value);
  if (!backing) return reader.reject(mistake("SVMSIM_BACKING", *value, "mmu or plain"));
  environment.backing = *backing;
}

void read_faults(Reader& reader, Environment& environment) {
  const std::string variable = "SVMSIM_FAULTS";
  const auto value = reader.text(variable);
  if (!value) return;
  const std::string path = reader.file(variable, "faults", *value);
  if (reader.failed()) return;
  auto plan = load_fault_plan(path);
  if (!plan) return reader.reject(mistake(variable, plan.error()));
  environment.faults = std::move(*plan);
}

void read_strict(Reader& reader, Environment& environment) {
  const std::string value = reader.text("SVMSIM_STRICT").value_or("0");
  if (value != "0" && value != "1") reader.reject(mistake("SVMSIM_STRICT", value, "0 or 1"));
  environment.strict = value == "1";
}

void read_omitted(Reader& reader, Environment& environment) {
  const std::string list = reader.text("SVMSIM_OMIT").value_or("");
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string symbol = list.substr(begin, end - begin);
    begin = end + 1;
    if (std::find(std::begin(kSymbols), std::end(kSymbols), symbol) == std::end(kSymbols)) {
      reader.reject(mistake("SVMSIM_OMIT", symbol,
                            fmt::format("names separated by commas, out of {}", fmt::join(kSymbols, ", "))));
    }
    environment.omitted.push_back(symbol);
  }
}

// The ACL runtime's own variable. Assumption: a list with a mistake is refused, not cut off there.
void read_visible_devices(Reader& reader, Environment& environment) {
  const std::string variable(kVisibleDevices);
  const auto list = reader.text(variable);
  if (!list) return;
  environment.visible_devices.clear();
  for (std::size_t begin = 0; begin <= list->size();) {
    const std::size_t end = std::min(list->find(',', begin), list->size());
    std::uint32_t id = kDeviceIdLimit;
    const char* const last = list->data() + end;
    const auto parsed = std::from_chars(list->data() + begin, last, id);
    auto& ids = environment.visible_devices;
    if (parsed.ptr != last || parsed.ec != std::errc() || id >= kDeviceIdLimit ||
        std::count(ids.begin(), ids.end(), id) > 0) {
      return reader.reject(mistake(
          variable, *list, fmt::format("device ids from 0 to {}, each once, separated by commas", kDeviceIdLimit - 1)));
    }
    ids.push_back(id);
    begin = end + 1;
  }
}

// The default is an assumption: a version that such a host could have.
void read_version(Reader& reader, Environment& environment) {
  environment.version = reader.text("SVMSIM_VERSION").value_or("25.5.0");
  if (environment.version.size() > kLongestVersion || printable(environment.version) != environment.version) {
    reader.reject(mistake("SVMSIM_VERSION", environment.version,
                          fmt::format("a text of 1 to {} bytes without control characters", kLongestVersion)));
  }
}

// Where the program is now: it may be elsewhere when it ends.
std::string path_from_here(Reader& reader, std::string_view variable, const std::string& value) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(value, error);
  if (error) {
    reader.reject(mistake(variable, value, fmt::format("a path from the root ({} here)", error.message())));
    return value;
  }
  return path.lexically_normal();
}

}  // namespace

std::map<std::string, std::string> svmsim_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    const bool ours = text.starts_with("SVMSIM_") || text.substr(0, equals) == kVisibleDevices;
    if (!ours || equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

tl::expected<Environment, std::string> read_environment(const std::map<std::string, std::string>& variables,
                                                        const std::string& fixtures) {
  Reader reader(variables, fixtures);
  Environment environment;
  read_platform(reader, environment);
  read_backing(reader, environment);
  read_faults(reader, environment);
  read_strict(reader, environment);
  read_omitted(reader, environment);
  read_version(reader, environment);
  read_visible_devices(reader, environment);
  environment.trace_path = reader.text("SVMSIM_TRACE");
  environment.report_path = reader.text("SVMSIM_REPORT");
  if (environment.report_path && *environment.report_path != "-") {
    environment.report_path = path_from_here(reader, "SVMSIM_REPORT", *environment.report_path);
    if (environment.trace_path &&
        path_from_here(reader, "SVMSIM_TRACE", *environment.trace_path) == *environment.report_path) {
      reader.reject(mistake("SVMSIM_REPORT", *environment.report_path, "another file than that of SVMSIM_TRACE"));
    }
  }
  if (auto error = reader.first_mistake()) return tl::unexpected(std::move(*error));
  return environment;
}

}  // namespace svmsim
