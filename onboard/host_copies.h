// SPDX-License-Identifier: Apache-2.0
// Copies of one task's tensors in host memory, for kernels that run on the host. Tensors that overlap on the device
// overlap in the copies. The copies go through the driver port itself, so that no run counts them. Thread-bound.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/hal.h"
#include "runtime/journal.h"
#include "runtime/orchestration/host_kernel.h"
#include "runtime/result.h"

namespace svmsim {

// Whether the bytes of a range of device memory matter. Empty: all do.
using HasData = std::function<bool(svmrt::DeviceAddr base, svmrt::Bytes size)>;

class HostCopies {
 public:
  // Copies come out of `driver` and go back on the time of `timeline`; borrowed. Tensors without data are not copied.
  HostCopies(svmrt::Driver& driver, svmrt::TimelineId timeline, HasData has_data = {})
      : driver_(driver), timeline_(timeline), has_data_(std::move(has_data)) {}

  // From the first to the last element of each tensor; null for one without data. kInvalidArgument for one without
  // elements or past the end of the addresses, kDriver; both name the tensor. The result is valid as long as this
  // object and `arguments`.
  [[nodiscard]] svmrt::Result<std::vector<svmrt::KernelTensor>> fetch(std::span<const svmrt::TaskTensor> arguments);
  // Writes those tensors back that the task writes. kDriver.
  [[nodiscard]] svmrt::Result<void> store();

 private:
  struct Extent {
    std::size_t argument = 0;
    svmrt::DeviceAddr base;
    svmrt::Bytes size;
    bool written = false;
    std::byte* data = nullptr;
  };
  // Copies [base, base + size), which holds `extents`, and tells them where.
  [[nodiscard]] svmrt::Result<void> fetch_together(std::span<Extent> extents, svmrt::DeviceAddr base,
                                                   svmrt::Bytes size);

  svmrt::Driver& driver_;
  const svmrt::TimelineId timeline_;
  const HasData has_data_;
  std::vector<Extent> extents_;
  std::vector<std::vector<std::byte>> buffers_;
};

// From a tensor's first element to the end of its last.
struct TensorSpan {
  svmrt::DeviceAddr base;
  svmrt::Bytes size;
};
[[nodiscard]] TensorSpan span_of(const ChipTensor& tensor);

// kDriver: "copy_from_device of 0x1000 (8 bytes) failed with IOCTL_FAIL (17)", after `where`.
[[nodiscard]] tl::unexpected<svmrt::Error> port_failed(const std::string& where, svmrt::DriverCall call,
                                                       TensorSpan span, svmrt::DriverCode code);

}  // namespace svmsim
