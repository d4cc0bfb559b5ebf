// SPDX-License-Identifier: Apache-2.0
// A backing without any bytes, for tests and conformance scripts: it keeps which pages are populated and mapped and
// records every call that a real backing could not carry out. Owned by its user; thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "sim/backing.h"
#include "sim/driver/span.h"

namespace svmsim {

class RecordingBacking final : public Backing {
 public:
  // Host addresses are device addresses plus `host_offset`.
  explicit RecordingBacking(Bytes host_offset = Bytes(0)) : host_offset_(host_offset) {}

  [[nodiscard]] std::byte* bytes_at(DeviceAddr /*address*/) const override { return nullptr; }
  void populate(DeviceAddr base, Bytes size) override {
    if (populated_.overlaps(base, size)) misuse_.push_back("populates populated pages");
    populated_.add(base, size);
  }
  void release(DeviceAddr base, Bytes size) override {
    if (!populated_.covers(base, size)) misuse_.push_back("releases absent pages");
    if (mapped_.overlaps(base, size)) misuse_.push_back("releases mapped pages");
    populated_.remove(base, size);
  }
  void* map(DeviceAddr base, Bytes size, HostAccess /*access*/) override {
    ++map_calls_;
    if (!populated_.covers(base, size)) misuse_.push_back("maps absent pages");
    if (mapped_.overlaps(base, size)) misuse_.push_back("maps mapped pages");
    mapped_.add(base, size);
    return reinterpret_cast<void*>((base + host_offset_).value());
  }
  void unmap(DeviceAddr base, Bytes size) override {
    ++unmap_calls_;
    if (!mapped_.covers(base, size)) misuse_.push_back("unmaps unmapped pages");
    mapped_.remove(base, size);
  }

  [[nodiscard]] const std::vector<std::string>& misuse() const { return misuse_; }
  [[nodiscard]] Bytes populated_bytes() const { return populated_.bytes(); }
  [[nodiscard]] Bytes mapped_bytes() const { return mapped_.bytes(); }
  [[nodiscard]] bool is_populated(DeviceAddr base, Bytes size) const { return populated_.covers(base, size); }
  [[nodiscard]] bool is_mapped(DeviceAddr base, Bytes size) const { return mapped_.covers(base, size); }
  [[nodiscard]] int map_calls() const { return map_calls_; }
  [[nodiscard]] int unmap_calls() const { return unmap_calls_; }

 private:
  class Pages {
   public:
    [[nodiscard]] bool overlaps(DeviceAddr base, Bytes size) const {
      const auto next = ends_.lower_bound(base);
      if (next != ends_.end() && next->first < base + size) return true;
      return next != ends_.begin() && base < std::prev(next)->second;
    }
    [[nodiscard]] bool covers(DeviceAddr base, Bytes size) const {
      auto it = ends_.upper_bound(base);
      if (it == ends_.begin()) return false;
      return base + size <= std::prev(it)->second;
    }
    void add(DeviceAddr base, Bytes size) {
      DeviceAddr begin = base;
      DeviceAddr end = base + size;
      remove(base, size);
      if (const auto next = ends_.find(end); next != ends_.end()) {
        end = next->second;
        ends_.erase(next);
      }
      const auto after = ends_.lower_bound(begin);
      if (after != ends_.begin() && std::prev(after)->second == begin) {
        begin = std::prev(after)->first;
        ends_.erase(std::prev(after));
      }
      ends_.emplace(begin, end);
    }
    void remove(DeviceAddr base, Bytes size) {
      cut(base);
      cut(base + size);
      ends_.erase(ends_.lower_bound(base), ends_.lower_bound(base + size));
    }
    [[nodiscard]] Bytes bytes() const {
      Bytes sum;
      for (const auto& [begin, end] : ends_) sum += end - begin;
      return sum;
    }

   private:
    void cut(DeviceAddr at) {
      const auto after = ends_.lower_bound(at);
      if (after == ends_.begin() || std::prev(after)->second <= at) return;
      ends_.emplace(at, std::prev(after)->second);
      std::prev(ends_.find(at))->second = at;
    }
    std::map<DeviceAddr, DeviceAddr> ends_;  // disjoint, none touch
  };

  Bytes host_offset_;
  Pages populated_;
  Pages mapped_;
  std::vector<std::string> misuse_;
  int map_calls_ = 0;
  int unmap_calls_ = 0;
};

}  // namespace svmsim
