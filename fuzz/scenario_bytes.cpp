// SPDX-License-Identifier: Apache-2.0
#include "fuzz/scenario_bytes.h"

#include <algorithm>
#include <array>

#include "property_tests/case_setting.h"

namespace svmsim {

namespace {

using svmrt::Bytes;
using svmrt::DriverCode;
using svmrt::Policy;
using Kind = OperationKind;
using RecordView = std::span<const std::uint8_t, kRecordBytes>;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;

// As a size, one is either small enough for six of its blocks to fit on the device, or larger than the device: the
// model knows no device that fills up.
constexpr std::array<std::uint64_t, 16> kLandmarks = {
    0,
    64,
    4 * kKiB,
    8 * kKiB,
    16 * kKiB,
    32 * kKiB,
    64 * kKiB,
    128 * kKiB,
    kLargestOrdinary,
    2 * kMiB,
    3 * kMiB,
    4 * kMiB,
    20 * kMiB,
    2 * kGiB,
    4 * kGiB,
    std::uint64_t{1} << 63,
};
static_assert(20 * kMiB * 2 * kSlots < kScenarioHbm.count() && 2 * kGiB > kScenarioHbm.count() + 128);
constexpr std::uint64_t kMostBudgetTimes = 4;
constexpr std::array kReuse = {AddressReuse::kDriver, AddressReuse::kLifo, AddressReuse::kQuarantine};
constexpr std::array kCalls = {CallKind::kAllocate,   CallKind::kFree,         CallKind::kRegister,
                               CallKind::kUnregister, CallKind::kCopyToDevice, CallKind::kCopyFromDevice,
                               CallKind::kSetMemory};
constexpr std::array kCodes = {DriverCode::kIoctlFail,   DriverCode::kNotSupport,  DriverCode::kParaError,
                               DriverCode::kBusy,        DriverCode::kOutOfMemory, DriverCode::kTryAgain,
                               DriverCode::kInvalidValue};
constexpr std::array kRegions = {RegionKind::kChildMemory, RegionKind::kStaged, RegionKind::kOutputOnly,
                                 RegionKind::kWithoutData};
// A byte with two choices has the first in its remainder, the second in its quotient.
constexpr std::uint8_t kRunChoices = kRuns + 1;  // the last is the runner

bool is_slow(Kind kind) { return kind == Kind::kFork || kind == Kind::kRace; }

// Kinds whose size is that of an access. It has one byte.
bool is_access(Kind kind) {
  constexpr std::array kAccesses = {Kind::kRead,     Kind::kWrite,     Kind::kUpload,
                                    Kind::kDownload, Kind::kSetMemory, Kind::kDeviceWrite};
  return std::find(kAccesses.begin(), kAccesses.end(), kind) != kAccesses.end();
}
bool is_by_runner(Kind kind) { return kind == Kind::kAllocate || kind == Kind::kFree; }

template <typename T, std::size_t N>
std::optional<std::uint8_t> place_of(const std::array<T, N>& choices, const T& chosen) {
  const auto found = std::find(choices.begin(), choices.end(), chosen);
  if (found == choices.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - choices.begin());
}

std::uint64_t read_span(RecordView record, std::size_t at) {
  const auto distance = static_cast<std::int8_t>(record[at + 1]);
  return kLandmarks[record[at] % kLandmarks.size()] + static_cast<std::uint64_t>(std::int64_t{distance});
}

// Takes bytes of a record as they are made; `fits` is false once something had no bytes.
struct Writer {
  std::vector<std::uint8_t>& bytes;
  bool fits = true;

  void begin() { bytes.resize(bytes.size() + kRecordBytes); }
  std::uint8_t& at(std::size_t index) { return bytes[bytes.size() - kRecordBytes + index]; }
  void put(std::size_t index, std::optional<std::size_t> byte) {
    if (byte && *byte <= 0xff) {
      at(index) = static_cast<std::uint8_t>(*byte);
    } else {
      fits = false;
    }
  }
  void put_span(std::size_t index, std::uint64_t value) { fits = try_span(index, value) && fits; }
  void put_budget(std::uint64_t limit) {
    for (std::uint64_t times = 1; times <= kMostBudgetTimes; ++times) {
      if (limit % times != 0 || !try_span(kBudgetBytes, limit / times)) continue;
      at(kBudgetTimesByte) = static_cast<std::uint8_t>(times - 1);
      return;
    }
    fits = false;
  }

 private:
  bool try_span(std::size_t index, std::uint64_t value) {
    for (std::size_t i = 0; i < kLandmarks.size(); ++i) {
      const auto distance = static_cast<std::int64_t>(value - kLandmarks[i]);
      if (distance < -128 || distance > 127) continue;
      at(index) = static_cast<std::uint8_t>(i);
      at(index + 1) = static_cast<std::uint8_t>(distance);
      return true;
    }
    return false;
  }
};

void read_setting(RecordView record, const ScenarioPlatforms& platforms, Scenario& scenario) {
  scenario.platform = platforms[record[kPlatformByte] % platforms.size()].platform.name;
  const auto fixed = svmrt::fixed_policies();
  const std::size_t choice = record[kPolicyByte] % (fixed.size() + 1);
  const std::uint64_t span = std::clamp<std::uint64_t>(read_span(record, kBudgetBytes), 1, 4 * kGiB);
  const std::uint64_t times = 1 + record[kBudgetTimesByte] % kMostBudgetTimes;
  scenario.policy = choice < fixed.size() ? fixed[choice] : Policy::budget(Bytes(std::min(span * times, 4 * kGiB)));
  scenario.reuse = kReuse[record[kReuseByte] % kReuse.size()];
}

Operation read_operation(RecordView record) {
  Operation operation;
  operation.kind = static_cast<Kind>(record[kKindByte] % kOperationKinds);
  for (const OperationField field : fields_of(operation.kind)) {
    switch (field) {
      case OperationField::kSlot:
        operation.slot = record[kWhereByte] % kSlots;
        break;
      case OperationField::kRun: {
        const auto run = static_cast<std::uint8_t>(record[kWhereByte] / kSlots % kRunChoices);
        operation.run = run < kRuns ? run : is_by_runner(operation.kind) ? kRunner : std::uint8_t{0};
        break;
      }
      case OperationField::kOther:
        operation.other = record[kDetailByte] % kRuns;
        break;
      case OperationField::kRegion:
        operation.region = kRegions[record[kDetailByte] % kRegions.size()];
        break;
      case OperationField::kCall:
        operation.call = kCalls[record[kDetailByte] % kCalls.size()];
        break;
      case OperationField::kCode:
        operation.code = kCodes[record[kDetailByte] / kCalls.size() % kCodes.size()];
        break;
      case OperationField::kOffset:
        operation.offset = read_span(record, kOffsetBytes);
        break;
      case OperationField::kSize:
        operation.size =
            is_access(operation.kind) ? record[kSizeBytes] % (kLargestAccess + 1) : read_span(record, kSizeBytes);
        break;
      case OperationField::kValue:
        operation.value = record[kValueByte];
        break;
    }
  }
  return operation;
}

void write_operation(const Operation& operation, Writer& to) {
  to.begin();
  to.put(kKindByte, static_cast<std::size_t>(operation.kind));
  std::size_t run = 0;
  if (uses(operation.kind, OperationField::kRun)) run = operation.run == kRunner ? kRuns : operation.run;
  to.put(kWhereByte, operation.slot + run * kSlots);
  if (uses(operation.kind, OperationField::kOther)) to.put(kDetailByte, operation.other);
  if (uses(operation.kind, OperationField::kRegion)) to.put(kDetailByte, place_of(kRegions, operation.region));
  if (uses(operation.kind, OperationField::kCall)) {
    const auto call = place_of(kCalls, operation.call);
    const auto code = place_of(kCodes, operation.code);
    to.put(kDetailByte, call && code ? std::optional(*call + *code * kCalls.size()) : std::nullopt);
  }
  if (uses(operation.kind, OperationField::kOffset)) to.put_span(kOffsetBytes, operation.offset);
  if (uses(operation.kind, OperationField::kSize)) {
    if (is_access(operation.kind)) {
      to.put(kSizeBytes, operation.size <= kLargestAccess ? std::optional(operation.size) : std::nullopt);
    } else {
      to.put_span(kSizeBytes, operation.size);
    }
  }
  if (uses(operation.kind, OperationField::kValue)) to.put(kValueByte, operation.value);
}

}  // namespace

Scenario scenario_from_bytes(std::span<const std::uint8_t> bytes, const ScenarioPlatforms& platforms) {
  Scenario scenario;
  const std::size_t records = std::min(bytes.size() / kRecordBytes, 1 + kMostFuzzedOperations);
  if (records == 0) return scenario;
  const RecordView setting = bytes.first<kRecordBytes>();
  read_setting(setting, platforms, scenario);
  scenario.operations.reserve(records - 1);
  for (std::size_t i = 1; i < records; ++i) {
    const Operation operation = read_operation(bytes.subspan(i * kRecordBytes).first<kRecordBytes>());
    if (!is_slow(operation.kind) || setting[kSlowByte] == kSlow) scenario.operations.push_back(operation);
  }
  return scenario;
}

std::optional<std::vector<std::uint8_t>> bytes_from_scenario(const Scenario& scenario,
                                                             const ScenarioPlatforms& platforms) {
  if (scenario.operations.size() > kMostFuzzedOperations || scenario.backing != BackingKind::kPlain) {
    return std::nullopt;
  }
  std::vector<std::uint8_t> bytes;
  Writer to{bytes};
  to.begin();
  const ScenarioPlatform* const platform = find_platform(platforms, scenario.platform);
  if (platform == nullptr) return std::nullopt;
  to.put(kPlatformByte, static_cast<std::size_t>(platform - platforms.data()));
  const auto fixed = svmrt::fixed_policies();
  const auto policy = std::find(fixed.begin(), fixed.end(), scenario.policy);
  to.put(kPolicyByte, static_cast<std::size_t>(policy - fixed.begin()));
  if (policy == fixed.end()) to.put_budget(scenario.policy.limit().count());
  to.put(kReuseByte, place_of(kReuse, scenario.reuse));
  for (const Operation& operation : scenario.operations) {
    if (is_slow(operation.kind)) to.bytes[kSlowByte] = kSlow;
    write_operation(operation, to);
  }
  return to.fits ? std::optional(bytes) : std::nullopt;
}

}  // namespace svmsim
