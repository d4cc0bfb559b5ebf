// SPDX-License-Identifier: Apache-2.0
#include "property_tests/scenario_file.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "sim/config/toml_text.h"

namespace svmsim {

namespace {

constexpr std::string_view kRunnerWord = "runner";

constexpr Choice<AddressReuse> kReuses[] = {
    {"driver", AddressReuse::kDriver}, {"lifo", AddressReuse::kLifo}, {"quarantine", AddressReuse::kQuarantine}};
constexpr Choice<BackingKind> kBackings[] = {{backing_name(BackingKind::kPlain), BackingKind::kPlain},
                                             {backing_name(BackingKind::kMmu), BackingKind::kMmu}};
constexpr RegionKind kRegions[] = {RegionKind::kChildMemory, RegionKind::kStaged, RegionKind::kOutputOnly,
                                   RegionKind::kWithoutData};
// The calls of the runtime's port, the only ones that a fail_next can mean.
constexpr CallKind kPortCalls[] = {CallKind::kAllocate,   CallKind::kFree,         CallKind::kRegister,
                                   CallKind::kUnregister, CallKind::kCopyToDevice, CallKind::kCopyFromDevice,
                                   CallKind::kSetMemory};

// `name_of` gives the word of each value.
template <typename E, std::size_t N, typename NameOf>
E named_choice(ConfigTable& table, std::string_view key, const E (&values)[N], NameOf name_of) {
  Choice<E> choices[N];
  for (std::size_t i = 0; i < N; ++i) choices[i] = {name_of(values[i]), values[i]};
  return table.choice(key, choices);
}

bool may_be_the_runner(OperationKind kind) { return kind == OperationKind::kAllocate || kind == OperationKind::kFree; }

std::uint8_t run_field(ConfigTable& table, OperationKind kind) {
  constexpr std::uint8_t kFirst = 0;
  constexpr std::uint8_t kLast = kRuns - 1;
  if (!may_be_the_runner(kind)) return table.integer("run", kFirst, kLast);
  return table.integer_or_word("run", kFirst, kLast, kRunnerWord, kRunner);
}

std::uint64_t word_field(ConfigTable& table, std::string_view key) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::uint64_t>(table.integer(key, Limits::min(), Limits::max()));
}

void read_field(ConfigTable& table, OperationField field, Operation& operation) {
  const std::string_view key = field_name(field);
  switch (field) {
    case OperationField::kSlot:
      operation.slot = table.integer<std::uint8_t>(key, 0, kSlots - 1);
      break;
    case OperationField::kRun:
      operation.run = run_field(table, operation.kind);
      break;
    case OperationField::kOther:
      operation.other = table.integer<std::uint8_t>(key, 0, kRuns - 1);
      break;
    case OperationField::kRegion:
      operation.region = named_choice(table, key, kRegions, region_name);
      break;
    case OperationField::kCall:
      operation.call = named_choice(table, key, kPortCalls, call_kind_name);
      break;
    case OperationField::kCode:
      operation.code =
          static_cast<svmrt::DriverCode>(table.integer<std::int32_t>(key, 1, std::numeric_limits<std::int32_t>::max()));
      break;
    case OperationField::kOffset:
      operation.offset = word_field(table, key);
      break;
    case OperationField::kSize:
      operation.size = word_field(table, key);
      break;
    case OperationField::kValue:
      operation.value = word_field(table, key);
      break;
  }
}

std::string kind_list() {
  std::string list = "one of ";
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    list += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", operation_name(static_cast<OperationKind>(i)));
  }
  return list;
}

// Nothing when it is not known which keys the operation should have.
std::optional<Operation> read_operation(ConfigTable& table) {
  const auto kind = operation_from_name(table.text("do"));
  if (!kind) {
    table.reject("do", kind_list());
    return std::nullopt;
  }
  Operation operation;
  operation.kind = *kind;
  for (const OperationField field : fields_of(*kind)) read_field(table, field, operation);
  return operation;
}

bool is_name(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
         std::string_view::npos;
}

ConfigResult<Scenario> read_scenario(ConfigReader& reader) {
  ConfigTable root = reader.root();
  Scenario scenario;
  scenario.name = root.text_or("name", "");
  if (!is_name(scenario.name)) root.reject("name", "letters, digits, '-' and '_'");
  scenario.description = root.text_or("description", "");
  scenario.source = root.text_or("source", "");
  scenario.fault = root.text_or("fault", "");
  scenario.platform = root.text("platform");
  if (const auto policy = svmrt::policy_from_name(root.text("policy"))) {
    scenario.policy = *policy;
  } else {
    root.reject("policy", std::string(svmrt::kPolicyNames));
  }
  scenario.reuse = root.choice_or("reuse", AddressReuse::kDriver, kReuses);
  scenario.backing = root.choice_or("backing", BackingKind::kPlain, kBackings);
  auto tables = root.tables("operation");
  scenario.operations.reserve(tables.size());
  for (ConfigTable& table : tables) {
    const auto operation = read_operation(table);
    if (!operation) return tl::unexpected(*reader.first_error());
    scenario.operations.push_back(*operation);
  }
  return reader.finish(std::move(scenario));
}

std::string run_value(std::uint8_t run) {
  return run == kRunner ? fmt::format("\"{}\"", kRunnerWord) : std::to_string(run);
}

std::string field_value(const Operation& operation, OperationField field) {
  switch (field) {
    case OperationField::kSlot:
      return std::to_string(operation.slot);
    case OperationField::kRun:
      return run_value(operation.run);
    case OperationField::kOther:
      return run_value(operation.other);
    case OperationField::kRegion:
      return fmt::format("\"{}\"", region_name(operation.region));
    case OperationField::kCall:
      return fmt::format("\"{}\"", call_kind_name(operation.call));
    case OperationField::kCode:
      return std::to_string(svmrt::code_number(operation.code));
    case OperationField::kOffset:
      return std::to_string(static_cast<std::int64_t>(operation.offset));
    case OperationField::kSize:
      return std::to_string(static_cast<std::int64_t>(operation.size));
    case OperationField::kValue:
      return std::to_string(static_cast<std::int64_t>(operation.value));
  }
  return "";
}

}  // namespace

ConfigResult<Scenario> load_scenario(const std::string& path) {
  auto reader = ConfigReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  return read_scenario(*reader);
}

ConfigResult<Scenario> parse_scenario(std::string_view text, std::string file) {
  auto reader = ConfigReader::parse(text, std::move(file));
  if (!reader) return tl::unexpected(reader.error());
  return read_scenario(*reader);
}

std::string scenario_text(const Scenario& scenario) {
  std::string text;
  const auto add_optional = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, toml_quoted(value));
  };
  add_optional("name", scenario.name);
  add_optional("description", scenario.description);
  add_optional("source", scenario.source);
  add_optional("fault", scenario.fault);
  text += fmt::format("platform = {}\npolicy = {}\nreuse = {}\nbacking = {}\noperation = [\n",
                      toml_quoted(scenario.platform), toml_quoted(svmrt::policy_name(scenario.policy)),
                      toml_quoted(word_of(kReuses, scenario.reuse)), toml_quoted(backing_name(scenario.backing)));
  for (const Operation& operation : scenario.operations) {
    text += fmt::format("  {{ do = \"{}\"", operation_name(operation.kind));
    for (const OperationField field : fields_of(operation.kind)) {
      text += fmt::format(", {} = {}", field_name(field), field_value(operation, field));
    }
    text += " },\n";
  }
  return text + "]\n";
}

}  // namespace svmsim
