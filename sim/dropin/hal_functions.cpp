// SPDX-License-Identifier: Apache-2.0
// The C layer of libascend_hal.so over the machine: pointers, widths, and what a forked child is answered.
#include <algorithm>

#include "sim/driver/hal_flags.h"
#include "sim/driver/register_rules.h"
#include "sim/dropin/implementation.h"
#include "sim/dropin/out_pointer.h"
#include "sim/dropin/process.h"

namespace svmsim {
namespace {

using svmrt::DriverCode;
using svmrt::kRunnerTimeline;

// What halMemCtl(SUPPORT_FEATURE) reads and writes.
struct MemCtlFeatures {
  std::uint64_t mask = 0;
  std::uint32_t device_id = 0;
  std::uint32_t padding = 0;
};
static_assert(sizeof(MemCtlFeatures) == 16);

DeviceAddr device_address(const void* pointer) { return DeviceAddr(reinterpret_cast<std::uintptr_t>(pointer)); }

bool is_v3(const Simulation& simulation) { return simulation.environment().platform.personality == Personality::kV3; }

// Assumption: a child may do nothing that needs the driver's process context. R11 gives the codes for register.
DriverCode hal_refused_in_child(const Simulation& simulation) {
  return is_v3(simulation) ? DriverCode::kNotExist : DriverCode::kParaError;
}

// R11.
DriverCode register_in_child(const Simulation& simulation, DeviceAddr source, std::uint64_t size) {
  const std::vector<MappedExtent> held = simulation.machine().mapped_extents();
  const bool parent_holds = std::any_of(held.begin(), held.end(), [&](const MappedExtent& extent) {
    const std::uint64_t first = extent.base.value();
    return source.value() < first + extent.size.count() && (first <= source.value() || first - source.value() < size);
  });
  return is_v3(simulation) && parent_holds ? DriverCode::kRepeatedUserd : hal_refused_in_child(simulation);
}

template <typename Own, typename InChild>
std::int32_t driver_call(Own own, InChild in_child) {
  return svmrt::code_number(Process::instance().call(own, in_child));
}

}  // namespace
}  // namespace svmsim

using namespace svmsim;

std::int32_t svmsim_halHostRegister(void* source, std::uint64_t size, std::uint32_t flag, std::uint32_t device_id,
                                    void** destination) {
  const bool has_destination = is_writable(destination, sizeof(void*));
  return driver_call(
      [&](Simulation& simulation) {
        if (!has_destination) return r2_null_destination(simulation.environment().platform.personality, flag);
        const RegisterOutcome outcome =
            simulation.machine().host_register(kRunnerTimeline, device_address(source), size, flag, device_id);
        if (outcome.code == DriverCode::kNone) put(destination, outcome.host);
        return outcome.code;
      },
      [&](const Simulation& simulation) {
        if (!has_destination) return r2_null_destination(simulation.environment().platform.personality, flag);
        return register_in_child(simulation, device_address(source), size);
      });
}

std::int32_t svmsim_halHostUnregister(void* source, std::uint32_t device_id) {
  return driver_call(
      [&](Simulation& simulation) {
        return simulation.machine().host_unregister(kRunnerTimeline, device_address(source), device_id).code;
      },
      // Assumption: nothing is registered in a child.
      [](const Simulation&) { return DriverCode::kParaError; });
}

std::int32_t svmsim_halHostUnregisterEx(void* source, std::uint32_t device_id, std::uint32_t flag) {
  return driver_call(
      [&](Simulation& simulation) {
        return simulation.machine().host_unregister_ex(kRunnerTimeline, device_address(source), device_id, flag).code;
      },
      [](const Simulation&) { return DriverCode::kParaError; });
}

std::int32_t svmsim_halHostRegisterCapabilities() {
  return driver_call([](Simulation&) { return DriverCode::kNotSupport; },
                     [](const Simulation&) { return DriverCode::kNotSupport; });
}

// U5. Assumption: a destination is looked at only when there is something to write.
std::int32_t svmsim_halMemHostGetDevPointer(void* source, std::uint32_t device_id, void** destination) {
  const bool has_destination = is_writable(destination, sizeof(void*));
  return driver_call(
      [&](Simulation& simulation) {
        const DevicePointerOutcome outcome =
            simulation.machine().host_get_device_pointer(device_address(source).value(), device_id);
        if (outcome.code != DriverCode::kNone) return outcome.code;
        if (!has_destination) return DriverCode::kInvalidValue;
        put(destination, outcome.address.value());
        return outcome.code;
      },
      [](const Simulation&) { return DriverCode::kNotExist; });
}

// A null result pointer is checked where size 0 is (P2).
std::int32_t svmsim_halMemAlloc(void** address, unsigned long long size, unsigned long long flag) {
  const bool has_address = is_writable(address, sizeof(void*));
  return driver_call(
      [&](Simulation& simulation) {
        Machine& machine = simulation.machine();
        const AllocOutcome outcome = machine.mem_alloc(kRunnerTimeline, has_address ? size : 0, flag);
        if (outcome.code == DriverCode::kNone) put(address, outcome.address.value());
        return outcome.code;
      },
      hal_refused_in_child);
}

std::int32_t svmsim_halMemFree(void* address) {
  return driver_call(
      [&](Simulation& simulation) { return simulation.machine().mem_free(kRunnerTimeline, device_address(address)); },
      // P5: a child has allocated nothing.
      [](const Simulation&) { return DriverCode::kInvalidValue; });
}

// Assumptions: a flag other than 0 is refused as 1 is; the device id comes first. Nothing is to be opened.
std::int32_t svmsim_halMemAgentOpen(std::uint32_t device_id, std::uint32_t flag) {
  DriverCode code = DriverCode::kNone;
  if (device_id >= kDeviceIdLimit) {
    code = DriverCode::kInvalidDevice;
  } else if (flag != 0) {
    code = DriverCode::kNotSupport;
  }
  return driver_call([&](Simulation&) { return code; }, hal_refused_in_child);
}

// A query changes nothing, so a child is answered like its parent. Assumptions: buffers smaller than the 16 bytes
// count as null; a larger one is told by *out_size how much of it was filled.
std::int32_t svmsim_halMemCtl(std::int32_t type, void* in, std::size_t in_size, void* out, std::size_t* out_size) {
  MemCtlFeatures asked;
  const bool has_in = in_size >= sizeof asked && read_bytes(&asked, in, sizeof asked);
  std::size_t out_capacity = 0;
  const bool has_out = is_writable(out, sizeof asked) && is_writable(out_size, sizeof out_capacity) &&
                       read_bytes(&out_capacity, out_size, sizeof out_capacity);
  const auto answer = [&](const Simulation& simulation) {
    if (!has_in || !has_out || out_capacity < sizeof asked) return DriverCode::kInvalidValue;
    const MemCtlOutcome outcome = simulation.machine().mem_ctl(type, asked.mask, asked.device_id);
    if (outcome.code == DriverCode::kNone) {
      put(out, MemCtlFeatures{outcome.mask, asked.device_id, 0});
      put(out_size, sizeof asked);
    }
    return outcome.code;
  };
  return driver_call(answer, answer);
}

bool svmsim_halSupportFeature(std::uint32_t device_id, std::int32_t type) {
  return Process::instance().call(
      [&](Simulation& simulation) { return simulation.machine().support_feature(device_id, type); },
      [&](const Simulation& simulation) {
        return feature_supported(simulation.environment().platform.personality, device_id, type);
      });
}

std::uint64_t svmsim_svmsim_now_ns() {
  const auto now = [](const Simulation& simulation) {
    return simulation.machine().now(kRunnerTimeline).count() / 1000;
  };
  return Process::instance().call(now, now);
}
