// SPDX-License-Identifier: Apache-2.0
// Where simulated device memory lies in the process. The default is the driver's own: SVM from 0x100000000000, the
// first device block at 0x12c000000000. Sanitizers reserve parts of the address space for themselves, so their
// builds use another base; one file per build kind answers. Value type.
#pragma once

#include <cstdint>

#include "runtime/units.h"

namespace svmsim {

struct SliceLayout {
  svmrt::DeviceAddr svm_base;        // traces and digests show addresses relative to the slice of the machine
  svmrt::Bytes first_device_offset;  // of the first device block from svm_base
  svmrt::Bytes slice;                // address space of one machine
  std::uint32_t slices;              // how many machines fit beside each other in one process
  [[nodiscard]] svmrt::DeviceAddr first_slice() const { return svm_base + first_device_offset; }
};

[[nodiscard]] SliceLayout slice_layout();

}  // namespace svmsim
