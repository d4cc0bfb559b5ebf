// SPDX-License-Identifier: Apache-2.0
// The host buffers behind the tensors of a scene: filled from the seed, restored before each round. A tensor without
// data gets an address and a size, and a touch of it faults. Owns the buffers. Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cli/cli_error.h"
#include "cli/scene/scene.h"
#include "runtime/run/argument.h"
#include "sim/memory/mapped_region.h"

namespace svmsim {

class HostTensors {
 public:
  // `scene` is borrowed. Reserves and fills every buffer.
  [[nodiscard]] static CliResult<HostTensors> create(const Scene& scene, std::uint64_t seed);

  // The arguments of a session over these buffers.
  [[nodiscard]] std::vector<svmrt::TensorArgument> arguments() const;
  // Tells which buffers have no bytes.
  void declare_dataless(const std::function<void(const void* base, svmrt::Bytes size)>& declare) const;
  // Makes every buffer what it was at the start, those that were dropped too, at whatever address.
  [[nodiscard]] CliResult<void> refill();
  // Gives the memory of child-memory tensors back; after set-up.
  void drop_child_memory();
  // Staged tensors become what they were at the start: the outputs, or all of them.
  enum class Restore { kOutputs, kAll };
  [[nodiscard]] CliResult<void> restore(Restore what);
  // Bytes of a staged tensor with data.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t index) const;

 private:
  HostTensors(const Scene& scene, std::uint64_t seed) : scene_(&scene), seed_(seed) {}
  [[nodiscard]] std::span<std::byte> buffer(std::size_t index);
  [[nodiscard]] CliResult<void> fill(std::size_t index);

  const Scene* scene_;
  std::uint64_t seed_;
  std::vector<MappedRegion> regions_;  // one per tensor
};

}  // namespace svmsim
