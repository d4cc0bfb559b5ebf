// SPDX-License-Identifier: Apache-2.0
// Regions of a run that all have a view, and the elements of them that are visited: what the benchmarks of element
// access and the instruction counts share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "runtime/orchestration/api/pto_orchestration_api.h"
#include "runtime/tensor_access.h"

namespace svmrt {

inline constexpr std::size_t kAccesses = 16'384;
inline constexpr std::size_t kOrders = 4;
inline constexpr std::uint64_t kPage = 4096;
inline constexpr std::uint64_t kVisited = 256;  // bytes of a region
inline constexpr std::uint64_t kFirst = std::uint64_t{1} << 40;

enum class Layout {
  kEven,   // tensors of 256 bytes in a row, as in one allocation
  kMixed,  // 64 bytes to 64 KiB with gaps, each on its own host page, and among them one of 38 GiB
};
enum class Order { kOne, kRoundRobin, kRandom };

struct Region {
  std::uint64_t base;
  std::uint64_t size;
  std::byte* view;
};

// Regions, memory behind their first 4 KiB, and the element addresses that are visited.
class Workload {
 public:
  Workload(std::size_t count, Layout layout, Order order) : memory_(count * kPage, std::byte{1}) {
    std::mt19937_64 random(20'261'201);
    std::uint64_t next = kFirst;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t size = kVisited;
      std::uint64_t host = i * size;
      if (layout == Layout::kMixed) {
        size = i == count / 3 ? std::uint64_t{38} << 30 : std::uint64_t{64} << random() % 11;
        host = i * kPage;
        next += random() % 8 * kPage;
      }
      regions_.push_back({next, size, memory_.data() + host});
      next += size;
    }
    for (std::size_t i = 0; i < kOrders * kAccesses; ++i) {
      const std::size_t region = order == Order::kOne          ? count / 2
                                 : order == Order::kRoundRobin ? i % count
                                                               : random() % count;
      const std::uint64_t elements = std::min(regions_[region].size, kVisited) / 4;
      const std::uint64_t element = order == Order::kOne ? i % elements : random() % elements;
      visited_.push_back(&regions_[region]);
      addresses_.push_back(regions_[region].base + 4 * element);
    }
    api_.context = this;
    api_.acquire_child_memory_host_view = [](void* context, std::uint64_t device, std::uint64_t, void** view) {
      *view = static_cast<Workload*>(context)->view_of(device);
      return HostViewStatus::kMapped;
    };
    api_.other_producer = [](void*, std::uint64_t, std::uint64_t) { return std::uint64_t{0}; };
    api_.declarations = &declarations_;
  }

  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] const Region& visited(std::size_t i) const { return *visited_[i]; }
  [[nodiscard]] std::uint64_t address(std::size_t i) const { return addresses_[i]; }
  [[nodiscard]] bool claim(TensorAccess& access) const {
    bool added = true;
    for (const Region& region : regions_) {
      added = access.claim_child_memory(DeviceAddr(region.base), Bytes(region.size)) && added;
    }
    return added;
  }
  [[nodiscard]] std::unique_ptr<TensorAccess> claimed() const {
    auto access = std::make_unique<TensorAccess>(&api_);
    return claim(*access) ? std::move(access) : nullptr;
  }
  // One tensor of the orchestration interface for the visited part of each region.
  [[nodiscard]] std::vector<ChipTensor> tensors() const {
    std::vector<ChipTensor> made;
    made.reserve(regions_.size());
    for (const Region& region : regions_) {
      const auto elements = static_cast<std::uint32_t>(std::min(region.size, kVisited) / 4);
      void* const address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(region.base));
      made.push_back(make_tensor_external(address, &elements, 1, DataType::UINT32));
    }
    return made;
  }
  // By its place among the tensors.
  [[nodiscard]] std::size_t visited_region(std::size_t i) const {
    return static_cast<std::size_t>(visited_[i] - regions_.data());
  }
  [[nodiscard]] const HostApi& api() const { return api_; }

 private:
  [[nodiscard]] std::byte* view_of(std::uint64_t device) const {
    const auto after =
        std::upper_bound(regions_.begin(), regions_.end(), device,
                         [](std::uint64_t address, const Region& region) { return address < region.base; });
    return std::prev(after)->view;
  }

  std::vector<std::byte> memory_;
  std::vector<Region> regions_;
  std::vector<const Region*> visited_;
  std::vector<std::uint64_t> addresses_;
  std::atomic<std::uint64_t> declarations_{0};
  HostApi api_;
};

}  // namespace svmrt
