// SPDX-License-Identifier: Apache-2.0
// The driver port: what the runtime asks of a machine. One implementation is the simulated machine, another the
// adapter to a real driver; everything above this header is the same code on both. Thread-safe: every
// implementation serialises its own calls. The runtime never calls a driver with one of its locks held.
#pragma once

#include <cstdint>

#include "runtime/driver_code.h"
#include "runtime/units.h"

namespace svmrt {

// Names one host timeline: the runner's own (kRunnerTimeline) or the one of an open run. A call's time is spent
// on the timeline that it names. A real driver has one clock and may ignore it.
enum class TimelineId : std::uint32_t {};
inline constexpr TimelineId kRunnerTimeline{0};

struct AllocateResult {
  DriverCode code = DriverCode::kNone;
  DeviceAddr address;  // meaningful when code is kNone
};

struct RegisterResult {
  DriverCode code = DriverCode::kNone;
  void* host = nullptr;  // meaningful when code is kNone; may differ from the device address
};

struct Capabilities {
  // False where the runner has no host-map path at all (a5 on board): then the runtime makes no register call.
  bool host_map_path = true;
};

class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  [[nodiscard]] virtual Capabilities capabilities() const = 0;

  // Device memory of at least `size` bytes by the rules of aclrtMalloc with HUGE_FIRST: above 1 MiB - 32 bytes on
  // 2 MiB pages. The caller owns it and returns it with free(). Fails with kOutOfMemory or kInvalidValue (size 0).
  [[nodiscard]] virtual AllocateResult allocate(TimelineId timeline, Bytes size) = 0;
  // Takes the base address that allocate returned. kBusy or kIoctlFail: refused, the block lives on.
  [[nodiscard]] virtual DriverCode free(TimelineId timeline, DeviceAddr base) = 0;

  // Maps [base, base + size) into the host's address space until unregister_from_host(base). kNotSupport: the
  // host refuses this page kind, for good.
  [[nodiscard]] virtual RegisterResult register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) = 0;
  // Takes the device address that was registered, never the host address that came back.
  [[nodiscard]] virtual DriverCode unregister_from_host(TimelineId timeline, DeviceAddr base) = 0;

  // Synchronous copies; any alignment, any size above 0. On failure the destination is undefined.
  [[nodiscard]] virtual DriverCode copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) = 0;
  [[nodiscard]] virtual DriverCode copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) = 0;
  [[nodiscard]] virtual DriverCode set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) = 0;

  // A new timeline that starts at the runner timeline's present; closing it moves the runner timeline forward to
  // the closed one's end, if that is later.
  [[nodiscard]] virtual TimelineId open_timeline() = 0;
  virtual void close_timeline(TimelineId timeline) = 0;
  // The present of a timeline, in picoseconds since an origin of the driver's choosing.
  [[nodiscard]] virtual Picoseconds now_ps(TimelineId timeline) const = 0;
  // Tells how many loads and stores went through host views, so that a machine that prices them can charge them.
  virtual void charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) = 0;
};

}  // namespace svmrt
