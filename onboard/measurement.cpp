// SPDX-License-Identifier: Apache-2.0
#include "onboard/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "onboard/rotating_blocks.h"
#include "runtime/journal.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DriverCall;
using svmrt::DriverCode;
using svmrt::kRunnerTimeline;
using svmrt::Picoseconds;
using svmrt::Result;

namespace {

using Times = std::vector<Picoseconds>;

// What a load reads and a store writes.
using Word = volatile std::uint64_t;

class Measuring {
 public:
  Measuring(svmrt::Driver& driver, const MeasurementPlan& plan) : driver_(driver), plan_(plan) {}

  Result<Measurement> all() {
    if (plan_.iterations == 0) return svmrt::fail(svmrt::ErrorCode::kInvalidArgument, "no iterations");
    const bool maps = driver_.capabilities().host_map_path;
    if (!maps) measured_.left_out.emplace_back("mapping, loads and stores: there is no host-map path");
    if (maps) {
      for (const Bytes bytes : plan_.map_sizes) {
        if (auto done = map(bytes); !done) return tl::unexpected(std::move(done.error()));
      }
    }
    for (const Bytes bytes : plan_.copy_sizes) {
      if (auto done = copy(bytes); !done) return tl::unexpected(std::move(done.error()));
    }
    if (maps) {
      for (const std::uint64_t accesses : plan_.access_counts) {
        if (auto done = access(accesses); !done) return tl::unexpected(std::move(done.error()));
      }
    }
    return std::move(measured_);
  }

 private:
  [[nodiscard]] Picoseconds now() const { return driver_.now_ps(kRunnerTimeline); }
  // What `call` takes; its answer goes to `result`.
  template <typename Call, typename R>
  Picoseconds time_of(Call call, R& result) const {
    const Picoseconds start = now();
    result = call();
    return now() - start;
  }

  // `work(blocks)` on four blocks, which are given back whatever comes of it. What cannot be done on this machine is
  // left out.
  template <typename Work>
  Result<void> with_blocks(const std::string& what, Bytes size, Work work) {
    if (plan_.progress) plan_.progress(what);
    mapping_refused_ = false;
    RotatingBlocks blocks(driver_, size);
    Result<void> done = blocks.allocate();
    const bool too_large = !done && done.error().driver_code == DriverCode::kOutOfMemory;
    if (done) done = work(blocks);
    Result<void> returned = blocks.give_back();
    if (done) return returned;
    const bool left_out = too_large || mapping_refused_;
    // A lost device answers every call alike.
    if (!returned && (left_out || returned.error().driver_code != done.error().driver_code)) {
      done.error().message += "; then " + returned.error().message;
      return done;
    }
    if (!left_out) return done;
    measured_.left_out.push_back(fmt::format(
        "{}: {} answers {}", what, svmrt::driver_call_name(too_large ? DriverCall::kAllocate : DriverCall::kRegister),
        svmrt::code_text(done.error().driver_code)));
    return {};
  }

  // `once(i)` for each iteration.
  template <typename Once>
  Result<void> repeat(Once once) {
    for (std::uint64_t i = 0; i < plan_.iterations; ++i) {
      if (auto done = once(i); !done) return done;
    }
    return {};
  }

  Result<void*> map_block(RotatingBlocks& blocks, std::uint64_t iteration) {
    Result<void*> view = blocks.map(iteration);
    if (!view) {
      const DriverCode code = view.error().driver_code;
      mapping_refused_ = code == DriverCode::kNotSupport || code == DriverCode::kSymbolMissing;
    }
    return view;
  }

  Result<void> map(Bytes bytes) {
    return with_blocks(fmt::format("mapping of {} bytes", bytes.count()), bytes, [&](RotatingBlocks& blocks) {
      Times registers;
      Times unregisters;
      auto repeated = repeat([&](std::uint64_t i) -> Result<void> {
        Result<void*> view;
        registers.push_back(time_of([&] { return map_block(blocks, i); }, view));
        if (!view) return tl::unexpected(std::move(view.error()));
        Result<void> unmapped;
        unregisters.push_back(time_of([&] { return blocks.unmap(i); }, unmapped));
        return unmapped;
      });
      if (!repeated) return repeated;
      measured_.maps.push_back({bytes, call_times(std::move(registers)), call_times(std::move(unregisters))});
      return repeated;
    });
  }

  Result<void> copy(Bytes bytes) {
    return with_blocks(fmt::format("copies of {} bytes", bytes.count()), bytes, [&](RotatingBlocks& blocks) {
      std::vector<std::byte> host(bytes.count());  // touched, so that no copy pays for its pages
      Times from;
      Times to;
      auto repeated = repeat([&](std::uint64_t i) -> Result<void> {
        DriverCode code = DriverCode::kNone;
        to.push_back(
            time_of([&] { return driver_.copy_to_device(kRunnerTimeline, blocks.base(i), host.data(), bytes); }, code));
        if (code != DriverCode::kNone) return blocks.failed(DriverCall::kCopyToDevice, i, code);
        from.push_back(time_of(
            [&] { return driver_.copy_from_device(kRunnerTimeline, host.data(), blocks.base(i), bytes); }, code));
        if (code != DriverCode::kNone) return blocks.failed(DriverCall::kCopyFromDevice, i, code);
        return {};
      });
      if (!repeated) return repeated;
      measured_.copies.push_back({bytes, call_times(std::move(from)), call_times(std::move(to))});
      return repeated;
    });
  }

  Result<void> access(std::uint64_t accesses) {
    const Bytes size = std::max(plan_.view_size, Bytes(accesses * sizeof(Word)));
    return with_blocks(fmt::format("{} loads and stores", accesses), size, [&](RotatingBlocks& blocks) {
      Times loads;
      Times stores;
      auto repeated = repeat([&](std::uint64_t i) -> Result<void> {
        const Result<void*> view = map_block(blocks, i);
        if (!view) return tl::unexpected(view.error());
        Word* const words = static_cast<Word*>(*view);
        Picoseconds start = now();
        for (std::uint64_t word = 0; word < accesses; ++word) words[word] = word + 1;
        driver_.charge_view_accesses(kRunnerTimeline, 0, accesses);
        stores.push_back(now() - start);
        start = now();
        for (std::uint64_t word = 0; word < accesses; ++word) static_cast<void>(words[word]);
        driver_.charge_view_accesses(kRunnerTimeline, accesses, 0);
        loads.push_back(now() - start);
        return blocks.unmap(i);
      });
      if (!repeated) return repeated;
      measured_.accesses.push_back({accesses, call_times(std::move(loads)), call_times(std::move(stores))});
      return repeated;
    });
  }

  svmrt::Driver& driver_;
  const MeasurementPlan& plan_;
  Measurement measured_;
  bool mapping_refused_ = false;  // among the blocks at hand, for good
};

}  // namespace

MeasurementPlan published_plan() {
  constexpr std::uint64_t kKib = 1024;
  constexpr std::uint64_t kMib = 1024 * kKib;
  MeasurementPlan plan;
  for (const std::uint64_t bytes : {std::uint64_t{64}, 4 * kKib, 16 * kKib, 64 * kKib, 256 * kKib, 512 * kKib, 1 * kMib,
                                    4 * kMib, 16 * kMib, 64 * kMib, 256 * kMib, 1024 * kMib}) {
    plan.map_sizes.emplace_back(bytes);
  }
  for (const std::uint64_t bytes :
       {std::uint64_t{4}, std::uint64_t{8}, std::uint64_t{64}, 4 * kKib, 64 * kKib, 1 * kMib, 8 * kMib, 64 * kMib}) {
    plan.copy_sizes.emplace_back(bytes);
  }
  plan.access_counts = {256, 4096};
  return plan;
}

CallTimes call_times(std::vector<Picoseconds> times) {
  std::sort(times.begin(), times.end());
  const std::size_t last = times.size() - 1;
  return {times.front(), times[last / 2], times[(times.size() * 99 + 99) / 100 - 1]};
}

Result<Measurement> measure(svmrt::Driver& driver, const MeasurementPlan& plan) {
  return Measuring(driver, plan).all();
}

}  // namespace svmsim
