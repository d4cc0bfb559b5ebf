// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "sim/config/printable.h"

namespace svmsim {
namespace {

constexpr std::int32_t kMaxCode = 65535;

enum class Call : std::uint8_t {
  kAlloc,
  kFree,
  kRegister,
  kUnregister,
  kUnregisterEx,
  kFeature,
  kDevPointer,
  kMemCtl,
  kLookUp,
  kReopen,
};

constexpr Choice<Call> kCalls[] = {
    {"halMemAlloc", Call::kAlloc},
    {"halMemFree", Call::kFree},
    {"halHostRegister", Call::kRegister},
    {"halHostUnregister", Call::kUnregister},
    {"halHostUnregisterEx", Call::kUnregisterEx},
    {"halSupportFeature", Call::kFeature},
    {"halMemHostGetDevPointer", Call::kDevPointer},
    {"halMemCtl", Call::kMemCtl},
    {"dlsym", Call::kLookUp},
    {"reopen_device", Call::kReopen},
};

constexpr Choice<HalSymbol> kSymbols[] = {
    {"halHostUnregisterEx", HalSymbol::kHostUnregisterEx},
    {"halSupportFeature", HalSymbol::kSupportFeature},
    {"halMemHostGetDevPointer", HalSymbol::kMemHostGetDevPointer},
};

// Reads the steps of one case and keeps which variables they name.
class StepReader {
 public:
  Step read(ConfigTable& step) {
    switch (step.choice("call", kCalls)) {
      case Call::kAlloc:
        return read_alloc(step);
      case Call::kFree:
        return FreeStep{address(step, "pp"), code(step)};
      case Call::kRegister:
        return read_register(step);
      case Call::kUnregister:
        return UnregisterStep{address(step, "src"), device_id(step), code(step)};
      case Call::kUnregisterEx:
        return UnregisterExStep{address(step, "src"), device_id(step), register_flag(step), code(step)};
      case Call::kFeature:
        return FeatureStep{device_id(step), type(step), step.boolean("value")};
      case Call::kDevPointer:
        return read_dev_pointer(step);
      case Call::kMemCtl:
        return read_mem_ctl(step);
      case Call::kLookUp:
        return LookUpStep{step.choice("symbol", kSymbols), step.boolean("value")};
      case Call::kReopen:
        break;
    }
    return ReopenStep{};
  }

 private:
  Step read_alloc(ConfigTable& step) {
    AllocStep alloc;
    alloc.size = size(step, "size");
    const std::string flag = step.text("flag");
    if (auto word = parse_alloc_flag(flag)) {
      alloc.flag = *std::move(word);
    } else {
      step.reject("flag", alloc_flag_words());
    }
    alloc.null_result = step.boolean_or("null_pp", false);
    alloc.code = code(step);
    alloc.address = address_if_any(step, "address", alloc.code);
    alloc.differs = address_if_any(step, "differs", alloc.code);
    alloc.given = address_if_any(step, "given", alloc.code);
    if (step.has("given_multiple_of")) {
      alloc.given_multiple_of = size(step, "given_multiple_of");
      if (alloc.given_multiple_of->offset == 0) step.reject("given_multiple_of", "a size above 0");
    }
    alloc.as = name_if_any(step, alloc.code);
    return alloc;
  }

  Step read_register(ConfigTable& step) {
    RegisterStep registration;
    registration.source = address(step, "src");
    registration.size = size(step, "size");
    registration.flag = register_flag(step);
    registration.device_id = device_id(step);
    registration.null_destination = step.boolean_or("null_dst", false);
    registration.code = code(step);
    registration.host = address_if_any(step, "host", registration.code);
    registration.differs = address_if_any(step, "differs", registration.code);
    registration.as = name_if_any(step, registration.code);
    return registration;
  }

  Step read_dev_pointer(ConfigTable& step) {
    DevPointerStep pointer;
    pointer.host = address(step, "src");
    pointer.device_id = device_id(step);
    pointer.code = code(step);
    pointer.address = address_if_any(step, "address", pointer.code);
    return pointer;
  }

  Step read_mem_ctl(ConfigTable& step) {
    MemCtlStep control;
    control.type = type(step);
    control.mask = step.integer_or<std::uint64_t>("mask", 0, 0, std::numeric_limits<std::uint64_t>::max());
    control.device_id = device_id(step);
    control.null_in = step.boolean_or("null_in", false);
    control.null_out = step.boolean_or("null_out", false);
    control.code = code(step);
    if (step.has("mask_out")) {
      control.mask_out = step.integer<std::uint64_t>("mask_out", 0, std::numeric_limits<std::uint64_t>::max());
      if (control.code != 0) step.reject("mask_out", "no mask_out with a code other than 0");
    }
    return control;
  }

  static std::int32_t code(ConfigTable& step) { return step.integer<std::int32_t>("code", 0, kMaxCode); }
  static std::int32_t type(ConfigTable& step) {
    return step.integer<std::int32_t>("type", 0, std::numeric_limits<std::int32_t>::max());
  }
  static std::uint32_t device_id(ConfigTable& step) {
    return step.integer_or<std::uint32_t>("devid", 0, 0, std::numeric_limits<std::uint32_t>::max());
  }

  static FlagWord register_flag(ConfigTable& step) {
    if (auto word = parse_register_flag(step.text_or("flag", "DEV_SVM_MAP_HOST"))) return *std::move(word);
    step.reject("flag", register_flag_words());
    return {};
  }

  static Amount size(ConfigTable& step, std::string_view key) {
    auto amount = parse_amount(step.text(key));
    if (amount && amount->variable.empty()) return *std::move(amount);
    step.reject(key, "numbers such as \"4096\", \"2M\" or \"36M+1\", without a variable");
    return {};
  }

  Amount address(ConfigTable& step, std::string_view key) const {
    auto amount = parse_amount(step.text(key));
    if (!amount) {
      step.reject(key, "a variable or a number, and offsets: \"a\", \"a+4K\", \"a+2M-1\"");
      return {};
    }
    if (!amount->variable.empty() && !variables_.contains(amount->variable)) {
      step.reject(key, "a variable that an earlier step of the case names: " + printable_list(variables_));
      return {};
    }
    return *std::move(amount);
  }

  std::optional<Amount> address_if_any(ConfigTable& step, std::string_view key, std::int32_t code) const {
    if (!step.has(key)) return std::nullopt;
    if (code != 0) step.reject(key, fmt::format("no {} with a code other than 0", key));
    return address(step, key);
  }

  std::string name_if_any(ConfigTable& step, std::int32_t code) {
    if (!step.has("as")) return "";
    std::string name = step.text("as");
    if (code != 0) step.reject("as", "no name with a code other than 0");
    if (!is_variable_name(name)) step.reject("as", "lower-case letters, digits and '_', starting with a letter");
    if (!variables_.insert(name).second) step.reject("as", "a name that the case does not use yet");
    return name;
  }

  std::set<std::string> variables_{std::string(kNullVariable), std::string(kHostVariable),
                                   std::string(kFirstBlockVariable)};
};

// A letter of the rule's group, a number, and for parts of a rule a letter: "P2", "F2a".
bool is_rule_id(std::string_view rule) {
  if (rule.empty() || std::string_view("PRUF").find(rule.front()) == std::string_view::npos) return false;
  rule.remove_prefix(1);
  const std::size_t digits = std::min(rule.find_first_not_of("0123456789"), rule.size());
  if (digits == 0) return false;
  rule.remove_prefix(digits);
  return rule.empty() || (rule.size() == 1 && 'a' <= rule.front() && rule.front() <= 'z');
}

ScriptNeeds read_needs(ConfigTable needs) {
  ScriptNeeds read;
  if (needs.has("host_page")) read.host_page = needs.integer_choice("host_page", kPageSizes);
  if (needs.has("device_page")) read.device_page = needs.integer_choice("device_page", kPageSizes);
  if (needs.has("host")) read.host = needs.choice("host", kHostWords);
  if (needs.has("giant_page")) read.giant_page = needs.boolean("giant_page");
  if (needs.has("fragmented")) read.fragmented = needs.boolean("fragmented");
  return read;
}

ConfigResult<ConformanceScript> read_script(ConfigReader reader) {
  ConfigTable root = reader.root();
  ConformanceScript script;
  script.name = root.text("name");
  script.description = root.text("description");
  script.source = root.text("source");
  script.personality = root.choice("personality", kDriverWords);
  if (root.has("needs")) script.needs = read_needs(root.table("needs"));
  std::set<std::pair<std::string, std::string>> names;
  for (ConfigTable& table : root.tables("case")) {
    ConformanceCase one;
    one.rule = table.text("rule");
    if (!is_rule_id(one.rule)) table.reject("rule", "a rule id such as \"R6\" or \"F2a\"");
    one.name = table.text("name");
    if (!names.emplace(one.rule, one.name).second) table.reject("name", "a name that no other case of the rule has");
    StepReader steps;
    for (ConfigTable& step : table.tables("steps")) one.steps.push_back(steps.read(step));
    if (one.steps.empty()) table.reject("steps", "at least one step");
    script.cases.push_back(std::move(one));
  }
  if (script.cases.empty()) root.reject("case", "at least one case");
  return reader.finish(std::move(script));
}

}  // namespace

ConfigResult<ConformanceScript> load_conformance_script(const std::string& path) {
  auto reader = ConfigReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  return read_script(*std::move(reader));
}

ConfigResult<ConformanceScript> parse_conformance_script(std::string_view text, std::string file) {
  auto reader = ConfigReader::parse(text, std::move(file));
  if (!reader) return tl::unexpected(reader.error());
  return read_script(*std::move(reader));
}

}  // namespace svmsim
