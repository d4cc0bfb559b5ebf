// SPDX-License-Identifier: Apache-2.0
#include "sim/device/digest_kernel.h"

#include <cstring>

#include "sim/kernels/tensor_runs.h"
#include "sim/machine/digest.h"

namespace svmsim {

namespace {

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

tl::expected<void, std::string> run_digest_kernel(const svmrt::TaskRecord& task,
                                                  std::span<const svmrt::KernelTensor> tensors,
                                                  std::span<const std::uint64_t> scalars) {
  Digest digest;
  digest.add(static_cast<std::uint64_t>(task.kernels.aic_kernel_id));
  digest.add(static_cast<std::uint64_t>(task.kernels.aiv0_kernel_id));
  digest.add(static_cast<std::uint64_t>(task.kernels.aiv1_kernel_id));
  for (const std::uint64_t scalar : scalars) digest.add(scalar);
  for (const svmrt::KernelTensor& argument : tensors) {
    add_shape(digest, *argument.tensor);
    if (is_read(argument.use) && argument.data != nullptr) {
      for_each_run(*argument.tensor, argument.data,
                   [&](std::byte* run, std::size_t size) { digest.add_bytes(std::span(run, size)); });
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!is_written(tensors[i].use) || tensors[i].data == nullptr) continue;
    const std::uint64_t output_digest = mix64(digest.value() + i);
    std::uint64_t place = 0;
    for_each_run(*tensors[i].tensor, tensors[i].data,
                 [&](std::byte* run, std::size_t size) { fill(run, size, output_digest, place); });
  }
  return {};
}

}  // namespace svmsim
