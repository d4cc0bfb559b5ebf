// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/findings.h"

#include <fmt/format.h>

namespace svmsim {

void Findings::forget_names(DeviceAddr base, Bytes size) {
  tensors_.erase(tensors_.lower_bound(base), tensors_.lower_bound(base + size));
}

bool Findings::is_named(DeviceAddr address, Bytes size) const {
  const auto behind = tensors_.upper_bound(address);
  if (behind == tensors_.begin()) return false;
  const auto& [base, tensor] = *std::prev(behind);
  return svmrt::span_inside(address, size, base, tensor.size);
}

void Findings::report(const char* rule, DeviceAddr address, std::string message) {
  Violation violation;
  violation.rule = rule;
  violation.round = round_;
  violation.message = std::move(message);
  if (!address.is_null()) {
    const DeviceAddr base = books_.allocation_of(address);
    const auto named = tensors_.find(base);
    violation.allocation = named != tensors_.end() ? named->second.name : address_text(base);
  }
  violations_.push_back(std::move(violation));
}

std::string Findings::address_text(DeviceAddr address) const {
  return fmt::format("svm+{:#x}", machine_.relative(address));
}

}  // namespace svmsim
