// SPDX-License-Identifier: Apache-2.0
#include "property_tests/generator.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "property_tests/dice.h"

namespace svmsim {

namespace {

using svmrt::DriverCode;
using Kind = OperationKind;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
// aclrtMalloc adds 32 bytes, and above 1 MiB of that a block lies on huge pages (P4).
constexpr std::uint64_t kLargestOrdinary = kMiB - 32;

constexpr std::array<std::uint64_t, 18> kSizes = {1,
                                                  64,
                                                  4095,
                                                  4096,
                                                  4097,
                                                  64 * kKiB,
                                                  64 * kKiB + 1,
                                                  kLargestOrdinary - 1,
                                                  kLargestOrdinary,
                                                  kLargestOrdinary + 1,
                                                  kMiB,
                                                  2 * kMiB,
                                                  2 * kMiB + 1,
                                                  3 * kMiB,
                                                  3 * kMiB,
                                                  4096,
                                                  2 * kMiB,
                                                  20 * kMiB};
constexpr std::array<std::uint64_t, 12> kAccessSizes = {1, 2, 4, 8, 4, 8, 4, 8, 3, 16, 64, 0};

// How often each kind is drawn, in the order of the enum; those with 0 come from elsewhere.
constexpr std::array<std::uint32_t, kOperationKinds> kWeights = {
    /* allocate */ 120,     /* free */ 80,
    /* open_run */ 70,      /* claim */ 140,
    /* read */ 320,         /* write */ 180,
    /* close_views */ 40,   /* end_run */ 50,
    /* register */ 25,      /* unregister */ 25,
    /* upload */ 20,        /* download */ 20,
    /* set_memory */ 15,    /* device_write */ 40,
    /* fail_next */ 60,     /* stranger_leaks */ 15,
    /* stranger_maps */ 15, /* stranger_unmaps */ 15,
    /* finalize */ 12,      /* restart */ 6,
    /* lose_device */ 8,    /* fork */ 40,
    /* race */ 60,
};

// One case: a picture of the state, just good enough to make most operations meaningful.
class Draw {
 public:
  Draw(const ScenarioPlatforms& platforms, const DrawOptions& options, std::uint64_t seed, std::uint64_t index)
      : dice_(seed, index) {
    draw_setting(platforms, options);
    draw_alphabet();
  }

  Scenario scenario() {
    const std::uint64_t length = 1 + dice_.below(kMostOperations);
    while (scenario_.operations.size() < length) add();
    scenario_.operations.resize(length);
    return std::move(scenario_);
  }

 private:
  struct Slot {
    bool live = false;
    std::uint64_t size = 0;
  };
  struct Claim {
    bool made = false;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  struct Run {
    bool usable = false;  // open, and its host views not closed
    bool open = false;
    std::array<Claim, kSlots> claims{};  // the last of each slot
  };

  void draw_setting(const ScenarioPlatforms& platforms, const DrawOptions& options) {
    for (std::uint64_t& size : palette_) size = dice_.pick(kSizes);
    const std::string drawn = platforms[dice_.below(platforms.size())].platform.name;
    // Half of all cases where everything can be mapped: there the cache has most to do.
    scenario_.platform = options.platform.value_or(dice_.percent(50) ? "a2a3" : drawn);
    const svmrt::Policy policy = draw_policy();
    scenario_.policy = options.policy.value_or(policy);
    constexpr std::array kReuse = {AddressReuse::kDriver, AddressReuse::kDriver, AddressReuse::kLifo,
                                   AddressReuse::kQuarantine};
    scenario_.reuse = dice_.pick(kReuse);
    scenario_.backing = dice_.one_in(20) ? BackingKind::kMmu : BackingKind::kPlain;
  }

  svmrt::Policy draw_policy() {
    constexpr std::array<std::uint32_t, 5> kPolicyWeights = {36, 14, 10, 8, 32};
    const std::size_t choice = dice_.weighted(kPolicyWeights);
    if (choice < svmrt::fixed_policies().size()) return svmrt::fixed_policies()[choice];
    // Room for one to three blocks of the palette, now and then a byte more or less.
    std::uint64_t limit = dice_.pick(palette_);
    for (std::uint64_t more = dice_.below(3); more > 0; --more) limit += dice_.pick(palette_);
    if (dice_.one_in(4)) limit += dice_.below(3) - 1;
    return svmrt::Policy::budget(svmrt::Bytes(std::max<std::uint64_t>(limit, 1)));
  }

  // Leaves kinds out, so that what remains comes in long rows; the rare and slow kinds are in few cases.
  void draw_alphabet() {
    weights_ = kWeights;
    const auto leave_out = [&](Kind kind, bool out) {
      if (out) weights_[static_cast<std::size_t>(kind)] = 0;
    };
    for (std::size_t i = 0; i < kOperationKinds; ++i) leave_out(static_cast<Kind>(i), dice_.one_in(4));
    for (const Kind kind : {Kind::kAllocate, Kind::kOpenRun, Kind::kClaim, Kind::kRead}) {
      weights_[static_cast<std::size_t>(kind)] = kWeights[static_cast<std::size_t>(kind)];
    }
    for (const Kind kind : {Kind::kFinalize, Kind::kRestart, Kind::kLoseDevice, Kind::kStrangerLeaks}) {
      leave_out(kind, !dice_.one_in(3));
    }
    leave_out(Kind::kRace, !dice_.one_in(10));
    leave_out(Kind::kFork, !dice_.one_in(200));
    // A stranger's mapping is seldom dropped again without having been made.
    leave_out(Kind::kStrangerUnmaps, weights_[static_cast<std::size_t>(Kind::kStrangerMaps)] == 0);
  }

  void push(const Operation& operation) { scenario_.operations.push_back(operation); }

  std::uint8_t any_slot() { return static_cast<std::uint8_t>(dice_.below(kSlots)); }
  // Mostly one that is live (or not); any other now and then.
  std::uint8_t slot_that_is(bool live) {
    const std::uint8_t start = any_slot();
    if (dice_.one_in(16)) return start;
    for (std::uint8_t i = 0; i < kSlots; ++i) {
      const auto slot = static_cast<std::uint8_t>((start + i) % kSlots);
      if (slots_[slot].live == live) return slot;
    }
    return start;
  }
  template <typename Fits>
  std::uint8_t run_that(Fits fits) {
    const auto start = static_cast<std::uint8_t>(dice_.below(kRuns));
    if (dice_.one_in(24)) return start;
    for (std::uint8_t i = 0; i < kRuns; ++i) {
      const auto run = static_cast<std::uint8_t>((start + i) % kRuns);
      if (fits(runs_[run])) return run;
    }
    return start;
  }
  std::uint8_t usable_run() {
    return run_that([](const Run& run) { return run.usable; });
  }
  static bool has_claims(const Run& run) {
    return run.usable && std::any_of(run.claims.begin(), run.claims.end(), [](const Claim& c) { return c.made; });
  }
  // For an access: a slot that the run claimed.
  std::uint8_t slot_claimed_by(std::uint8_t run) {
    const std::uint8_t start = any_slot();
    if (dice_.one_in(24)) return start;
    for (std::uint8_t i = 0; i < kSlots; ++i) {
      const auto slot = static_cast<std::uint8_t>((start + i) % kSlots);
      if (runs_[run].claims[slot].made) return slot;
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

  // What must come first for an operation of this kind to mean anything.
  std::optional<Kind> what_is_missing(Kind kind) {
    if (down_) return Kind::kRestart;
    const bool live = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.live; });
    const bool full = std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.live; });
    const bool usable = std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.usable; });
    switch (kind) {
      case Kind::kAllocate:
        return full ? std::optional(Kind::kFree) : std::nullopt;
      case Kind::kOpenRun:
        return std::all_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.open; })
                   ? std::optional(Kind::kEndRun)
                   : std::nullopt;
      case Kind::kRead:
      case Kind::kWrite:
        if (std::any_of(runs_.begin(), runs_.end(), has_claims)) return std::nullopt;
        return !live ? Kind::kAllocate : !usable ? Kind::kOpenRun : Kind::kClaim;
      case Kind::kClaim:
      case Kind::kRegister:
      case Kind::kUnregister:
      case Kind::kUpload:
      case Kind::kDownload:
      case Kind::kSetMemory:
      case Kind::kRace:
        return !live ? std::optional(Kind::kAllocate) : !usable ? std::optional(Kind::kOpenRun) : std::nullopt;
      case Kind::kFree:
      case Kind::kDeviceWrite:
      case Kind::kStrangerMaps:
      case Kind::kStrangerUnmaps:
      case Kind::kFork:
        return live ? std::nullopt : std::optional(Kind::kAllocate);
      case Kind::kCloseViews:
      case Kind::kEndRun:
        return usable ? std::nullopt : std::optional(Kind::kOpenRun);
      default:
        return std::nullopt;
    }
  }

  void add() {
    Operation operation;
    operation.kind = static_cast<Kind>(dice_.weighted(weights_));
    if (const auto needed = what_is_missing(operation.kind); needed && !dice_.one_in(12)) operation.kind = *needed;
    operation.value = dice_.below(256);
    switch (operation.kind) {
      case Kind::kAllocate:
        return add_allocate(operation);
      case Kind::kFree:
        return add_free(operation);
      case Kind::kOpenRun:
        operation.run = run_that([](const Run& run) { return !run.open; });
        if (!runs_[operation.run].open) runs_[operation.run] = Run{.usable = true, .open = true, .claims = {}};
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
        operation.offset = offset_in(slots_[operation.slot].size, operation.size);
        return push(operation);
      case Kind::kCloseViews:
        operation.run = usable_run();
        runs_[operation.run].usable = false;
        return push(operation);
      case Kind::kEndRun:
        operation.run = run_that([](const Run& run) { return run.open; });
        runs_[operation.run] = Run{};
        return push(operation);
      case Kind::kRegister:
      case Kind::kUnregister:
        return add_by_hand(operation);
      case Kind::kFailNext:
        return add_fail_next(operation);
      case Kind::kStrangerLeaks:
        operation.size = dice_.pick(palette_);
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
    operation.size = dice_.percent(80) ? dice_.pick(palette_) : dice_.pick(kSizes);
    if (dice_.one_in(40)) operation.size = dice_.one_in(2) ? 0 : 2048 * kMiB;
    operation.run = dice_.one_in(6) ? usable_run() : kRunner;
    if (!slots_[operation.slot].live && operation.size > 0 && operation.size < 1024 * kMiB) {
      slots_[operation.slot] = {true, operation.size};
    }
    push(operation);
  }

  void add_free(Operation operation) {
    operation.slot = slot_that_is(true);
    operation.run = dice_.one_in(6) ? usable_run() : kRunner;
    if (dice_.one_in(10)) operation.offset = dice_.one_in(3) ? slots_[operation.slot].size : 1 + dice_.below(8192);
    const bool in_use = std::any_of(runs_.begin(), runs_.end(),
                                    [&](const Run& run) { return run.usable && run.claims[operation.slot].made; });
    if (operation.offset == 0 && !in_use) slots_[operation.slot].live = false;
    push(operation);
  }

  void add_claim(Operation operation) {
    operation.run = usable_run();
    operation.slot = slot_that_is(true);
    operation.size = slots_[operation.slot].size;
    if (dice_.one_in(5)) {
      operation.offset = dice_.below(std::min<std::uint64_t>(operation.size, 4096) + 1);
      operation.size -= std::min(operation.size, operation.offset);
      if (dice_.one_in(2)) operation.size = std::min<std::uint64_t>(operation.size, 1 + dice_.below(256));
    }
    if (dice_.one_in(40)) operation.size += dice_.below(3);
    constexpr std::array<std::uint32_t, 4> kRegionWeights = {80, 13, 4, 3};
    operation.region = static_cast<RegionKind>(dice_.weighted(kRegionWeights));
    runs_[operation.run].claims[operation.slot] = {true, operation.offset, operation.size};
    push(operation);
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
    operation.run = run_that(has_claims);
    operation.slot = slot_claimed_by(operation.run);
    operation.size = dice_.pick(kAccessSizes);
    const Claim& claim = runs_[operation.run].claims[operation.slot];
    operation.offset = claim.offset + offset_in(claim.size, operation.size);
    push(operation);
  }

  // An unregister mostly of what was registered.
  void add_by_hand(Operation operation) {
    operation.run = usable_run();
    operation.slot = slot_that_is(true);
    operation.size = slots_[operation.slot].size;
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
    slots_ = {};
    down_ = operation.kind != Kind::kRestart;
  }

  void end_runs() {
    for (std::uint8_t run = 0; run < kRuns; ++run) {
      if (runs_[run].open) push({.kind = Kind::kEndRun, .run = run});
      runs_[run] = Run{};
    }
  }

  void add_race(Operation operation) {
    operation.run = usable_run();
    operation.other = static_cast<std::uint8_t>((operation.run + 1 + dice_.below(kRuns - 1)) % kRuns);
    for (const std::uint8_t run : {operation.run, operation.other}) {
      if (!runs_[run].open) push({.kind = Kind::kOpenRun, .run = run});
      if (!runs_[run].open) runs_[run] = Run{.usable = true, .open = true, .claims = {}};
    }
    operation.slot = slot_that_is(true);
    operation.size = dice_.one_in(2) ? slots_[operation.slot].size : 8;
    push(operation);
  }

  Dice dice_;
  Scenario scenario_;
  std::array<std::uint64_t, 3> palette_{};  // of block sizes
  std::array<std::uint32_t, kOperationKinds> weights_{};
  std::array<Slot, kSlots> slots_{};
  std::array<Run, kRuns> runs_{};
  bool down_ = false;  // finalized, or without a device
};

}  // namespace

Scenario draw_scenario(const ScenarioPlatforms& platforms, const DrawOptions& options, std::uint64_t seed,
                       std::uint64_t index) {
  return Draw(platforms, options, seed, index).scenario();
}

}  // namespace svmsim
