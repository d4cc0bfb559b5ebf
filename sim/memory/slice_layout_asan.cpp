// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/slice_layout.h"

namespace svmsim {

// AddressSanitizer's shadow ends at 0x10007fff8000, above the driver's SVM base, so this build starts higher.
SliceLayout slice_layout() {
  return {svmrt::DeviceAddr(0x200000000000), svmrt::Bytes(0x2c000000000), svmrt::Bytes(std::uint64_t{1} << 40), 16};
}

}  // namespace svmsim
