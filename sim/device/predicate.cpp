// SPDX-License-Identifier: Apache-2.0
#include "sim/device/predicate.h"

#include <fmt/format.h>

#include "runtime/orchestration/task_predicate.h"

namespace svmsim {

tl::expected<bool, std::string> predicate_holds(Machine& machine, const svmrt::TaskPredicate& predicate) {
  const auto [address, size] = svmrt::predicate_operand(predicate);
  const std::byte* const at = machine.device_bytes(address, size);
  if (at == nullptr) {
    return tl::unexpected(
        fmt::format("predicate operand: {} bytes at {:#x} are not device memory", size.count(), address.value()));
  }
  if (!machine.has_data(address, size)) {
    return tl::unexpected(
        fmt::format("predicate operand: {} bytes at {:#x} have no data", size.count(), address.value()));
  }
  return svmrt::predicate_holds(predicate, at);
}

}  // namespace svmsim
