// SPDX-License-Identifier: Apache-2.0
#include "property_tests/testing/scenario_samples.h"

#include <utility>

namespace svmsim {

namespace {

using Kind = OperationKind;

Scenario every_kind() {
  Scenario scenario;
  scenario.name = "every-kind";
  scenario.description = "a \"quoted\" word, a \\, a line\nend, a \x7f and an \xc3\xa4";
  scenario.source = "by hand";
  scenario.fault = "none";
  scenario.operations = {
      {.kind = Kind::kAllocate, .slot = 0, .run = kRunner, .size = 4096},
      {.kind = Kind::kAllocate, .slot = 1, .run = kRunner, .size = 2097153},
      {.kind = Kind::kStrangerLeaks, .size = 4096},
      {.kind = Kind::kStrangerMaps, .slot = 1},
      {.kind = Kind::kStrangerUnmaps, .slot = 1},
      {.kind = Kind::kOpenRun, .run = 0},
      {.kind = Kind::kOpenRun, .run = 1},
      {.kind = Kind::kClaim, .slot = 0, .run = 0, .region = RegionKind::kChildMemory, .size = 4096},
      {.kind = Kind::kWrite, .slot = 0, .run = 0, .offset = 4088, .size = 8, .value = 7},
      {.kind = Kind::kRead, .slot = 0, .run = 0, .offset = 4088, .size = 8},
      {.kind = Kind::kRead, .slot = 0, .run = 0, .offset = ~std::uint64_t{7}, .size = 8},
      {.kind = Kind::kRace, .slot = 1, .run = 0, .other = 1, .size = 8},
      {.kind = Kind::kRegister, .slot = 1, .run = 0, .size = 2097153},
      {.kind = Kind::kUnregister, .slot = 1, .run = 0},
      {.kind = Kind::kUpload, .slot = 1, .run = 0, .offset = 16, .size = 4, .value = 9},
      {.kind = Kind::kDownload, .slot = 1, .run = 0, .offset = 16, .size = 4},
      {.kind = Kind::kSetMemory, .slot = 1, .run = 0, .size = 64, .value = 255},
      {.kind = Kind::kDeviceWrite, .slot = 0, .size = 1, .value = (std::uint64_t{1} << 63) + 1},
      {.kind = Kind::kFork, .slot = 0, .run = 0},
      {.kind = Kind::kCloseViews, .run = 0},
      {.kind = Kind::kEndRun, .run = 0},
      {.kind = Kind::kFree, .slot = 0, .run = 1},
      {.kind = Kind::kEndRun, .run = 1},
      {.kind = Kind::kFinalize},
      {.kind = Kind::kRestart},
      {.kind = Kind::kLoseDevice},
  };
  return scenario;
}

Scenario every_region(std::string name, svmrt::Policy policy, AddressReuse reuse, BackingKind backing) {
  Scenario scenario;
  scenario.name = std::move(name);
  scenario.platform = "a2a3-nonidentity";
  scenario.policy = policy;
  scenario.reuse = reuse;
  scenario.backing = backing;
  scenario.operations = {{.kind = Kind::kAllocate, .slot = 5, .run = kRunner, .size = 65536},
                         {.kind = Kind::kOpenRun, .run = 2}};
  for (const RegionKind region :
       {RegionKind::kChildMemory, RegionKind::kStaged, RegionKind::kOutputOnly, RegionKind::kWithoutData}) {
    scenario.operations.push_back({.kind = Kind::kClaim, .slot = 5, .run = 2, .region = region, .size = 4096});
  }
  scenario.operations.push_back({.kind = Kind::kRead, .slot = 5, .run = 2, .offset = 1, .size = 4});
  for (const CallKind call : {CallKind::kAllocate, CallKind::kFree, CallKind::kRegister, CallKind::kUnregister,
                              CallKind::kCopyToDevice, CallKind::kCopyFromDevice, CallKind::kSetMemory}) {
    scenario.operations.push_back({.kind = Kind::kFailNext, .call = call, .code = svmrt::DriverCode::kBusy});
  }
  return scenario;
}

}  // namespace

std::vector<Scenario> scenario_samples() {
  const auto budget = svmrt::Policy::budget(svmrt::Bytes(65536));
  return {
      every_kind(),
      every_region("cached-driver", svmrt::Policy::kCached, AddressReuse::kDriver, BackingKind::kPlain),
      every_region("rebuild-lifo", svmrt::Policy::kRebuild, AddressReuse::kLifo, BackingKind::kPlain),
      every_region("all-quarantine", svmrt::Policy::kRegisterAll, AddressReuse::kQuarantine, BackingKind::kPlain),
      every_region("copies", svmrt::Policy::kCopyOnly, AddressReuse::kDriver, BackingKind::kPlain),
      every_region("budget-mmu", budget, AddressReuse::kDriver, BackingKind::kMmu),
  };
}

}  // namespace svmsim
