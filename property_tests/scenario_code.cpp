// SPDX-License-Identifier: Apache-2.0
#include "property_tests/scenario_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace svmsim {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "open_run", "open-run": "OpenRun". What is no letter or digit ends a word.
std::string pascal_case(std::string_view text) {
  std::string result;
  bool word_begins = true;
  for (const char c : text) {
    const bool letter = is_lower(c) || is_upper(c);
    if (letter && word_begins && is_lower(c)) {
      result += static_cast<char>(c - 'a' + 'A');
    } else if (letter || is_digit(c)) {
      result += c;
    }
    word_begins = !letter;
  }
  return result;
}

std::string test_name(const Scenario& scenario) {
  const std::string name = pascal_case(scenario.name);
  return name.empty() || is_digit(name.front()) ? "Case" + name : name;
}

std::string enumerator(std::string_view type, std::string_view name) {
  return fmt::format("{}::k{}", type, pascal_case(name));
}

// A string literal. Three octal digits end an escape whatever follows.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string number(std::uint64_t value) {
  return fmt::format("{}{}", value, value > static_cast<std::uint64_t>(INT64_MAX) ? "u" : "");
}

std::string policy_expression(svmrt::Policy policy) {
  if (policy.kind() == svmrt::Policy::Kind::kBudget) {
    return fmt::format("svmrt::Policy::budget(svmrt::Bytes({}))", number(policy.limit().count()));
  }
  return enumerator("svmrt::Policy", svmrt::policy_name(policy));
}

std::string_view reuse_expression(AddressReuse reuse) {
  switch (reuse) {
    case AddressReuse::kLifo:
      return "AddressReuse::kLifo";
    case AddressReuse::kQuarantine:
      return "AddressReuse::kQuarantine";
    case AddressReuse::kDriver:
      break;
  }
  return "AddressReuse::kDriver";
}

std::string run_expression(std::uint8_t run) { return run == kRunner ? "kRunner" : std::to_string(run); }

std::string field_expression(const Operation& operation, OperationField field) {
  switch (field) {
    case OperationField::kSlot:
      return std::to_string(operation.slot);
    case OperationField::kRun:
      return run_expression(operation.run);
    case OperationField::kOther:
      return run_expression(operation.other);
    case OperationField::kRegion:
      return enumerator("RegionKind", region_name(operation.region));
    case OperationField::kCall:
      return enumerator("CallKind", call_kind_name(operation.call));
    case OperationField::kCode:
      return fmt::format("svmrt::DriverCode{{{}}}", svmrt::code_number(operation.code));
    case OperationField::kOffset:
      return number(operation.offset);
    case OperationField::kSize:
      return number(operation.size);
    case OperationField::kValue:
      return number(operation.value);
  }
  return "";
}

std::string operation_expression(const Operation& operation) {
  std::string text = fmt::format("{{.kind = {}", enumerator("OperationKind", operation_name(operation.kind)));
  // Designated initialisers come in the order of the members, which is the order of the enum.
  const auto used = fields_of(operation.kind);
  std::vector<OperationField> fields(used.begin(), used.end());
  std::sort(fields.begin(), fields.end());
  for (const OperationField field : fields) {
    text += fmt::format(", .{} = {}", field_name(field), field_expression(operation, field));
  }
  return text + "}";
}

}  // namespace

std::string scenario_code(const Scenario& scenario) {
  std::string text = fmt::format("TEST(FoundScenario, {}) {{\n  Scenario scenario;\n", test_name(scenario));
  const auto add = [&](std::string_view member, std::string_view value) {
    text += fmt::format("  scenario.{} = {};\n", member, value);
  };
  const auto add_text = [&](std::string_view member, const std::string& value) {
    if (!value.empty()) add(member, literal(value));
  };
  add_text("name", scenario.name);
  add_text("description", scenario.description);
  add_text("source", scenario.source);
  add_text("fault", scenario.fault);
  add("platform", literal(scenario.platform));
  add("policy", policy_expression(scenario.policy));
  if (scenario.reuse != AddressReuse::kDriver) add("reuse", reuse_expression(scenario.reuse));
  if (scenario.backing == BackingKind::kMmu) add("backing", "BackingKind::kMmu");
  text += "  scenario.operations = {\n";
  for (const Operation& operation : scenario.operations) {
    text += fmt::format("      {},\n", operation_expression(operation));
  }
  return text + "  };\n  EXPECT_EQ(run_scenario(scenario, platforms()).failure, std::nullopt);\n}\n";
}

}  // namespace svmsim
