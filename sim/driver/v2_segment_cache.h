// SPDX-License-Identifier: Apache-2.0
// The user-space cache of a v2 heap (F2): pieces of kernel segments that are free to be handed out again without the
// kernel, with their pages and mappings alive. Owned by its heap; thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "sim/driver/span.h"

namespace svmsim {

class V2SegmentCache {
 public:
  // Adds a freed piece of `segment`, merged with its free neighbours in that segment. A merged piece counts as new.
  void add(Span piece, Span segment);

  // Takes `size` bytes: a piece of exactly that size, the newest if several, else the start of the smallest larger
  // piece (the newest of that size); what is left of it counts as new. Null when no piece is large enough.
  [[nodiscard]] std::optional<DeviceAddr> take(Bytes size);

  // The smallest piece that is a whole segment, the newest if several.
  [[nodiscard]] std::optional<Span> smallest_whole_segment() const;
  // Removes a piece that smallest_whole_segment named.
  void remove(Span piece);

  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  struct Piece {
    Bytes size;
    std::uint64_t age_key = 0;  // counts down: the newest has the lowest
    bool whole_segment = false;
  };
  struct BySize {
    Bytes size;
    std::uint64_t age_key = 0;
    DeviceAddr base;
    auto operator<=>(const BySize&) const = default;
  };
  using Pieces = std::map<DeviceAddr, Piece>;

  void insert(Span piece, bool whole_segment);
  Pieces::iterator erase(Pieces::iterator piece);

  Pieces pieces_;
  std::set<BySize> by_size_;
  Bytes bytes_;
  std::uint64_t next_age_key_ = UINT64_MAX;
};

}  // namespace svmsim
