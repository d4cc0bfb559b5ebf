// SPDX-License-Identifier: Apache-2.0
// The part of the reference model that is a run's tensor access: what a claim, a read and a write do. Pure functions on
// the model's books. Thread-bound.
#pragma once

#include <vector>

#include "property_tests/model_runner.h"

namespace svmsim {

// Whether an access to this span must not be tried: the region that serves it would copy from or, when it writes, push
// to a block that was freed since it was resolved or claimed, or has a view that went with the device.
[[nodiscard]] bool model_touches_freed(const ModelRunner& runner, const ModelRun& run, svmrt::DeviceAddr address,
                                       svmrt::Bytes size, bool writes);

// Resolves a child-memory region, if that is still to do.
void model_resolve(ModelRunner& runner, ModelRun& run, ModelRegion& region);

[[nodiscard]] Model::Expected model_read(ModelRunner& runner, ModelRun& run, svmrt::DeviceAddr address,
                                         svmrt::Bytes size);
[[nodiscard]] Outcome model_write(ModelRunner& runner, ModelRun& run, svmrt::DeviceAddr address,
                                  const std::vector<std::uint8_t>& bytes);

}  // namespace svmsim
