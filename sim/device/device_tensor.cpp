// SPDX-License-Identifier: Apache-2.0
#include "sim/device/device_tensor.h"

#include <fmt/format.h>

namespace svmsim {

tl::expected<TensorBytes, std::string> locate(Machine& machine, const ChipTensor& tensor) {
  const std::uint64_t element = get_element_size(tensor.dtype);
  TensorBytes bytes;
  bytes.base = svmrt::DeviceAddr(tensor.buffer.addr + tensor.start_offset * element);
  bytes.extent = svmrt::Bytes(tensor.extent_elem() * element);
  if (bytes.extent.count() == 0) return bytes;
  std::byte* const data = machine.device_bytes(bytes.base, bytes.extent);
  if (data == nullptr) {
    return tl::unexpected(
        fmt::format("{} bytes at {:#x} are not device memory", bytes.extent.count(), bytes.base.value()));
  }
  if (machine.has_data(bytes.base, bytes.extent)) bytes.data = data;
  return bytes;
}

}  // namespace svmsim
