// SPDX-License-Identifier: Apache-2.0
// Which fault of the zoo is at work. The faulty runtime (svmrt_zoo) asks planted() at every place where a fault could
// stand; a release build has neither the question nor the fault. One fault is planted at a time, none at first.
// planted() and planted_faults() are thread-safe; plant() and plant_nothing() must not be called while another thread
// is inside the runtime.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/units.h"

namespace svmrt {

// A fault by its place in planted_faults(); only woven code names one.
enum class PlantedFault : std::uint32_t {};

struct PlantedFaultInfo {
  std::string_view name;                        // of its file, without ".toml"
  std::string_view about;                       // one sentence
  std::span<const std::string_view> scenarios;  // rows of the list of known bugs that it belongs to; may be empty
};

// Sorted by name.
[[nodiscard]] std::span<const PlantedFaultInfo> planted_faults();

// From now on the runtime has this fault and no other. Aborts with a message for a name that no fault has. A fault may
// remember things between calls: every plant() lets it start from nothing, so plant before each scenario, for the same
// fault too.
void plant(std::string_view name);
void plant_nothing();

namespace detail {
inline constexpr std::uint32_t kNothingPlanted = ~std::uint32_t{0};
inline std::atomic<std::uint32_t> planted_index{kNothingPlanted};
}  // namespace detail

[[nodiscard]] inline bool planted(PlantedFault fault) {
  return detail::planted_index.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(fault);
}

// What the planted fault remembers; the fault says what each field means to it. By device address, never by a pointer
// of the host, so that a scenario has the same outcome each time. A runner that follows another under the same
// plant() finds it as it was. Guarded by the lock of the code that uses it.
struct FaultMemory {
  std::map<DeviceAddr, Bytes> sizes;
  std::map<DeviceAddr, DeviceAddr> addresses;
  std::map<DeviceAddr, void*> hosts;
  std::map<std::pair<DeviceAddr, Bytes>, std::vector<std::byte>> contents;
  std::uint64_t count = 0;
};
[[nodiscard]] FaultMemory& fault_memory();

}  // namespace svmrt
