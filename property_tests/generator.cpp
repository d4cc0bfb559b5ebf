// SPDX-License-Identifier: Apache-2.0
#include "property_tests/generator.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "property_tests/case_setting.h"
#include "property_tests/dice.h"
#include "property_tests/picture.h"

namespace svmsim {

namespace {

using svmrt::DriverCode;
using Kind = OperationKind;

constexpr std::array<std::uint64_t, 12> kAccessSizes = {1, 2, 4, 8, 4, 8, 4, 8, 3, 16, 64, 0};

class Draw {
 public:
  Draw(const ScenarioPlatforms& platforms, const DrawOptions& options, std::uint64_t seed, std::uint64_t index)
      : dice_(seed, index), setting_(draw_setting(platforms, options, dice_, scenario_)) {}

  Scenario scenario() {
    const std::uint64_t length = 1 + dice_.below(kMostOperations);
    while (scenario_.operations.size() < length) add();
    scenario_.operations.resize(length);
    return std::move(scenario_);
  }

 private:
  void push(const Operation& operation) { scenario_.operations.push_back(operation); }

  std::uint8_t any_slot() { return static_cast<std::uint8_t>(dice_.below(kSlots)); }
  // Mostly one that is live (or not); any other now and then.
  std::uint8_t slot_that_is(bool live) {
    const std::uint8_t start = any_slot();
    if (dice_.one_in(16)) return start;
    for (std::uint8_t i = 0; i < kSlots; ++i) {
      const auto slot = static_cast<std::uint8_t>((start + i) % kSlots);
      if (picture_.slots[slot].live == live) return slot;
    }
    return start;
  }
  template <typename Fits>
  std::uint8_t run_that(Fits fits) {
    const auto start = static_cast<std::uint8_t>(dice_.below(kRuns));
    if (dice_.one_in(24)) return start;
    for (std::uint8_t i = 0; i < kRuns; ++i) {
      const auto run = static_cast<std::uint8_t>((start + i) % kRuns);
      if (fits(picture_.runs[run])) return run;
    }
    return start;
  }
  std::uint8_t usable_run() {
    return run_that([](const Picture::Run& run) { return run.usable; });
  }
  // For an access: a slot that the run claimed.
  std::uint8_t slot_claimed_by(std::uint8_t run) {
    const std::uint8_t start = any_slot();
    if (dice_.one_in(24)) return start;
    for (std::uint8_t i = 0; i < kSlots; ++i) {
      const auto slot = static_cast<std::uint8_t>((start + i) % kSlots);
      if (picture_.runs[run].claims[slot].made) return slot;
    }
    return start;
  }
  // Where a span of `width` starts in a block: inside, at its very end, across its end, beyond, far away.
  std::uint64_t offset_in(std::uint64_t size, std::uint64_t width) {
    const std::uint64_t last = size >= width ? size - width : 0;
    switch (dice_.below(24)) {
      case 0:
      case 1:
        return last;
      case 2:
        return last + 1;
      case 3:
        return dice_.one_in(4) ? ~std::uint64_t{0} - dice_.below(8) : size;
      case 4:
        return std::min<std::uint64_t>(last, 4096 - 2);
      case 5:
      case 6:
        return dice_.below(last + 1);
      case 7:
      case 8:
      case 9:
      case 10:
      case 11:
      case 12:
      case 13:
        return dice_.below(std::min<std::uint64_t>(last, 64) + 1);
      default:
        return 0;
    }
  }

  void add() {
    Operation operation;
    operation.kind = static_cast<Kind>(dice_.weighted(setting_.weights));
    // Without what it needs an operation is drawn now and then all the same, and more often where a runner is down.
    const auto needed = picture_.what_is_missing(operation.kind);
    if (needed && !dice_.one_in(picture_.down ? 3 : 12)) operation.kind = *needed;
    operation.value = dice_.below(256);
    switch (operation.kind) {
      case Kind::kAllocate:
        return add_allocate(operation);
      case Kind::kFree:
        return add_free(operation);
      case Kind::kOpenRun:
        operation.run = run_that([](const Picture::Run& run) { return !run.open; });
        if (!picture_.runs[operation.run].open) {
          picture_.runs[operation.run] = Picture::Run{.usable = true, .open = true, .claims = {}};
        }
        return push(operation);
      case Kind::kClaim:
        return add_claim(operation);
      case Kind::kRead:
      case Kind::kWrite:
        return add_access(operation);
      case Kind::kUpload:
      case Kind::kDownload:
      case Kind::kSetMemory:
      case Kind::kDeviceWrite:
        operation.run = usable_run();
        operation.slot = slot_that_is(true);
        operation.size = dice_.pick(kAccessSizes);
        operation.offset = offset_in(picture_.slots[operation.slot].size, operation.size);
        return push(operation);
      case Kind::kCloseViews:
        operation.run = usable_run();
        picture_.runs[operation.run].usable = false;
        return push(operation);
      case Kind::kEndRun:
        operation.run = run_that([](const Picture::Run& run) { return run.open; });
        picture_.runs[operation.run] = Picture::Run{};
        return push(operation);
      case Kind::kRegister:
      case Kind::kUnregister:
        return add_by_hand(operation);
      case Kind::kFailNext:
        return add_fail_next(operation);
      case Kind::kStrangerLeaks:
        operation.size = dice_.pick(setting_.palette);
        return push(operation);
      case Kind::kStrangerMaps:
      case Kind::kStrangerUnmaps:
        operation.slot = slot_that_is(true);
        return push(operation);
      case Kind::kFinalize:
      case Kind::kRestart:
      case Kind::kLoseDevice:
        return add_event(operation);
      case Kind::kFork:
        operation.slot = slot_that_is(true);
        operation.run = usable_run();
        return push(operation);
      case Kind::kRace:
        return add_race(operation);
    }
  }

  void add_allocate(Operation operation) {
    operation.slot = slot_that_is(false);
    operation.size = dice_.percent(80) ? dice_.pick(setting_.palette) : dice_.pick(kSizes);
    if (dice_.one_in(40)) operation.size = dice_.one_in(2) ? 0 : 2048 * kMiB;
    operation.run = dice_.one_in(6) ? usable_run() : kRunner;
    if (!picture_.slots[operation.slot].live && operation.size > 0 && operation.size < 1024 * kMiB) {
      picture_.slots[operation.slot] = {true, operation.size};
    }
    push(operation);
  }

  void add_free(Operation operation) {
    operation.slot = slot_that_is(true);
    operation.run = dice_.one_in(6) ? usable_run() : kRunner;
    if (dice_.one_in(10)) {
      operation.offset = dice_.one_in(3) ? picture_.slots[operation.slot].size : 1 + dice_.below(8192);
    }
    const bool in_use = std::any_of(picture_.runs.begin(), picture_.runs.end(), [&](const Picture::Run& run) {
      return run.usable && run.claims[operation.slot].made;
    });
    if (operation.offset == 0 && !in_use) picture_.slots[operation.slot].live = false;
    push(operation);
  }

  void add_claim(Operation operation) {
    operation.run = usable_run();
    operation.slot = slot_that_is(true);
    operation.size = picture_.slots[operation.slot].size;
    if (dice_.one_in(5)) {
      operation.offset = dice_.below(std::min<std::uint64_t>(operation.size, 4096) + 1);
      operation.size -= std::min(operation.size, operation.offset);
      if (dice_.one_in(2)) operation.size = std::min<std::uint64_t>(operation.size, 1 + dice_.below(256));
    }
    if (dice_.one_in(40)) operation.size += dice_.below(3);
    constexpr std::array<std::uint32_t, 4> kRegionWeights = {80, 13, 4, 3};
    operation.region = static_cast<RegionKind>(dice_.weighted(kRegionWeights));
    picture_.runs[operation.run].claims[operation.slot] = {true, operation.offset, operation.size};
    push(operation);
    if (operation.region == RegionKind::kStaged && dice_.one_in(2)) add_staged_write(operation);
  }

  // A write to the region just claimed, whose push may fail, and what is read there afterwards.
  void add_staged_write(const Operation& claim) {
    if (dice_.one_in(2)) push({.kind = Kind::kFailNext, .call = CallKind::kCopyToDevice});
    Operation access{.kind = Kind::kWrite, .slot = claim.slot, .run = claim.run, .offset = claim.offset};
    access.size = std::min<std::uint64_t>(claim.size, 4);
    access.value = 1 + dice_.below(255);
    push(access);
    access.kind = Kind::kRead;
    access.value = 0;
    push(access);
  }

  void add_access(Operation operation) {
    const auto last = std::find_if(scenario_.operations.rbegin(), scenario_.operations.rend(),
                                   [](const Operation& earlier) { return earlier.kind == Kind::kWrite; });
    if (operation.kind == Kind::kRead && last != scenario_.operations.rend() && dice_.one_in(4)) {
      operation = *last;  // where it was written last
      operation.kind = Kind::kRead;
      operation.value = 0;
      return push(operation);
    }
    operation.run = run_that(Picture::has_claims);
    operation.slot = slot_claimed_by(operation.run);
    operation.size = dice_.pick(kAccessSizes);
    const Picture::Claim& claim = picture_.runs[operation.run].claims[operation.slot];
    operation.offset = claim.offset + offset_in(claim.size, operation.size);
    push(operation);
  }

  // An unregister mostly of what was registered.
  void add_by_hand(Operation operation) {
    operation.run = usable_run();
    operation.slot = slot_that_is(true);
    operation.size = picture_.slots[operation.slot].size;
    if (operation.kind == Kind::kUnregister && !dice_.one_in(8)) {
      const auto last = std::find_if(scenario_.operations.rbegin(), scenario_.operations.rend(),
                                     [](const Operation& earlier) { return earlier.kind == Kind::kRegister; });
      if (last != scenario_.operations.rend()) {
        operation.run = last->run;
        operation.slot = last->slot;
      }
    }
    if (dice_.one_in(8)) operation.offset = dice_.below(64);
    if (dice_.one_in(8)) operation.size += 1;
    push(operation);
  }

  void add_fail_next(Operation operation) {
    constexpr std::array<CallKind, 7> kCalls = {CallKind::kRegister, CallKind::kUnregister,   CallKind::kFree,
                                                CallKind::kAllocate, CallKind::kCopyToDevice, CallKind::kCopyFromDevice,
                                                CallKind::kSetMemory};
    constexpr std::array<std::uint32_t, 7> kCallWeights = {30, 28, 16, 5, 12, 8, 4};
    constexpr std::array kRegisterCodes = {DriverCode::kNotSupport, DriverCode::kParaError, DriverCode::kBusy,
                                           DriverCode::kIoctlFail};
    constexpr std::array kOtherCodes = {DriverCode::kIoctlFail, DriverCode::kParaError, DriverCode::kBusy,
                                        DriverCode::kOutOfMemory, DriverCode::kTryAgain};
    operation.call = kCalls[dice_.weighted(kCallWeights)];
    operation.code = operation.call == CallKind::kRegister ? dice_.pick(kRegisterCodes) : dice_.pick(kOtherCodes);
    push(operation);
  }

  // The end of a runner, mostly an orderly one.
  void add_event(Operation operation) {
    if (dice_.percent(80) || operation.kind == Kind::kRestart) end_runs();
    push(operation);
    picture_.slots = {};
    picture_.down = operation.kind != Kind::kRestart;
  }

  void end_runs() {
    for (std::uint8_t run = 0; run < kRuns; ++run) {
      if (picture_.runs[run].open) push({.kind = Kind::kEndRun, .run = run});
      picture_.runs[run] = Picture::Run{};
    }
  }

  void add_race(Operation operation) {
    operation.run = usable_run();
    operation.other = static_cast<std::uint8_t>((operation.run + 1 + dice_.below(kRuns - 1)) % kRuns);
    for (const std::uint8_t run : {operation.run, operation.other}) {
      if (!picture_.runs[run].open) push({.kind = Kind::kOpenRun, .run = run});
      if (!picture_.runs[run].open) picture_.runs[run] = Picture::Run{.usable = true, .open = true, .claims = {}};
    }
    operation.slot = slot_that_is(true);
    operation.size = dice_.one_in(2) ? picture_.slots[operation.slot].size : 8;
    if (dice_.one_in(4)) operation.offset = offset_in(picture_.slots[operation.slot].size, operation.size);
    push(operation);
  }

  Dice dice_;
  Scenario scenario_;
  const CaseSetting setting_;
  Picture picture_;
};

}  // namespace

Scenario draw_scenario(const ScenarioPlatforms& platforms, const DrawOptions& options, std::uint64_t seed,
                       std::uint64_t index) {
  return Draw(platforms, options, seed, index).scenario();
}

}  // namespace svmsim
