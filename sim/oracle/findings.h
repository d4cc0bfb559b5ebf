// SPDX-License-Identifier: Apache-2.0
// The violations that an oracle found, and the names of allocations for their texts. Owned by the oracle. Thread-bound.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/oracle/mapping_books.h"
#include "sim/oracle/violation.h"

namespace svmsim {

class Findings {
 public:
  // Borrows both.
  Findings(const Machine& machine, MappingBooks& books) : machine_(machine), books_(books) {}

  void name(DeviceAddr base, Bytes size, const std::string& name) { tensors_[base] = Tensor{size, name}; }
  // Of every tensor that starts in the span.
  void forget_names(DeviceAddr base, Bytes size);
  // True when a named tensor covers the span.
  [[nodiscard]] bool is_named(DeviceAddr address, Bytes size) const;
  void set_round(std::int64_t round) { round_ = round; }  // -1: outside every round

  // `address` tells the allocation: the block that holds it; null for none.
  void report(const char* rule, DeviceAddr address, std::string message);
  // "svm+0x…", relative to the slice.
  [[nodiscard]] std::string address_text(DeviceAddr address) const;
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }

 private:
  struct Tensor {
    Bytes size;
    std::string name;
  };
  const Machine& machine_;
  MappingBooks& books_;
  std::int64_t round_ = -1;
  std::map<DeviceAddr, Tensor> tensors_;
  std::vector<Violation> violations_;
};

}  // namespace svmsim
