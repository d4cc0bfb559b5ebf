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
  // From one address to the next segment, as far as `region` reaches. The owner of the index opens it for accesses. An
  // access looks at nothing else of it, so all of it lies in one line of the cache.
  struct alignas(32) Segment {
    std::uint64_t next = 0;      // where the next segment begins
    std::uint64_t open_end = 0;  // its bytes before this address can be accessed with no further question
    std::uint64_t to_host = 0;   // what an address and this add up to is where its byte is, when open
    std::uint32_t region = 0;    // by its place in what build() was given
    bool shared = false;         // with other regions, in part at least
    bool counted = false;        // accesses count as accesses of a view
    [[nodiscard]] std::byte* host(std::uint64_t address) const {
      return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address + to_host));
    }
  };
  static constexpr std::uint64_t kLongest = 8;  // span of open_at, in bytes: a word
  // How often open_at and quick_open_at have found an open segment; one for reads and one for writes, say.
  class Uses {
   public:
    [[nodiscard]] std::uint64_t count() const { return usual_ + kSampleEvery * (samples_ + 1) - until_sample_; }

   private:
    friend class RegionIndex;
    std::uint64_t usual_ = 0;    // in the usual segment, without the table
    std::uint64_t samples_ = 0;  // one for every kSampleEvery others
    std::uint64_t until_sample_ = kSampleEvery;
  };
  using Number = std::uint32_t;  // of a segment

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
  // Its first byte, and its bytes: to the end of its region or to the next segment.
  [[nodiscard]] std::uint64_t first(Number number) const { return extents_[number].first; }
  [[nodiscard]] std::uint64_t length(Number number) const { return extents_[number].last - first(number) + 1; }
  // Lets open_at serve it from `host`, the place of its first byte. A segment that reaches into the last kLongest
  // addresses there are stays closed.
  void open(Number number, std::byte* host, bool counted);
  void close_all();
  // The open segment in which all of [address, address + size) lies, for a size from 1 to kLongest; null when there is
  // none, and for other sizes. Valid until the next call of any other function. Counts into `uses`.
  [[nodiscard]] const Segment* open_at(std::uint64_t address, std::uint64_t size, Uses& uses);
  // The same where a look at the table is enough, which is nearly always. Null otherwise: then open_at must be the next
  // call, with the same span.
  [[nodiscard]] const Segment* quick_open_at(std::uint64_t address, std::uint64_t size, Uses& uses);

 private:
  // Every kSampleEvery-th lookup is a sample. The segment of kSamples samples in a row is the usual one: it is looked
  // at before the table, until a sample is another. With fewer, it would often be wrong where accesses jump between two
  // regions, and a wrong guess costs more than the table does.
  static constexpr std::uint32_t kSampleEvery = 64;
  static constexpr std::uint32_t kSamples = 8;

  struct Extent {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  void cut(const std::vector<Region>& regions);  // into segments_ and extents_
  void tabulate();
  // The last that begins at or before the address. No branch on the address: where accesses jump about, it could not
  // be predicted.
  [[nodiscard]] const Segment* in_bucket(std::uint64_t bucket, std::uint64_t address) const {
    const std::byte* segments = reinterpret_cast<const std::byte*>(segments_.data());
    const auto* segment = reinterpret_cast<const Segment*>(segments + slots_.data()[bucket]);
    return segment + static_cast<std::size_t>(segment->next <= address);
  }
  [[nodiscard]] const Segment* lookup(std::uint64_t address) const;
  [[nodiscard]] const Segment* search(std::uint64_t address) const;
  void sample(const Segment* segment, Uses& uses);

  // By address. The first, for addresses below every region, begins at 0 and is never open; the last begins at the
  // highest address.
  std::vector<Segment> segments_;
  std::vector<Extent> extents_;
  std::vector<std::uint64_t> firsts_;  // of each but the last, filled up to a power of two with the highest address
  std::uint64_t first_ = 0;            // address of the table
  std::uint64_t buckets_ = 0;          // 0: there is no table
  std::uint32_t shift_ = 0;            // log2 of a bucket's addresses
  std::vector<std::uint32_t> slots_;  // per bucket: the last segment that begins at or before its first address, as the
                                      // distance in bytes from the first, which spares each access a multiplication
  const Segment* usual_ = nullptr;
  std::uint64_t usual_first_ = 0;
  std::uint64_t usual_words_ = 0;  // at how many of its addresses an open span of kLongest begins; 0: there is none
  std::uint32_t same_samples_ = 0;
  const Segment* last_sample_ = nullptr;
};

[[gnu::always_inline]] inline const RegionIndex::Segment* RegionIndex::quick_open_at(std::uint64_t address,
                                                                                     std::uint64_t size, Uses& uses) {
  if (size - 1 >= kLongest) return nullptr;
  if (address - usual_first_ < usual_words_) {
    ++uses.usual_;
    return usual_;
  }
  const std::uint64_t bucket = (address - first_) >> shift_;
  if (bucket >= buckets_) [[unlikely]] {
    return nullptr;
  }
  const Segment* segment = in_bucket(bucket, address);
  // The table ends well below the highest address: the sum does not wrap round.
  if (address + (size - 1) >= segment->open_end) [[unlikely]] {
    return nullptr;
  }
  return --uses.until_sample_ != 0 ? segment : nullptr;
}

}  // namespace svmrt
