// SPDX-License-Identifier: Apache-2.0
#include "property_tests/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace svmsim {

namespace {

using enum OperationField;

struct KindInfo {
  std::string_view name;
  std::vector<OperationField> fields;
};

const std::array<KindInfo, kOperationKinds>& kinds() {
  // In the order of the enum.
  static const std::array<KindInfo, kOperationKinds> table = {{
      {"allocate", {kSlot, kSize, kRun}},
      {"free", {kSlot, kOffset, kRun}},
      {"open_run", {kRun}},
      {"claim", {kRun, kSlot, kOffset, kSize, kRegion}},
      {"read", {kRun, kSlot, kOffset, kSize}},
      {"write", {kRun, kSlot, kOffset, kSize, kValue}},
      {"close_views", {kRun}},
      {"end_run", {kRun}},
      {"register", {kRun, kSlot, kOffset, kSize}},
      {"unregister", {kRun, kSlot, kOffset}},
      {"upload", {kRun, kSlot, kOffset, kSize, kValue}},
      {"download", {kRun, kSlot, kOffset, kSize}},
      {"set_memory", {kRun, kSlot, kOffset, kSize, kValue}},
      {"device_write", {kSlot, kOffset, kSize, kValue}},
      {"fail_next", {kCall, kCode}},
      {"stranger_leaks", {kSize}},
      {"stranger_maps", {kSlot}},
      {"stranger_unmaps", {kSlot}},
      {"finalize", {}},
      {"restart", {}},
      {"lose_device", {}},
      {"fork", {kSlot, kRun}},
      {"race", {kRun, kOther, kSlot, kOffset, kSize}},
  }};
  return table;
}

constexpr std::array<std::string_view, 4> kRegionNames = {"child_memory", "staged", "output_only", "without_data"};
constexpr std::array<std::string_view, 9> kFieldNames = {"slot", "run",    "other", "region", "call",
                                                         "code", "offset", "size",  "value"};

std::string run_text(std::uint8_t run) { return run == kRunner ? "the runner" : fmt::format("run {}", run); }

std::string field_text(const Operation& operation, OperationField field) {
  switch (field) {
    case kSlot:
      return fmt::format("slot {}", operation.slot);
    case kRun:
      return run_text(operation.run);
    case kOther:
      return fmt::format("and {}", run_text(operation.other));
    case kRegion:
      return std::string(region_name(operation.region));
    case kCall:
      return std::string(call_kind_name(operation.call));
    case kCode:
      return fmt::format("code {}", svmrt::code_number(operation.code));
    case kOffset:
      return fmt::format("offset {}", operation.offset);
    case kSize:
      return fmt::format("size {}", operation.size);
    case kValue:
      return fmt::format("value {}", operation.value);
  }
  return "";
}

}  // namespace

std::string_view operation_name(OperationKind kind) { return kinds()[static_cast<std::size_t>(kind)].name; }

std::optional<OperationKind> operation_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    if (kinds()[i].name == name) return static_cast<OperationKind>(i);
  }
  return std::nullopt;
}

std::string_view region_name(RegionKind kind) { return kRegionNames[static_cast<std::size_t>(kind)]; }

std::span<const OperationField> fields_of(OperationKind kind) { return kinds()[static_cast<std::size_t>(kind)].fields; }

bool uses(OperationKind kind, OperationField field) {
  const auto fields = fields_of(kind);
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

std::vector<std::uint8_t> bytes_of(const Operation& operation) {
  std::vector<std::uint8_t> bytes(operation.size);
  for (std::uint64_t i = 0; i < operation.size; ++i) bytes[i] = byte_of(operation.value, i);
  return bytes;
}

std::string_view field_name(OperationField field) { return kFieldNames[static_cast<std::size_t>(field)]; }

std::string operation_text(const Operation& operation) {
  std::string text(operation_name(operation.kind));
  const char* separator = " ";
  for (const OperationField field : fields_of(operation.kind)) {
    text += separator + field_text(operation, field);
    separator = ", ";
  }
  return text;
}

}  // namespace svmsim
