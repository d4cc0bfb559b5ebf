// SPDX-License-Identifier: Apache-2.0
// The part of the reference model that is one run: its argument regions and the views that it holds. Part of the Model.
// Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "property_tests/model_driver.h"
#include "property_tests/operation.h"
#include "runtime/runner_reports.h"
#include "runtime/tensor_access.h"

namespace svmsim {

// How a child-memory region is reached: decided at its first access, for good.
enum class ModelMeans : std::uint8_t { kUnresolved, kView, kCopy, kBadSpan, kUnavailable };

struct ModelRegion {
  svmrt::DeviceAddr base;
  svmrt::Bytes size;
  RegionKind kind = RegionKind::kChildMemory;
  ModelMeans means = ModelMeans::kUnresolved;
  std::uint64_t block = 0;  // that a staged one was claimed in, or a child-memory one resolved in
  ModelBytes host = {};     // of a staged one: the caller's buffer, by offset in the region
};

// What a run has to do with one block.
struct ModelHold {
  std::uint64_t block = 0;
  svmrt::DeviceAddr base;
  bool acquired = false;    // until the views are closed
  bool registered = false;  // until the unregister, or the close
  bool failed = false;      // a register failed: not asked again in this run
};

struct ModelRun {
  Picoseconds now;
  bool closed = false;               // tensor access and views
  std::vector<ModelRegion> regions;  // in the order of their claims
  std::vector<ModelHold> holds;
  svmrt::AccessStats accesses;
  svmrt::MappingStats mappings;

  [[nodiscard]] ModelHold& hold(const ModelBlock& block);
  [[nodiscard]] bool holds_view(std::uint64_t block) const;
  [[nodiscard]] bool has_failed(std::uint64_t block) const;
  // The hold made by hand of the block at `base`; null when there is none.
  [[nodiscard]] ModelHold* registered_at(svmrt::DeviceAddr base);

  // False, and nothing added: closed, or no range. `host` and `block` belong to a staged region.
  [[nodiscard]] bool claim(svmrt::DeviceAddr address, svmrt::Bytes size, RegionKind kind, std::uint64_t block,
                           ModelBytes host);
  // The region that an access to this span goes to: the first that covers all of it, before those that refuse every
  // access. By index; absent when none does.
  [[nodiscard]] std::optional<std::size_t> serving(svmrt::DeviceAddr address, svmrt::Bytes size) const;
};

}  // namespace svmsim
