// SPDX-License-Identifier: Apache-2.0
// What one run did and what it cost, measured on its timeline through the driver port's clock. Value type.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/units.h"

namespace svmrt {

struct RunReport {
  std::uint64_t mappings_established = 0;  // registers that succeeded in this bind
  std::uint64_t mappings_refused = 0;      // registers that failed in this bind
  std::uint64_t mappings_held = 0;         // by the runner at the end of the bind, and their requested bytes
  Bytes bytes_held;
  std::uint64_t regions_with_view = 0;  // child-memory tensors that this bind resolved to a view, and their bytes
  Bytes region_bytes_with_view;
  std::uint64_t device_copies = 0;  // accesses served by a device copy
  std::uint64_t accesses = 0;       // get and set on child-memory tensors
  std::uint64_t staged_writes = 0;  // set on staged tensors: they stay in the caller's buffer
  std::uint64_t tasks = 0;

  Picoseconds bind_time;  // uploads, orchestration and host_view_close together
  Picoseconds map_time;
  Picoseconds unmap_time;
  Picoseconds copy_time;             // of device_copies
  Picoseconds upload_time;           // staging
  Picoseconds push_time;             // of staged writes to the device
  Picoseconds host_view_close_time;  // contains unmap_time where the policy unmaps at close
  Picoseconds device_time;           // from launch to completion
  Picoseconds download_time;         // staged outputs back to their host buffers

  std::int32_t orch_error_code = 0;  // PTO2_ERROR_* of the first fatal, 0 without one
};

}  // namespace svmrt
