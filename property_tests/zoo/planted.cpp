// SPDX-License-Identifier: Apache-2.0
#include "property_tests/zoo/planted.h"

#include <cstdio>
#include <cstdlib>

namespace svmrt {

FaultMemory& fault_memory() {
  static FaultMemory memory;
  return memory;
}

void plant(std::string_view name) {
  const std::span<const PlantedFaultInfo> faults = planted_faults();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].name != name) continue;
    fault_memory() = FaultMemory{};
    detail::planted_index = static_cast<std::uint32_t>(i);
    return;
  }
  std::fprintf(stderr, "zoo: there is no fault \"%.*s\"; property_tests/zoo/faults/ has one file for each\n",
               static_cast<int>(name.size()), name.data());
  std::abort();
}

void plant_nothing() {
  detail::planted_index = detail::kNothingPlanted;
  fault_memory() = FaultMemory{};
}

}  // namespace svmrt
