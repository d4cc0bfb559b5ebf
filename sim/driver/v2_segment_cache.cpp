// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v2_segment_cache.h"

#include <iterator>

namespace svmsim {

void V2SegmentCache::add(Span piece, Span segment) {
  auto next = pieces_.lower_bound(piece.base);
  if (next != pieces_.end() && next->first == piece.end() && segment.contains(next->first)) {
    piece.size += next->second.size;
    next = erase(next);
  }
  if (next != pieces_.begin()) {
    const auto previous = std::prev(next);
    const Span left{previous->first, previous->second.size};
    if (left.end() == piece.base && segment.contains(left.base)) {
      piece = Span{left.base, left.size + piece.size};
      erase(previous);
    }
  }
  insert(piece, piece == segment);
}

std::optional<DeviceAddr> V2SegmentCache::take(Bytes size) {
  const auto fit = by_size_.lower_bound(BySize{size, 0, DeviceAddr()});
  if (fit == by_size_.end()) return std::nullopt;
  const Span piece{fit->base, fit->size};
  erase(pieces_.find(piece.base));
  if (size < piece.size) insert(span_between(piece.base + size, piece.end()), false);
  return piece.base;
}

std::optional<Span> V2SegmentCache::smallest_whole_segment() const {
  for (const BySize& entry : by_size_) {
    if (pieces_.at(entry.base).whole_segment) return Span{entry.base, entry.size};
  }
  return std::nullopt;
}

void V2SegmentCache::remove(Span piece) { erase(pieces_.find(piece.base)); }

void V2SegmentCache::insert(Span piece, bool whole_segment) {
  const std::uint64_t age_key = next_age_key_--;
  pieces_.emplace(piece.base, Piece{piece.size, age_key, whole_segment});
  by_size_.insert(BySize{piece.size, age_key, piece.base});
  bytes_ += piece.size;
}

V2SegmentCache::Pieces::iterator V2SegmentCache::erase(Pieces::iterator piece) {
  by_size_.erase(BySize{piece->second.size, piece->second.age_key, piece->first});
  bytes_ -= piece->second.size;
  return pieces_.erase(piece);
}

}  // namespace svmsim
