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

tl::expected<std::vector<svmrt::KernelTensor>, std::string> kernel_tensors(Machine& machine,
                                                                           const svmrt::TaskGraph& graph,
                                                                           const svmrt::TaskRecord& task) {
  std::vector<svmrt::KernelTensor> tensors;
  tensors.reserve(task.tensor_count);
  for (const svmrt::TaskTensor& argument : graph.tensors(task)) {
    const auto bytes = locate(machine, argument.tensor);
    if (!bytes) return tl::unexpected(fmt::format("tensor {}: {}", tensors.size(), bytes.error()));
    tensors.push_back({&argument.tensor, argument.use, bytes->data});
  }
  return tensors;
}

}  // namespace svmsim
