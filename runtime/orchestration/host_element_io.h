// SPDX-License-Identifier: Apache-2.0
// Reads and writes single tensor elements on the host while the graph is being built. Borrows everything it is
// given; the orchestrator owns it. Thread-bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/orchestration/api/pto_tensor.h"
#include "runtime/orchestration/orchestration_report.h"
#include "runtime/orchestration/written_memory.h"
#include "runtime/tensor_access.h"
#include "runtime/units.h"

namespace svmrt {

// An element is found by address alone: what the descriptor claims about its memory is not consulted. Every
// refusal is a fatal INVALID_ARGS that names call, address and bytes, except for an unallocated tensor (address 0),
// which is logged as an error of the call and reads as 0. A read of bytes that another live run is going to write is no
// refusal: the run is deferred.
//
// The device has not started, so that bytes which a submitted task produces cannot exist: a tensor with an owner,
// or an element that a recorded writer writes, is refused before anything is looked up. Writers count by the bytes they
// write, under whichever buffer address; a writer of other elements is no obstacle.
class HostElementIo {
 public:
  HostElementIo(TensorAccess& access, const WrittenMemory& written, OrchestrationReport& report)
      : access_(access), written_(written), report_(report) {}

  // The element's bits, zero-extended; 0 when refused. `indices` holds index_count numbers, missing ones count as 0.
  [[nodiscard]] std::uint64_t get(const ChipTensor& tensor, std::uint32_t index_count, const std::uint32_t* indices);
  // Stores the low bytes of `bits`, as many as the dtype has.
  void set(const ChipTensor& tensor, std::uint32_t index_count, const std::uint32_t* indices, std::uint64_t bits);

 private:
  enum class Direction { kRead, kWrite };
  struct Element {
    DeviceAddr address;
    Bytes size;
  };

  // Address and width of an element that may be accessed; nullopt, and reported, otherwise.
  std::optional<Element> locate(Direction direction, const ChipTensor& tensor, std::uint32_t index_count,
                                const std::uint32_t* indices);
  bool refuse_if_produced(Direction direction, const ChipTensor& tensor, Element element);
  void report_failure(Direction direction, Element element, const AccessResult& result);

  TensorAccess& access_;
  const WrittenMemory& written_;
  OrchestrationReport& report_;
};

}  // namespace svmrt
