// SPDX-License-Identifier: Apache-2.0
#include "cli/host_tensors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/scene/tensor_data.h"

namespace svmsim {

namespace {

// Refuses what would end in the kernel killing the process: each byte with data stands once in a host buffer and once
// in simulated device memory.
CliResult<void> check_memory(const Scene& scene) {
  std::uint64_t bytes = 0;  // each at most 1 TiB, and at most 256 of them
  for (const SceneTensor& tensor : scene.tensors) bytes += tensor.has_data() ? tensor.bytes().count() : 0;
  const auto machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (2 * bytes + scene.heap.count() <= machine) return {};
  return tl::unexpected(failure(fmt::format(
      "scene '{}' needs {} bytes of memory: twice {} for tensors with data, on the host and as device memory, and a "
      "runtime heap of {}; this machine has {}. A tensor whose bytes do not matter can say data = \"none\"",
      scene.name, 2 * bytes + scene.heap.count(), bytes, scene.heap.count(), machine)));
}

}  // namespace

CliResult<HostTensors> HostTensors::create(const Scene& scene, std::uint64_t seed) {
  if (auto fits = check_memory(scene); !fits) return tl::unexpected(fits.error());
  HostTensors tensors(scene, seed);
  tensors.regions_.resize(scene.tensors.size());
  if (auto filled = tensors.refill(); !filled) return tl::unexpected(filled.error());
  return tensors;
}

CliResult<void> HostTensors::refill() {
  using Access = MappedRegion::Access;
  for (std::size_t i = 0; i < scene_->tensors.size(); ++i) {
    const SceneTensor& tensor = scene_->tensors[i];
    if (regions_[i].data() == nullptr) {
      auto region =
          MappedRegion::anonymous(nullptr, tensor.bytes(), tensor.has_data() ? Access::kReadWrite : Access::kNone);
      if (!region) {
        return tl::unexpected(failure(fmt::format("no host memory for tensor '{}' of {} bytes: {}", tensor.name,
                                                  tensor.bytes().count(), std::strerror(errno))));
      }
      regions_[i] = std::move(*region);
      if (tensor.has_data()) prefer_huge_pages_if_large(regions_[i].data(), tensor.bytes());
    }
    if (auto filled = fill(i); !filled) return filled;
  }
  return {};
}

CliResult<void> HostTensors::fill(std::size_t index) {
  const SceneTensor& tensor = scene_->tensors[index];
  if (!tensor.has_data()) return {};
  if (auto filled = fill_tensor(tensor, seed_, buffer(index)); !filled) {
    return tl::unexpected(failure(fmt::format("tensor '{}': {}", tensor.name, filled.error())));
  }
  return {};
}

std::span<std::byte> HostTensors::buffer(std::size_t index) {
  return {regions_[index].data(), static_cast<std::size_t>(regions_[index].size().count())};
}

std::span<const std::byte> HostTensors::bytes(std::size_t index) const {
  return {regions_[index].data(), static_cast<std::size_t>(regions_[index].size().count())};
}

std::vector<svmrt::TensorArgument> HostTensors::arguments() const {
  std::vector<svmrt::TensorArgument> arguments;
  for (std::size_t i = 0; i < scene_->tensors.size(); ++i) {
    const SceneTensor& tensor = scene_->tensors[i];
    arguments.push_back({tensor.name, tensor.shape, tensor.dtype, tensor.direction, tensor.residency,
                         regions_[i].data(), tensor.has_data()});
  }
  return arguments;
}

void HostTensors::declare_dataless(const std::function<void(const void* base, svmrt::Bytes size)>& declare) const {
  for (std::size_t i = 0; i < scene_->tensors.size(); ++i) {
    if (!scene_->tensors[i].has_data()) declare(regions_[i].data(), regions_[i].size());
  }
}

void HostTensors::drop_child_memory() {
  for (std::size_t i = 0; i < scene_->tensors.size(); ++i) {
    const SceneTensor& tensor = scene_->tensors[i];
    if (tensor.residency == Residency::kChildMemory && tensor.has_data()) regions_[i] = MappedRegion();
  }
}

CliResult<void> HostTensors::restore(Restore what) {
  for (std::size_t i = 0; i < scene_->tensors.size(); ++i) {
    const SceneTensor& tensor = scene_->tensors[i];
    if (tensor.residency != Residency::kStaged) continue;
    if (what == Restore::kOutputs && tensor.direction == Direction::kIn) continue;
    if (auto filled = fill(i); !filled) return filled;
  }
  return {};
}

}  // namespace svmsim
