// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/slice_layout.h"

namespace svmsim {

// 1 TiB a machine: 64 GiB of HBM can need twice its size in addresses (a block of 513 MiB takes 1 GiB of them), and
// a machine that never reuses an address needs room to burn. The last slice ends below 0x350000000000, far from
// the stack and from where the kernel places libraries.
SliceLayout slice_layout() {
  return {svmrt::DeviceAddr(0x100000000000), svmrt::Bytes(0x2c000000000), svmrt::Bytes(std::uint64_t{1} << 40), 32};
}

}  // namespace svmsim
