// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/host_element_io.h"

#include <fmt/format.h>

#include <string>

#include "runtime/driver_code.h"

namespace svmrt {

namespace {

// Elements from the buffer's start; nullopt when the sum leaves 64 bits.
std::optional<std::uint64_t> element_offset(const ChipTensor& tensor, std::uint32_t index_count,
                                            const std::uint32_t* indices) {
  std::uint64_t offset = tensor.start_offset;
  for (std::uint32_t d = 0; d < index_count; ++d) {
    const std::uint64_t step = static_cast<std::uint64_t>(indices[d]) * tensor.strides[d];
    if (__builtin_add_overflow(offset, step, &offset)) return std::nullopt;
  }
  return offset;
}

}  // namespace

std::uint64_t HostElementIo::get(const ChipTensor& tensor, std::uint32_t index_count, const std::uint32_t* indices) {
  const auto element = locate(Direction::kRead, tensor, index_count, indices);
  if (!element) return 0;
  const TensorAccess::Element read = access_.load(element->address, element->size);
  if (read.ok()) return read.bits;
  report_failure(Direction::kRead, *element, access_.failure());
  return 0;
}

void HostElementIo::set(const ChipTensor& tensor, std::uint32_t index_count, const std::uint32_t* indices,
                        std::uint64_t bits) {
  const auto element = locate(Direction::kWrite, tensor, index_count, indices);
  if (!element) return;
  const AccessStatus status = access_.store(element->address, bits, element->size);
  if (status != AccessStatus::kOk) report_failure(Direction::kWrite, *element, access_.failure());
}

std::optional<HostElementIo::Element> HostElementIo::locate(Direction direction, const ChipTensor& tensor,
                                                            std::uint32_t index_count, const std::uint32_t* indices) {
  const std::string_view call = direction == Direction::kRead ? "get_tensor_data" : "set_tensor_data";
  if (tensor.buffer.addr == 0) {
    report_.log(
        Pto2LogLevel::kError,
        fmt::format("{}: the tensor is unallocated (address 0); tensors of add_output exist after the submit", call));
    return std::nullopt;
  }
  const std::uint64_t width = get_element_size(tensor.dtype);
  if (width == 0) {
    report_.raise(PTO2_ERROR_INVALID_ARGS, fmt::format("{}: the tensor at {:#x} has no valid dtype ({})", call,
                                                       tensor.buffer.addr, static_cast<unsigned>(tensor.dtype)));
    return std::nullopt;
  }
  if (tensor.ndims > MAX_TENSOR_DIMS || index_count > tensor.ndims || (index_count != 0 && indices == nullptr)) {
    report_.raise(PTO2_ERROR_INVALID_ARGS,
                  fmt::format("{}: {} {}indices for the tensor at {:#x}, which has {} dimensions", call, index_count,
                              indices == nullptr ? "absent " : "", tensor.buffer.addr, tensor.ndims));
    return std::nullopt;
  }
  const std::optional<std::uint64_t> offset = element_offset(tensor, index_count, indices);
  std::uint64_t byte_offset = 0;
  std::uint64_t address = 0;
  if (!offset || __builtin_mul_overflow(*offset, width, &byte_offset) ||
      __builtin_add_overflow(tensor.buffer.addr, byte_offset, &address)) {
    report_.raise(PTO2_ERROR_INVALID_ARGS,
                  fmt::format("{}: the address of an element of {} bytes leaves 64 bits (buffer {:#x}, start offset "
                              "{} elements)",
                              call, width, tensor.buffer.addr, tensor.start_offset));
    return std::nullopt;
  }
  const Element element{DeviceAddr(address), Bytes(width)};
  if (refuse_if_produced(direction, tensor, element)) return std::nullopt;
  return element;
}

bool HostElementIo::refuse_if_produced(Direction direction, const ChipTensor& tensor, Element element) {
  const std::uint64_t width = element.size.count();
  const std::uint64_t first = element.address.value();
  const std::uint64_t end = first > UINT64_MAX - width ? UINT64_MAX : first + width;
  const bool is_created = tensor.owner_task_id.is_valid();
  const std::optional<std::uint32_t> writer = is_created ? std::nullopt : written_.writer_of({first, end});
  if (!is_created && !writer) return false;
  const std::string producer = is_created ? fmt::format("task {} creates the tensor", tensor.owner_task_id.local())
                                          : fmt::format("task {} writes them", *writer);
  report_.raise(PTO2_ERROR_INVALID_ARGS,
                fmt::format("{}: the {} bytes at {:#x} do not exist yet: {} and the device has not started; pass the "
                            "value as an argument or have a task write it",
                            direction == Direction::kRead ? "get_tensor_data" : "set_tensor_data", element.size.count(),
                            element.address.value(), producer));
  return true;
}

void HostElementIo::report_failure(Direction direction, Element element, const AccessResult& result) {
  const bool reading = direction == Direction::kRead;
  std::string reason;
  switch (result.status) {
    case AccessStatus::kOk:
      return;
    case AccessStatus::kNoRegion:
      reason = fmt::format(
          "no region of this run covers them; only host-memory tensors that the runtime staged and child-memory "
          "tensors that the caller passed in are {}, not runtime-created buffers",
          reading ? "readable" : "writable");
      break;
    case AccessStatus::kOutputOnly:
      reason = "they lie in a pure output argument, which can be neither read nor written";
      break;
    case AccessStatus::kNoData:
      reason = "they lie in a tensor that was declared without data: it has an address and a size only";
      break;
    case AccessStatus::kBadSpan:
      reason = "the runner refuses them: they are not inside one live device allocation";
      break;
    case AccessStatus::kCopyFailed:
      reason = fmt::format("the copy {} the device failed with driver code {} ({})", reading ? "from" : "to",
                           result.driver_code, driver_code_name(DriverCode{result.driver_code}));
      break;
    case AccessStatus::kDeferred:
      return report_.defer(result.producer,
                           fmt::format("get_tensor_data: run {} is going to write the {} bytes at {:#x}",
                                       result.producer, element.size.count(), element.address.value()));
    case AccessStatus::kUnavailable:
      reason = "device memory is unavailable: the runner is finalized, the device is lost or the run is closed";
      break;
  }
  report_.raise(PTO2_ERROR_INVALID_ARGS,
                fmt::format("{}: cannot {} {} bytes at {:#x}: {}", reading ? "get_tensor_data" : "set_tensor_data",
                            reading ? "read" : "write", element.size.count(), element.address.value(), reason));
}

}  // namespace svmrt
