// SPDX-License-Identifier: Apache-2.0
#include "onboard/host_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

namespace {

// Kernels find their elements aligned as they are on the device.
constexpr std::uint64_t kAlignment = 64;

tl::unexpected<svmrt::Error> copy_failed(svmrt::DriverCall call, std::size_t argument, TensorSpan span,
                                         DriverCode code) {
  return port_failed(fmt::format("tensor {}: ", argument), call, span, code);
}

}  // namespace

TensorSpan span_of(const ChipTensor& tensor) {
  const std::uint64_t element = get_element_size(tensor.dtype);
  return {DeviceAddr(tensor.buffer.addr + tensor.start_offset * element), Bytes(tensor.extent_elem() * element)};
}

tl::unexpected<svmrt::Error> port_failed(const std::string& where, svmrt::DriverCall call, TensorSpan span,
                                         DriverCode code) {
  return svmrt::fail(svmrt::ErrorCode::kDriver,
                     fmt::format("{}{} of {} failed with {}", where, svmrt::driver_call_name(call),
                                 svmrt::block_text(span.base, span.size), svmrt::code_text(code)),
                     code);
}

svmrt::Result<std::vector<svmrt::KernelTensor>> HostCopies::fetch(std::span<const svmrt::TaskTensor> arguments) {
  extents_.clear();
  buffers_.clear();
  extents_.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto [base, size] = span_of(arguments[i].tensor);
    if (size == Bytes(0) || size.count() > std::numeric_limits<std::uint64_t>::max() - base.value()) {
      return svmrt::fail(svmrt::ErrorCode::kInvalidArgument,
                         fmt::format("tensor {}: {} is no memory for a kernel", i, svmrt::block_text(base, size)));
    }
    if (has_data_ && !has_data_(base, size)) continue;
    extents_.push_back({i, base, size, is_written(arguments[i].use), nullptr});
  }
  std::stable_sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.base < b.base; });
  for (std::size_t first = 0; first < extents_.size();) {
    DeviceAddr end = extents_[first].base + extents_[first].size;
    std::size_t next = first + 1;
    for (; next < extents_.size() && extents_[next].base < end; ++next) {
      end = std::max(end, extents_[next].base + extents_[next].size);
    }
    const std::span<Extent> together = std::span(extents_).subspan(first, next - first);
    if (auto fetched = fetch_together(together, together[0].base, end - together[0].base); !fetched) {
      return tl::unexpected(std::move(fetched.error()));
    }
    first = next;
  }
  std::vector<svmrt::KernelTensor> tensors;
  tensors.reserve(arguments.size());
  for (const svmrt::TaskTensor& argument : arguments) tensors.push_back({&argument.tensor, argument.use, nullptr});
  for (const Extent& extent : extents_) tensors[extent.argument].data = extent.data;
  return tensors;
}

// Outputs too: a kernel need not write all of an output, and a view has bytes between its elements that are not its
// own.
svmrt::Result<void> HostCopies::fetch_together(std::span<Extent> extents, DeviceAddr base, Bytes size) {
  std::vector<std::byte>& buffer = buffers_.emplace_back(size.count() + 2 * kAlignment);
  const std::uint64_t misaligned = reinterpret_cast<std::uint64_t>(buffer.data()) % kAlignment;
  std::byte* const start = buffer.data() + (kAlignment - misaligned) + base.value() % kAlignment;
  const DriverCode code = driver_.copy_from_device(timeline_, start, base, size);
  if (code != DriverCode::kNone) {
    return copy_failed(svmrt::DriverCall::kCopyFromDevice, extents[0].argument, {base, size}, code);
  }
  for (Extent& extent : extents) extent.data = start + (extent.base - base).count();
  return {};
}

svmrt::Result<void> HostCopies::store() {
  for (const Extent& extent : extents_) {
    if (!extent.written) continue;
    const DriverCode code = driver_.copy_to_device(timeline_, extent.base, extent.data, extent.size);
    if (code != DriverCode::kNone) {
      return copy_failed(svmrt::DriverCall::kCopyToDevice, extent.argument, {extent.base, extent.size}, code);
    }
  }
  return {};
}

}  // namespace svmsim
