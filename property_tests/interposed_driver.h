// SPDX-License-Identifier: Apache-2.0
// A driver that passes every call on, and lets a harness step in between when a register call begins: at a moment at
// which the runtime holds none of its locks and a record is in transition. Thread-safe as far as the hook is.
#pragma once

#include <functional>
#include <utility>

#include "runtime/hal.h"

namespace svmsim {

class InterposedDriver final : public svmrt::Driver {
 public:
  using Bytes = svmrt::Bytes;
  using DeviceAddr = svmrt::DeviceAddr;
  using DriverCode = svmrt::DriverCode;
  using TimelineId = svmrt::TimelineId;

  // Borrowed for its life.
  explicit InterposedDriver(svmrt::Driver& driver) : driver_(driver) {}

  // Called once, when the next register call begins; set while no call is under way.
  void at_next_register(std::function<void()> hook) { hook_ = std::move(hook); }
  void clear_hook() { hook_ = nullptr; }

  [[nodiscard]] svmrt::Capabilities capabilities() const override { return driver_.capabilities(); }
  [[nodiscard]] svmrt::AllocateResult allocate(TimelineId timeline, Bytes size) override {
    return driver_.allocate(timeline, size);
  }
  [[nodiscard]] DriverCode free(TimelineId timeline, DeviceAddr base) override { return driver_.free(timeline, base); }
  [[nodiscard]] svmrt::RegisterResult register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) override {
    if (const auto hook = std::exchange(hook_, nullptr)) hook();
    return driver_.register_to_host(timeline, base, size);
  }
  [[nodiscard]] DriverCode unregister_from_host(TimelineId timeline, DeviceAddr base) override {
    return driver_.unregister_from_host(timeline, base);
  }
  [[nodiscard]] DriverCode copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) override {
    return driver_.copy_to_device(timeline, to, from, size);
  }
  [[nodiscard]] DriverCode copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) override {
    return driver_.copy_from_device(timeline, to, from, size);
  }
  [[nodiscard]] DriverCode set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) override {
    return driver_.set_memory(timeline, to, value, size);
  }
  [[nodiscard]] TimelineId open_timeline() override { return driver_.open_timeline(); }
  void close_timeline(TimelineId timeline) override { driver_.close_timeline(timeline); }
  [[nodiscard]] svmrt::Picoseconds now_ps(TimelineId timeline) const override { return driver_.now_ps(timeline); }
  void charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) override {
    driver_.charge_view_accesses(timeline, loads, stores);
  }

 private:
  svmrt::Driver& driver_;
  std::function<void()> hook_;
};

}  // namespace svmsim
