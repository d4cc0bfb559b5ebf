// SPDX-License-Identifier: Apache-2.0
// A well-behaved driver over a small arena of real memory, for unit tests of the runtime. It keeps its own books,
// refuses what a driver refuses, records every call, fails on request, and counts calls made with a lock of the
// runtime held. No cost model: each kind of call takes a fixed time on its timeline. Thread-safe, except that
// scripting and `before_call` must be set up while no call is under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/hal.h"

namespace svmrt::testing {

enum class CallKind : std::uint8_t { kAllocate, kFree, kRegister, kUnregister, kCopyToDevice, kCopyFromDevice, kSet };
inline constexpr std::size_t kCallKinds = 7;

// kIdentity: a mapping has the device address. kElsewhere: the device address points nowhere in the host, the mapping
// is at another address; both name the same bytes.
enum class MappingPlace { kIdentity, kElsewhere };

struct FakeCall {
  CallKind kind = CallKind::kAllocate;
  TimelineId timeline = kRunnerTimeline;
  DeviceAddr address;  // of a successful allocate, the result; null for a failed one
  Bytes bytes;         // zero for free and unregister
  DriverCode code = DriverCode::kNone;
};

class FakeDriver final : public Driver {
 public:
  static constexpr Bytes kPage{4096};
  static constexpr Bytes kArena{64 * kPage.count()};

  explicit FakeDriver(MappingPlace place = MappingPlace::kIdentity, Capabilities capabilities = {});

  // First fit in whole pages, so that a freed address is handed out again.
  [[nodiscard]] Capabilities capabilities() const override { return capabilities_; }
  [[nodiscard]] AllocateResult allocate(TimelineId timeline, Bytes size) override;
  // kInvalidValue for what is no base; kBusy while a mapping lies inside the block.
  [[nodiscard]] DriverCode free(TimelineId timeline, DeviceAddr base) override;
  // kInvalidValue outside one block; kParaError where it overlaps a mapping.
  [[nodiscard]] RegisterResult register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) override;
  // kNotExist for everything but a registered base, the address that register returned included.
  [[nodiscard]] DriverCode unregister_from_host(TimelineId timeline, DeviceAddr base) override;
  // kInvalidValue outside one block. A scripted failure leaves 0xEE in the destination of copy_from_device.
  [[nodiscard]] DriverCode copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) override;
  [[nodiscard]] DriverCode copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) override;
  [[nodiscard]] DriverCode set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) override;
  [[nodiscard]] TimelineId open_timeline() override;
  void close_timeline(TimelineId timeline) override;
  [[nodiscard]] Picoseconds now_ps(TimelineId timeline) const override;
  void charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) override;

  // Call number `index` of its kind, counted from 0 since construction, fails with `code` and does nothing.
  void fail(CallKind kind, std::uint64_t index, DriverCode code);
  // The next call of its kind.
  void fail_next(CallKind kind, DriverCode code);
  void fail_always(CallKind kind, DriverCode code);
  void stop_failing(CallKind kind);
  // Every register from now on succeeds and returns no address.
  void return_null_views() { null_views_ = true; }
  // Every allocate from now on returns this address and enters nothing.
  void hand_out(DeviceAddr address) { handed_out_ = address; }
  void set_cost(CallKind kind, Picoseconds cost);
  // Runs at the start of each driver call, outside the fake's own lock.
  std::function<void(CallKind)> before_call;

  [[nodiscard]] std::vector<FakeCall> calls() const;
  [[nodiscard]] std::uint64_t count(CallKind kind) const;
  // "allocate free register ...", without addresses.
  [[nodiscard]] std::string sequence() const;
  [[nodiscard]] std::uint64_t calls_with_lock_held() const;
  [[nodiscard]] std::uint64_t live_blocks() const;
  [[nodiscard]] std::map<DeviceAddr, Bytes> mappings() const;
  [[nodiscard]] std::uint64_t open_timelines() const;
  [[nodiscard]] std::uint64_t charged_loads() const;
  [[nodiscard]] std::uint64_t charged_stores() const;
  [[nodiscard]] std::uint64_t charge_calls() const;
  // That each call of charge_view_accesses named, in order.
  [[nodiscard]] std::vector<TimelineId> charged_timelines() const;
  // The test's own way to the bytes at an address of a live block.
  [[nodiscard]] std::byte* bytes_at(DeviceAddr address) const;

 private:
  // Counts the call, spends its time, and returns the scripted failure, or kNone.
  DriverCode begin(CallKind kind, TimelineId timeline);
  void record(CallKind kind, TimelineId timeline, DeviceAddr address, Bytes bytes, DriverCode code);
  [[nodiscard]] bool inside_block(DeviceAddr start, Bytes size) const;

  struct Script {
    std::map<std::uint64_t, DriverCode> by_index;
    DriverCode always = DriverCode::kNone;
    Picoseconds cost;
    std::uint64_t calls = 0;
  };

  const Capabilities capabilities_;
  std::unique_ptr<std::byte[]> arena_;
  std::byte* first_page_ = nullptr;
  DeviceAddr base_;  // device address of first_page_
  bool null_views_ = false;
  std::optional<DeviceAddr> handed_out_;
  mutable std::mutex mutex_;  // not the runtime's: its holder may allocate
  Script scripts_[kCallKinds];
  std::map<DeviceAddr, Bytes> blocks_;
  std::map<DeviceAddr, Bytes> mappings_;
  std::map<TimelineId, Picoseconds> now_;
  std::uint32_t last_timeline_ = 0;
  std::vector<FakeCall> calls_;
  std::uint64_t calls_with_lock_held_ = 0;
  std::uint64_t loads_ = 0;
  std::uint64_t stores_ = 0;
  std::vector<TimelineId> charged_timelines_;
};

}  // namespace svmrt::testing
