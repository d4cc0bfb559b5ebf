// SPDX-License-Identifier: Apache-2.0
// Free addresses of one range: which are taken, which may be handed out next. Knows nothing of memory. Owned by an
// allocator; thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/driver/hal_driver.h"
#include "sim/driver/span.h"

namespace svmsim {

class AddressRanges {
 public:
  // Everything in `whole` is free.
  explicit AddressRanges(Span whole);

  // The lowest free range of `size` whose start is a multiple of `alignment`. Sizes are above 0.
  [[nodiscard]] std::optional<DeviceAddr> take_first_fit(Bytes size, Bytes alignment);
  // Takes exactly `span`; false, and nothing changes, when some of it is not free.
  [[nodiscard]] bool take_at(Span span);
  // Frees a span that was taken.
  void give_back(Span span);

 private:
  using FreeMap = std::map<DeviceAddr, Bytes>;
  void carve(FreeMap::iterator range, Span span);

  FreeMap free_;  // by start; no two touch
};

// Under AddressReuse::kLifo: addresses of freed ranges by what they held, the latest on top.
class RecentlyFreed {
 public:
  struct Key {
    std::uint32_t device_id = 0;
    PageKind kind = PageKind::kOrdinary;
    Bytes size;  // rounded
    auto operator<=>(const Key&) const = default;
  };
  void push(const Key& key, DeviceAddr address) { stacks_[key].push_back(address); }
  // Removes and returns the latest address that `try_take` accepts; refused ones are forgotten, as they were handed
  // out for something else since.
  template <typename TryTake>
  [[nodiscard]] std::optional<DeviceAddr> pop(const Key& key, TryTake try_take) {
    const auto stack = stacks_.find(key);
    if (stack == stacks_.end()) return std::nullopt;
    while (!stack->second.empty()) {
      const DeviceAddr address = stack->second.back();
      stack->second.pop_back();
      if (try_take(address)) return address;
    }
    return std::nullopt;
  }
  void clear() { stacks_.clear(); }

 private:
  std::map<Key, std::vector<DeviceAddr>> stacks_;
};

// One range that hands addresses out and takes them back as AddressReuse says: kDriver the lowest that fit, kLifo
// the latest freed of the same key before those, kQuarantine none a second time.
class AddressPool {
 public:
  AddressPool(Span whole, AddressReuse reuse) : ranges_(whole), reuse_(reuse) {}

  // key.size bytes at a multiple of `alignment`.
  [[nodiscard]] std::optional<DeviceAddr> take(const RecentlyFreed::Key& key, Bytes alignment);
  void give_back(const RecentlyFreed::Key& key, DeviceAddr base);
  void forget_recently_freed() { recently_freed_.clear(); }

 private:
  AddressRanges ranges_;
  AddressReuse reuse_;
  RecentlyFreed recently_freed_;
};

}  // namespace svmsim
