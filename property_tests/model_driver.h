// SPDX-License-Identifier: Apache-2.0
// The part of the reference model that stands for the machine: what a driver call answers and what time it takes. Part
// of the Model. Thread-bound.
#pragma once

#include <cstdint>
#include <map>

#include "property_tests/scenario.h"
#include "runtime/driver_code.h"
#include "runtime/units.h"
#include "sim/call_kind.h"

namespace svmsim {

// Bytes by offset; what nobody wrote is not there.
using ModelBytes = std::map<std::uint64_t, std::uint8_t>;

// Memory that the driver gave to a runner of the scenario and did not take back.
struct ModelBlock {
  // A mapping that the runner knows nothing of.
  enum class Stranger : std::uint8_t {
    kNone,
    kArrived,  // it was there when the block was allocated, and is perhaps longer than the block
    kMade,     // made by kStrangerMaps, of this block exactly
  };

  std::uint64_t id = 0;  // tells a block from a later one at its address; from 1
  svmrt::DeviceAddr base;
  svmrt::Bytes size;    // as requested
  bool orphan = false;  // an earlier runner's, who could not give it back
  ModelBytes bytes = {};
  bool mapped = false;  // by the runner
  Stranger stranger = Stranger::kNone;

  // The runner's record.
  bool refused = false;        // the driver will not map it, for good
  bool quarantined = false;    // mapped, and the unregister failed
  bool free_failed = false;    // the last free did
  std::uint64_t last_use = 0;  // grows with each view that is granted
};

class ModelDriver {
 public:
  explicit ModelDriver(const ScenarioPlatform& platform) : platform_(platform.platform), cost_(platform.cost) {}

  [[nodiscard]] bool has_host_map_path() const { return platform_.host_map_path; }
  // P4: whether a block of this size lies on 2 MiB pages.
  [[nodiscard]] static bool is_huge(svmrt::Bytes size);
  // P1: rounded up to the pages of its kind, as a mapping is.
  [[nodiscard]] svmrt::Bytes whole_pages(svmrt::Bytes size) const;
  // Whether somebody else may map a block of this size: where the platform lets the runner do so, and the rules of a
  // mapped block are the driver's own.
  [[nodiscard]] bool lets_strangers_map(svmrt::Bytes size) const;

  // The next call of the kind fails, whatever it would have answered, and does nothing.
  void fail_next(CallKind kind, svmrt::DriverCode code) { to_fail_[kind] = code; }
  [[nodiscard]] bool is_to_fail(CallKind kind) const { return to_fail_.contains(kind); }
  [[nodiscard]] bool any_is_to_fail() const { return !to_fail_.empty(); }

  // Driver calls. Each begins when both the caller, whose present is `now`, and the driver are free. What an answer
  // changes is left to the caller.
  [[nodiscard]] svmrt::DriverCode allocate(Picoseconds& now, svmrt::Bytes size);
  [[nodiscard]] svmrt::DriverCode free(Picoseconds& now, const ModelBlock& block);
  [[nodiscard]] svmrt::DriverCode register_to_host(Picoseconds& now, const ModelBlock& block);
  [[nodiscard]] svmrt::DriverCode unregister_from_host(Picoseconds& now, const ModelBlock& block);
  [[nodiscard]] svmrt::DriverCode copy_to_device(Picoseconds& now, svmrt::Bytes size);
  [[nodiscard]] svmrt::DriverCode copy_from_device(Picoseconds& now, svmrt::Bytes size);
  [[nodiscard]] svmrt::DriverCode set_memory(Picoseconds& now, svmrt::Bytes size);
  // Closes the device: a call that takes no time of its own.
  void close(Picoseconds& now);
  // Calls of somebody else, on the time of the runner.
  void stranger_calls(Picoseconds& runner_now, Picoseconds time);

  // Loads and stores through views take the time of their run, not of the driver.
  void charge_view_accesses(Picoseconds& now, std::uint64_t loads, std::uint64_t stores) const;

 private:
  svmrt::DriverCode call(CallKind kind, Picoseconds& now, svmrt::DriverCode answer, Picoseconds price,
                         Picoseconds price_of_failure);
  [[nodiscard]] PageWalk walk(svmrt::Bytes size) const;
  [[nodiscard]] svmrt::DriverCode register_answer(const ModelBlock& block) const;
  [[nodiscard]] svmrt::DriverCode free_answer(const ModelBlock& block) const;

  Platform platform_;
  CostModel cost_;
  std::map<CallKind, svmrt::DriverCode> to_fail_;
  Picoseconds driver_free_;
};

}  // namespace svmsim
