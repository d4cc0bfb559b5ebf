// SPDX-License-Identifier: Apache-2.0
// Which region of a run serves an address, in a time that does not grow with the number of regions. Regions may
// overlap; the index cuts them into *segments*, each with the one region that comes first there: the first added of
// those that do not refuse accesses, or the first added where all of them refuse.
//
// An address leads to its segment through a table of equal buckets over the addresses at which segments begin, or,
// where they lie too unevenly for one, through a binary search. Thread-compatible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svmrt {

class RegionIndex {
 public:
  struct Region {
    std::uint64_t first = 0;  // its first and last byte
    std::uint64_t last = 0;
    bool refuses = false;
  };
  // From `base` to the next segment, as far as `region` reaches. The owner of the index opens it for accesses.
  struct Segment {
    std::uint64_t base = 0;
    std::uint64_t open = 0;     // how many of its bytes can be accessed at `host` with no further question
    std::byte* host = nullptr;  // of `base`, when open
    std::uint32_t region = 0;   // by its place in what build() was given
    bool shared = false;        // with other regions, in part at least
    bool counted = false;       // accesses count as accesses of a view
  };
  static constexpr std::uint64_t kLongest = 8;  // span of open_at, in bytes: a word
  using Number = std::uint32_t;                 // of a segment

  RegionIndex() { clear(); }
  RegionIndex(const RegionIndex&) = delete;
  RegionIndex& operator=(const RegionIndex&) = delete;

  // In order of preference; at least one, all above address 0. Every segment is closed.
  void build(const std::vector<Region>& regions);
  // An empty index: nothing is open.
  void clear();

  // The segment of the address if any region contains it; otherwise any segment. After build() only.
  [[nodiscard]] Number at(std::uint64_t address) const {
    return static_cast<Number>(lookup(address) - segments_.data());
  }
  [[nodiscard]] const Segment& operator[](Number number) const { return segments_[number]; }
  // Its bytes: to the end of its region or to the next segment.
  [[nodiscard]] std::uint64_t length(Number number) const { return last_[number] - segments_[number].base + 1; }
  // Lets open_at serve it from `host`, the place of its base. A segment that begins below kLongest stays closed.
  void open(Number number, std::byte* host, bool counted);
  void close_all();
  // The open segment in which all of [address, address + size) lies, for a size from 1 to kLongest; null when there is
  // none, and for other sizes. Valid until the next call of any other function.
  [[nodiscard]] const Segment* open_at(std::uint64_t address, std::uint64_t size);

 private:
  // Every kSampleEvery-th lookup is a sample. The segment of kSamples samples in a row is looked at before the table,
  // until a sample is another. With fewer, it would often be wrong where accesses jump between two regions, and a
  // wrong guess costs more than the table does.
  static constexpr std::uint32_t kSampleEvery = 16;
  static constexpr std::uint32_t kSamples = 8;
  static const Segment kNone;  // never open

  void cut(const std::vector<Region>& regions);  // into segments_
  void tabulate();
  [[nodiscard]] const Segment* lookup(std::uint64_t address) const;
  [[nodiscard]] const Segment* search(std::uint64_t address) const;
  void sample(const Segment* segment);

  // By base. The first, for addresses below every region, begins at 0 and is never open; the last begins at the highest
  // address.
  std::vector<Segment> segments_;
  std::vector<std::uint64_t> last_;   // byte of each
  std::vector<std::uint64_t> bases_;  // of each but the last, filled up to a power of two with the highest address
  std::uint64_t first_ = 0;           // address of the table
  std::uint64_t buckets_ = 0;         // 0: there is no table
  std::uint32_t shift_ = 0;           // log2 of a bucket's addresses
  std::vector<Number> slots_;         // per bucket: the last segment that begins at or before its first address
  const Segment* likely_ = &kNone;
  std::uint32_t until_sample_ = kSampleEvery;
  std::uint32_t same_samples_ = 0;
  const Segment* last_sample_ = nullptr;
};

[[gnu::always_inline]] inline const RegionIndex::Segment* RegionIndex::lookup(std::uint64_t address) const {
  const std::uint64_t bucket = (address - first_) >> shift_;
  if (bucket >= buckets_) [[unlikely]] {
    return search(address);
  }
  // No branch on the address: where accesses jump about, it could not be predicted.
  const Segment* segment = segments_.data() + slots_.data()[bucket];
  return segment + static_cast<std::size_t>(segment[1].base <= address);
}

[[gnu::always_inline]] inline const RegionIndex::Segment* RegionIndex::open_at(std::uint64_t address,
                                                                               std::uint64_t size) {
  if (size - 1 >= kLongest) return nullptr;
  const std::uint64_t offset = address - likely_->base;
  if (offset < likely_->open && size - 1 < likely_->open - offset) return likely_;
  // The segment begins at or before the address, and if it is open above kLongest: the sum does not wrap round.
  const Segment* segment = lookup(address);
  if (address - segment->base + (size - 1) >= segment->open) [[unlikely]] {
    return nullptr;
  }
  if (--until_sample_ == 0) [[unlikely]] {
    sample(segment);
  }
  return segment;
}

}  // namespace svmrt
