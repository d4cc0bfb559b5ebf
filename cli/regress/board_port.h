// SPDX-License-Identifier: Apache-2.0
// The driver port of a board as the runtime gets it when a scene is run: calls that reach it are counted, and copies of
// tensors that have no data are left out, because there is nothing to copy. Borrows the port. Thread-bound.
#pragma once

#include <cstdint>
#include <map>

#include "cli/run_result.h"
#include "runtime/hal.h"

namespace svmsim {

class BoardPort final : public svmrt::Driver {
 public:
  explicit BoardPort(svmrt::Driver& driver) : driver_(driver) {}

  void declare_host_without_data(const void* base, svmrt::Bytes size);
  // Until the block is freed.
  void declare_device_without_data(svmrt::DeviceAddr base, svmrt::Bytes size) { dataless_device_[base] = size; }
  // Whether nothing in the range was declared to have no data.
  [[nodiscard]] bool has_data(svmrt::DeviceAddr base, svmrt::Bytes size) const;
  [[nodiscard]] const CallCounts& counts() const { return counts_; }

  [[nodiscard]] svmrt::Capabilities capabilities() const override { return driver_.capabilities(); }
  [[nodiscard]] svmrt::AllocateResult allocate(svmrt::TimelineId timeline, svmrt::Bytes size) override {
    return driver_.allocate(timeline, size);
  }
  [[nodiscard]] svmrt::DriverCode free(svmrt::TimelineId timeline, svmrt::DeviceAddr base) override;
  [[nodiscard]] svmrt::RegisterResult register_to_host(svmrt::TimelineId timeline, svmrt::DeviceAddr base,
                                                       svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode unregister_from_host(svmrt::TimelineId timeline, svmrt::DeviceAddr base) override;
  [[nodiscard]] svmrt::DriverCode copy_to_device(svmrt::TimelineId timeline, svmrt::DeviceAddr to, const void* from,
                                                 svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode copy_from_device(svmrt::TimelineId timeline, void* to, svmrt::DeviceAddr from,
                                                   svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode set_memory(svmrt::TimelineId timeline, svmrt::DeviceAddr to, std::uint8_t value,
                                             svmrt::Bytes size) override {
    return driver_.set_memory(timeline, to, value, size);
  }
  [[nodiscard]] svmrt::TimelineId open_timeline() override { return driver_.open_timeline(); }
  void close_timeline(svmrt::TimelineId timeline) override { driver_.close_timeline(timeline); }
  [[nodiscard]] svmrt::Picoseconds now_ps(svmrt::TimelineId timeline) const override {
    return driver_.now_ps(timeline);
  }
  void charge_view_accesses(svmrt::TimelineId timeline, std::uint64_t loads, std::uint64_t stores) override {
    driver_.charge_view_accesses(timeline, loads, stores);
  }

 private:
  [[nodiscard]] bool host_has_data(const void* at) const;

  svmrt::Driver& driver_;
  CallCounts counts_;
  std::map<std::uintptr_t, svmrt::Bytes> dataless_host_;
  std::map<svmrt::DeviceAddr, svmrt::Bytes> dataless_device_;
};

}  // namespace svmsim
