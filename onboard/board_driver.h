// SPDX-License-Identifier: Apache-2.0
// The driver port on a real driver, or on whatever is found under the names of its libraries. They are loaded, and the
// device is opened, when a call first needs it: libascendcl.so for memory and copies, libascend_hal.so for the host
// map. Thread-safe: one call at a time; the log is written without the lock.
//
// What a library's function answers is passed on, with ACL codes as driver_code_of_acl says. A function that could not
// be asked answers kLibraryNotLoaded, kSymbolMissing or, where the device does not open, that call's code; the reason
// is logged once for each function. Failed calls are not logged here: their caller has the code.
//
// Once a call answers NO_DEVICE the device is lost: this is logged, no library is called any more, and every call
// answers kNoDevice. Whoever made the DeviceRunner tells it (DeviceRunner::device_lost).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "onboard/acl_device.h"
#include "onboard/host_map.h"
#include "onboard/monotonic_clock.h"
#include "runtime/hal.h"
#include "runtime/owner_process.h"
#include "runtime/result.h"
#include "runtime/runner_reports.h"

namespace svmsim {

enum class BoardKind {
  kA2a3,  // maps device memory into the host
  kA5,    // has no host-map path: libascend_hal.so is not even loaded
};

struct BoardConfig {
  BoardKind kind = BoardKind::kA2a3;
  std::int32_t device = 0;  // as the process numbers the devices that it may see (ASCEND_RT_VISIBLE_DEVICES)
  // As dlopen takes them.
  std::string acl_library = "libascendcl.so";
  std::string hal_library = "libascend_hal.so";
  Clock clock;         // empty: monotonic_clock()
  svmrt::LogSink log;  // may be empty
};

class BoardDriver final : public svmrt::Driver {
 public:
  // Makes no call. kInvalidArgument: a negative device id.
  [[nodiscard]] static svmrt::Result<std::unique_ptr<BoardDriver>> create(BoardConfig config);
  // Closes the device, unless it is lost or another process' (a fork's parent); what fails is logged. The memory and
  // the mappings that nobody gave back go with it.
  ~BoardDriver() override;

  // What the first call would do. kLoad, kDriver: as the calls will answer from now on.
  [[nodiscard]] svmrt::Result<void> open();
  [[nodiscard]] bool device_lost() const;

  [[nodiscard]] svmrt::Capabilities capabilities() const override;
  // Size 0 is kInvalidValue without a call.
  [[nodiscard]] svmrt::AllocateResult allocate(svmrt::TimelineId timeline, svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode free(svmrt::TimelineId timeline, svmrt::DeviceAddr base) override;
  // kNotSupport without a call where there is no host-map path.
  [[nodiscard]] svmrt::RegisterResult register_to_host(svmrt::TimelineId timeline, svmrt::DeviceAddr base,
                                                       svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode unregister_from_host(svmrt::TimelineId timeline, svmrt::DeviceAddr base) override;
  [[nodiscard]] svmrt::DriverCode copy_to_device(svmrt::TimelineId timeline, svmrt::DeviceAddr to, const void* from,
                                                 svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode copy_from_device(svmrt::TimelineId timeline, void* to, svmrt::DeviceAddr from,
                                                   svmrt::Bytes size) override;
  [[nodiscard]] svmrt::DriverCode set_memory(svmrt::TimelineId timeline, svmrt::DeviceAddr to, std::uint8_t value,
                                             svmrt::Bytes size) override;
  // All timelines show the one clock.
  [[nodiscard]] svmrt::TimelineId open_timeline() override;
  void close_timeline(svmrt::TimelineId /*timeline*/) override {}
  [[nodiscard]] svmrt::Picoseconds now_ps(svmrt::TimelineId /*timeline*/) const override { return clock_(); }
  void charge_view_accesses(svmrt::TimelineId /*timeline*/, std::uint64_t /*loads*/,
                            std::uint64_t /*stores*/) override {}

 private:
  explicit BoardDriver(BoardConfig config);
  // `call` under the lock, unless the device is lost; its answer as a code.
  template <typename Call>
  [[nodiscard]] svmrt::DriverCode ask(const char* function, Call call);
  // `call(map, device)` with the driver's id of the device.
  template <typename Call>
  [[nodiscard]] svmrt::DriverCode ask_host_map(const char* function, Call call);
  void log(const std::string& line) const;

  const std::int32_t device_id_;
  const Clock clock_;
  const svmrt::LogSink log_;
  const svmrt::OwnerProcess owner_;
  std::atomic<std::uint32_t> timelines_{0};

  mutable std::mutex mutex_;
  AclDevice device_;  // this and what follows is guarded by mutex_
  std::optional<HostMap> host_map_;
  std::set<std::string> said_;
  bool lost_ = false;
};

}  // namespace svmsim
