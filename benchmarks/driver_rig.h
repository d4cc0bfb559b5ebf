// SPDX-License-Identifier: Apache-2.0
// A simulated machine with live blocks and, if wanted, a trace file: what the benchmarks of driver calls and the
// instruction counts share.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/machine/trace_writer.h"

namespace svmsim {

using svmrt::kRunnerTimeline;

inline constexpr Bytes kPage{4096};

enum class Tracing { kOff, kJsonLines, kChromeEvents };

// A trace of a benchmark, removed after it.
class ScratchTrace {
 public:
  ScratchTrace(Machine& machine, Tracing tracing)
      : path_((std::filesystem::temp_directory_path() / ("svmsim-benchmark-" + std::to_string(getpid()))).string() +
              (tracing == Tracing::kJsonLines ? ".jsonl" : ".json")) {
    if (tracing == Tracing::kOff) return;
    auto writer = TraceWriter::create(path_);
    if (!writer) return;
    writer_ = std::move(*writer);
    writer_->set_origin(machine.slice_base());
    machine.add_observer(*writer_);
  }
  ~ScratchTrace() {
    if (writer_ && writer_->finish()) std::remove(path_.c_str());
  }
  ScratchTrace(const ScratchTrace&) = delete;
  ScratchTrace& operator=(const ScratchTrace&) = delete;
  [[nodiscard]] bool is_open() const { return writer_ != nullptr; }

 private:
  std::string path_;
  std::unique_ptr<TraceWriter> writer_;
};

struct Setting {
  const char* name;
  BackingKind backing;
  Tracing tracing = Tracing::kOff;
};
inline constexpr Setting kPlain{"plain", BackingKind::kPlain};
inline constexpr Setting kMmu{"mmu", BackingKind::kMmu};
inline constexpr Setting kJsonLines{"jsonl", BackingKind::kPlain, Tracing::kJsonLines};
inline constexpr Setting kChromeEvents{"chrome", BackingKind::kPlain, Tracing::kChromeEvents};

// A machine with live blocks of one size.
class Rig {
 public:
  Rig(const Setting& setting, std::uint64_t blocks, Bytes size) {
    auto made = Machine::create(Platform{}, CostModel(), {setting.backing});
    if (!made) return;
    machine_ = std::move(*made);
    trace_.emplace(*machine_, setting.tracing);
    if (trace_->is_open() != (setting.tracing != Tracing::kOff)) return;
    driver_.emplace(*machine_);
    for (std::uint64_t i = 0; i < blocks; ++i) blocks_.push_back(driver_->allocate(kRunnerTimeline, size).address);
    ready_ = !blocks_.back().is_null();
  }
  [[nodiscard]] bool is_ready() const { return ready_; }
  RuntimeDriver& driver() { return *driver_; }
  // In turn.
  DeviceAddr next() {
    if (++turn_ == blocks_.size()) turn_ = 0;
    return blocks_[turn_];
  }

 private:
  std::unique_ptr<Machine> machine_;
  std::optional<ScratchTrace> trace_;
  std::optional<RuntimeDriver> driver_;
  std::vector<DeviceAddr> blocks_;
  std::size_t turn_ = 0;
  bool ready_ = false;
};

}  // namespace svmsim
