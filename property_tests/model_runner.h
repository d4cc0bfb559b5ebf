// SPDX-License-Identifier: Apache-2.0
// The part of the reference model that is the runner: the blocks, who holds a view of what, and when a mapping comes
// and goes. Knows the runners of a scenario one after the other, and the machine that they share. Part of the Model.
// Thread-bound.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "property_tests/model.h"
#include "property_tests/model_driver.h"
#include "property_tests/model_run.h"
#include "runtime/policy.h"

namespace svmsim {

// Why a run takes a view.
enum class ModelUse : std::uint8_t { kAcquired, kRegistered };

class ModelRunner {
 public:
  ModelRunner(const ScenarioPlatform& platform, svmrt::Policy policy) : driver_(platform), policy_(policy) {}

  [[nodiscard]] ModelDriver& driver() { return driver_; }
  [[nodiscard]] const ModelDriver& driver() const { return driver_; }
  [[nodiscard]] bool is_lost() const { return lost_; }

  // A block of the present runner; null when there is none.
  [[nodiscard]] ModelBlock* find(std::uint64_t id);
  [[nodiscard]] const ModelBlock* find(std::uint64_t id) const;
  [[nodiscard]] ModelBlock* owner_of(svmrt::DeviceAddr address);
  [[nodiscard]] const ModelBlock* owner_of(svmrt::DeviceAddr address) const;

  // Memory, on the time of a run or, without one, of the runner. `allocated` is the new block's id on success.
  [[nodiscard]] Outcome allocate(ModelRun* run, svmrt::Bytes size, const MachineFacts& facts, std::uint64_t& allocated);
  [[nodiscard]] Outcome free(ModelRun* run, svmrt::DeviceAddr address);

  // Runs.
  [[nodiscard]] bool is_open(std::size_t number) const { return runs_.at(number).has_value(); }
  [[nodiscard]] bool any_open() const;
  // Precondition: is_open.
  [[nodiscard]] ModelRun& run(std::size_t number) { return *runs_.at(number); }
  [[nodiscard]] const ModelRun& run(std::size_t number) const { return *runs_.at(number); }
  [[nodiscard]] Answer open_run(std::size_t number);
  void close_views(ModelRun& run);
  void end_run(std::size_t number);

  // kOk, kNoView, kBadSpan, kUnavailable.
  [[nodiscard]] Answer acquire(ModelRun& run, svmrt::DeviceAddr address, svmrt::Bytes size, ModelUse use);
  // By hand. kOk or kNoView; kOk, kRefused or kDriver.
  [[nodiscard]] Answer register_by_hand(ModelRun& run, svmrt::DeviceAddr base, svmrt::Bytes size);
  [[nodiscard]] Outcome unregister(ModelRun& run, svmrt::DeviceAddr base);

  // Copies through the HostApi. Precondition: the span, of at least one byte, lies in `block`.
  [[nodiscard]] svmrt::DriverCode copy_to_device(ModelRun& run, ModelBlock& block, svmrt::DeviceAddr address,
                                                 const std::vector<std::uint8_t>& bytes);
  [[nodiscard]] svmrt::DriverCode copy_from_device(ModelRun& run, svmrt::Bytes size);
  [[nodiscard]] svmrt::DriverCode set_memory(ModelRun& run, ModelBlock& block, svmrt::DeviceAddr address,
                                             std::uint8_t value, svmrt::Bytes size);

  [[nodiscard]] Answer finalize();
  // The end of the present runner: its runs end in order, and it is finalized if it was not.
  void destroy();
  // Precondition: no run is open. What the runner destroyed by this could not give back stays, as nobody's.
  void restart();
  void lose_device();
  void stranger_calls(Picoseconds time) { driver_.stranger_calls(now_, time); }

  [[nodiscard]] Snapshot snapshot() const;

 private:
  [[nodiscard]] Answer refusal() const;  // of a call or a run; kOk when there is none
  [[nodiscard]] bool overlaps_any(svmrt::DeviceAddr base, svmrt::Bytes size) const;
  [[nodiscard]] std::uint64_t users_of(const ModelBlock& block) const;
  [[nodiscard]] svmrt::HeldMappings held() const;
  [[nodiscard]] bool map(ModelRun& run, ModelBlock& block);
  svmrt::DriverCode unmap(Picoseconds& now, ModelBlock& block, svmrt::MappingStats* stats);
  [[nodiscard]] bool make_room(ModelRun& run, svmrt::Bytes size);
  svmrt::DriverCode end_use(ModelRun& run, svmrt::DeviceAddr base);
  // Takes the block out of the books when the driver frees it.
  svmrt::DriverCode free_block(Picoseconds& now, ModelBlock& block);
  svmrt::DriverCode counted_copy(svmrt::DriverCode code);

  ModelDriver driver_;
  svmrt::Policy policy_;
  Picoseconds now_;
  std::map<svmrt::DeviceAddr, ModelBlock> blocks_;  // orphans too
  std::array<std::optional<ModelRun>, kRuns> runs_;
  bool finalized_ = false;
  bool lost_ = false;
  svmrt::MappingStats totals_;
  svmrt::DriverFailures failures_;
  std::uint64_t last_id_ = 0;
  std::uint64_t uses_ = 0;
};

// Stores bytes at an offset.
void model_store(ModelBytes& bytes, std::uint64_t offset, const std::vector<std::uint8_t>& from);
// `size` bytes from an offset on, and which of them are known.
[[nodiscard]] Model::Expected model_load(const ModelBytes& bytes, std::uint64_t offset, std::uint64_t size);

}  // namespace svmsim
