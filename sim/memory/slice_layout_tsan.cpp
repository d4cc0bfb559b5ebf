// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/slice_layout.h"

namespace svmsim {

// ThreadSanitizer leaves programs a low window only; 64 GiB from 0x2000000000 are free of its own mappings. A slice
// of 8 GiB holds machines of up to 2 GiB of HBM.
SliceLayout slice_layout() {
  return {svmrt::DeviceAddr(0x2000000000), svmrt::Bytes(0), svmrt::Bytes(std::uint64_t{8} << 30), 8};
}

}  // namespace svmsim
