// SPDX-License-Identifier: Apache-2.0
#include "sim/device/digest_kernel.h"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "sim/machine/digest.h"

namespace svmsim {

using svmrt::TaskGraph;
using svmrt::TaskRecord;
using svmrt::TaskTensor;
using svmrt::TensorUse;

namespace {

bool is_read(TensorUse use) { return use == TensorUse::kInput || use == TensorUse::kInout || use == TensorUse::kNoDep; }
bool is_written(TensorUse use) {
  return use == TensorUse::kInout || use == TensorUse::kOutput || use == TensorUse::kOutputExisting;
}

// The bytes that a tensor spans, from its first to its last element; data is null when they must not be touched.
struct TensorBytes {
  std::byte* data = nullptr;
  DeviceAddr base;
  Bytes extent;
};

tl::expected<TensorBytes, std::string> locate(Machine& machine, const ChipTensor& tensor) {
  const std::uint64_t element = get_element_size(tensor.dtype);
  TensorBytes bytes;
  bytes.base = DeviceAddr(tensor.buffer.addr + tensor.start_offset * element);
  bytes.extent = Bytes(tensor.extent_elem() * element);
  if (bytes.extent.count() == 0) return bytes;
  std::byte* const data = machine.device_bytes(bytes.base, bytes.extent);
  if (data == nullptr) {
    return tl::unexpected(
        fmt::format("{} bytes at {:#x} are not device memory", bytes.extent.count(), bytes.base.value()));
  }
  if (machine.has_data(bytes.base, bytes.extent)) bytes.data = data;
  return bytes;
}

// Calls `visit(first byte, bytes)` for each run of adjacent elements, in row-major order of the tensor.
template <typename Visit>
void for_each_run(const ChipTensor& tensor, std::byte* data, Visit visit) {
  const std::uint64_t element = get_element_size(tensor.dtype);
  // The trailing dimensions that lie adjacent in memory form one run.
  std::uint32_t outer = tensor.ndims;
  std::uint64_t run = 1;
  while (outer > 0 && (tensor.shapes[outer - 1] == 1 || tensor.strides[outer - 1] == run)) {
    run *= tensor.shapes[outer - 1];
    --outer;
  }
  std::uint32_t index[MAX_TENSOR_DIMS] = {};
  for (;;) {
    std::uint64_t offset = 0;
    for (std::uint32_t d = 0; d < outer; ++d) offset += std::uint64_t{index[d]} * tensor.strides[d];
    visit(data + offset * element, static_cast<std::size_t>(run * element));
    std::uint32_t d = outer;
    while (d > 0 && ++index[d - 1] == tensor.shapes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

void add_shape(Digest& digest, const ChipTensor& tensor) {
  digest.add(static_cast<std::uint64_t>(tensor.dtype));
  digest.add(tensor.ndims);
  for (std::uint32_t d = 0; d < tensor.ndims; ++d) digest.add(tensor.shapes[d]);
}

// Words that differ for each digest and each place.
void fill(std::byte* to, std::size_t size, std::uint64_t digest, std::uint64_t& place) {
  for (std::size_t done = 0; done < size; done += 8, ++place) {
    const std::uint64_t word = (digest + place * 0x9e3779b97f4a7c15u) ^ (digest >> 29);
    std::memcpy(to + done, &word, size - done < 8 ? size - done : 8);
  }
}

}  // namespace

tl::expected<void, std::string> run_digest_kernel(Machine& machine, const TaskGraph& graph, const TaskRecord& task) {
  if (task.kind == svmrt::TaskKind::kDummy) return {};
  const auto tensors = graph.tensors(task);
  Digest digest;
  digest.add(static_cast<std::uint64_t>(task.kernels.aic_kernel_id));
  digest.add(static_cast<std::uint64_t>(task.kernels.aiv0_kernel_id));
  digest.add(static_cast<std::uint64_t>(task.kernels.aiv1_kernel_id));
  for (const std::uint64_t scalar : graph.scalars(task)) digest.add(scalar);
  std::vector<TensorBytes> located;
  located.reserve(tensors.size());
  for (const TaskTensor& argument : tensors) {
    auto bytes = locate(machine, argument.tensor);
    if (!bytes) return tl::unexpected(bytes.error());
    located.push_back(*bytes);
    add_shape(digest, argument.tensor);
    if (is_read(argument.use) && bytes->data != nullptr) {
      for_each_run(argument.tensor, bytes->data,
                   [&](std::byte* run, std::size_t size) { digest.add_bytes(std::span(run, size)); });
    }
  }
  // A created buffer starts out as zeros, so that what a reader finds in it never depends on an earlier owner.
  const bool zeros = task.kind == svmrt::TaskKind::kAlloc;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!is_written(tensors[i].use) || located[i].data == nullptr) continue;
    const std::uint64_t output_digest = mix64(digest.value() + i);
    std::uint64_t place = 0;
    for_each_run(tensors[i].tensor, located[i].data, [&](std::byte* run, std::size_t size) {
      if (zeros) {
        std::memset(run, 0, size);
      } else {
        fill(run, size, output_digest, place);
      }
    });
  }
  return {};
}

}  // namespace svmsim
