// SPDX-License-Identifier: Apache-2.0
// Rules over the driver calls of an arbitrary program, which may map as often as it likes. Watches a machine and keeps
// books of its own; asks the driver only what it still holds. Rules:
//   I2  no free reaches the driver while a page of the block is mapped, whatever the driver answers; and what follows
//       from one (F2): a block that arrives mapped, a register that is refused because of it
//   I3  each successful register has exactly one successful unregister, before the device is closed and the program
//       ends; each unregister ends a mapping, and one of the block that holds the address now (U4)
//   I8  at exit, or when the device is closed: no block and no mapping is left, allocation by allocation
// A refused register, and a free of an address without a block, break none: they change nothing. Addresses
// outside device memory are not looked at. Thread-bound to the lock of its machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/call_record.h"
#include "sim/machine/machine.h"
#include "sim/oracle/mapping_books.h"
#include "sim/oracle/violation.h"

namespace svmsim {

class CallRules final : public CallObserver {
 public:
  // Watches `machine` from its first call on, until finish() or its own end. The machine must outlive it.
  explicit CallRules(Machine& machine);
  ~CallRules() override;

  // What the driver still held at finish().
  struct LeftBlock {
    BlockInfo block;
    std::optional<std::uint64_t> allocated_by;  // number of the call; none when made before the watch began
  };
  struct LeftMapping {
    MappedExtent extent;
    std::optional<std::uint64_t> registered_by;  // none when no register that was seen covers it
    std::string allocation;                      // "svm+0x…" of the block it was made for; empty when unknown
  };

  // The program ends. Stops watching; calls that other threads make from now on are not seen. Not inside on_call.
  void finish();

  // In the order of the calls, then of addresses. Stable only once finished.
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] const std::vector<LeftBlock>& left_blocks() const { return left_blocks_; }
  [[nodiscard]] const std::vector<LeftMapping>& left_mappings() const { return left_mappings_; }

  void on_call(const CallRecord& record) override;

  // "svm+0x…", relative to the slice; a text without a number for what is not device memory, since that differs from
  // run to run.
  [[nodiscard]] std::string address_text(DeviceAddr address) const;

 private:
  [[nodiscard]] bool is_device_memory(DeviceAddr address) const;
  // A mapping that is gone, for whoever comes too late.
  struct Dropped {
    enum class How : std::uint8_t { kUnregister, kSilently, kDeviceClose };
    MappingBooks::Mapping mapping;
    How how = How::kUnregister;
    std::uint64_t by = 0;  // the call that dropped it; 0 for kSilently, which no call did
  };

  void on_allocate(const CallRecord& record);
  void on_free(const CallRecord& record);
  void on_register(const CallRecord& record);
  void on_refused_register(const CallRecord& record);
  void on_unregister(const CallRecord& record);
  void on_refused_unregister(const CallRecord& record);
  void on_close(const CallRecord& record);
  void report(const char* rule, std::int64_t call, DeviceAddr allocation, std::string message);
  // Ends the mapping at `base` in the books.
  void drop(DeviceAddr base, Dropped::How how, std::uint64_t call);
  // The same, for one whose block was freed while mapped and which the driver no longer has.
  void dropped_silently(DeviceAddr base, std::int64_t call);
  [[nodiscard]] bool outlives_its_block(DeviceAddr base);
  [[nodiscard]] bool driver_has(DeviceAddr base);
  [[nodiscard]] const Dropped* last_dropped_over(DeviceAddr address) const;
  // U3: what is mapped in the block though no mapping of the books touches it: an unregister dropped only the part of
  // its mapping that lay in another block.
  [[nodiscard]] const Dropped* rest_in_block(DeviceAddr base, Bytes size) const;
  void finish_mappings(std::span<const MappedExtent> held);
  void finish_extents(std::span<const MappedExtent> held);
  void finish_blocks(std::span<const BlockInfo> held);

  Machine& machine_;
  MappingBooks books_;
  std::map<DeviceAddr, Dropped> dropped_;  // the last one by start, until something is mapped there again
  std::vector<Violation> violations_;
  std::vector<LeftBlock> left_blocks_;
  std::vector<LeftMapping> left_mappings_;
};

}  // namespace svmsim
