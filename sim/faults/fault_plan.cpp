// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_plan.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

namespace svmsim {
namespace {

using Call = std::optional<CallKind>;

constexpr Choice<Call> kCalls[] = {{"allocate", CallKind::kAllocate},
                                   {"free", CallKind::kFree},
                                   {"register", CallKind::kRegister},
                                   {"unregister", CallKind::kUnregister},
                                   {"copy_to_device", CallKind::kCopyToDevice},
                                   {"copy_from_device", CallKind::kCopyFromDevice},
                                   {"set_memory", CallKind::kSetMemory},
                                   {"copy_on_device", CallKind::kCopyOnDevice},
                                   {"any", std::nullopt}};
constexpr Choice<FaultRepeat> kRepeats[] = {
    {"each", FaultRepeat::kEach}, {"once", FaultRepeat::kOnce}, {"sticky", FaultRepeat::kSticky}};

// Every failure of svmrt::DriverCode that is a driver's own, of which kNotSupport is the largest, in ascending order.
std::vector<std::uint64_t> failure_codes() {
  std::vector<std::uint64_t> codes;
  for (std::int32_t number = 1; number <= code_number(svmrt::DriverCode::kNotSupport); ++number) {
    const bool defined = driver_code_name(svmrt::DriverCode{number}) != "UNKNOWN";
    if (defined) codes.push_back(static_cast<std::uint64_t>(number));
  }
  return codes;
}

constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 40;
constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::size_t kMostFaults = 64;
constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

Fault read_fault(ConfigTable& table, std::size_t number, std::span<const std::uint64_t> codes) {
  Fault fault;
  fault.name = table.text_or("name", fmt::format("fault[{}]", number));
  fault.call = table.choice("call", kCalls);
  fault.code = static_cast<svmrt::DriverCode>(table.integer_choice("code", codes));
  fault.repeat = table.choice_or("repeat", fault.repeat, kRepeats);
  if (table.has("index")) fault.index = table.integer<std::uint64_t>("index", 0, kLargest);
  if (table.has("per_million")) fault.per_million = table.integer<std::uint32_t>("per_million", 1, kMillion);
  if (table.has("address") || table.has("bytes")) {
    FaultRange range;
    range.first = table.integer<std::uint64_t>("address", 0, kSliceBytes - 1);
    range.bytes = table.integer<std::uint64_t>("bytes", 1, kSliceBytes);
    fault.range = range;
    if (fault.call == CallKind::kAllocate) {
      table.reject("address", "no address range, because an allocate has no address before it succeeded");
    }
  }
  return fault;
}

ConfigResult<FaultPlan> read_fault_plan(ConfigResult<ConfigReader> reader) {
  if (!reader) return tl::unexpected(std::move(reader.error()));
  ConfigTable root = reader->root();
  FaultPlan plan;
  plan.name = root.text("name");
  plan.description = root.text("description");
  plan.seed = root.integer_or<std::uint64_t>("seed", plan.seed, 0, kLargest);
  const std::vector<std::uint64_t> codes = failure_codes();
  std::vector<ConfigTable> tables = root.tables("fault");
  if (tables.empty() || tables.size() > kMostFaults) {
    root.reject("fault", fmt::format("1 to {} tables [[fault]]", kMostFaults));
    tables.clear();
  }
  for (ConfigTable& table : tables) plan.faults.push_back(read_fault(table, plan.faults.size(), codes));
  return reader->finish(std::move(plan));
}

}  // namespace

ConfigResult<FaultPlan> load_fault_plan(const std::string& path) { return read_fault_plan(ConfigReader::open(path)); }

ConfigResult<FaultPlan> parse_fault_plan(std::string_view text, std::string file) {
  return read_fault_plan(ConfigReader::parse(text, std::move(file)));
}

}  // namespace svmsim
