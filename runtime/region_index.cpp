// SPDX-License-Identifier: Apache-2.0
#include "runtime/region_index.h"

#include <bit>
#include <limits>
#include <queue>

namespace svmrt {

namespace {

constexpr std::size_t kMostBucketsPerSegment = 8;
constexpr std::size_t kSmallTable = 2048;
constexpr std::size_t kMostTabulated = std::numeric_limits<std::uint32_t>::max() / sizeof(RegionIndex::Segment);
constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void RegionIndex::build(const std::vector<Region>& regions) {
  clear();
  cut(regions);
  tabulate();
}

void RegionIndex::clear() {
  segments_.assign(2, Segment{kTop});
  extents_ = {{0, 0}, {kTop, kTop}};
  firsts_.assign(1, kTop);
  buckets_ = 0;
  usual_words_ = 0;
  last_sample_ = nullptr;
}

// Sweeps over the addresses at which a region begins or has ended. What comes first among the regions there is the
// segment's; a region that has ended leaves the queue when it comes to the front.
void RegionIndex::cut(const std::vector<Region>& regions) {
  std::vector<std::uint32_t> by_first(regions.size());
  std::vector<std::uint64_t> ends;  // the bytes behind the regions
  ends.reserve(regions.size());
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    by_first[i] = i;
    if (regions[i].last != kTop) ends.push_back(regions[i].last + 1);
  }
  std::sort(by_first.begin(), by_first.end(), [&](auto a, auto b) { return regions[a].first < regions[b].first; });
  std::sort(ends.begin(), ends.end());

  const auto comes_later = [&](std::uint32_t a, std::uint32_t b) {
    return regions[a].refuses != regions[b].refuses ? regions[a].refuses : a > b;
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(comes_later)> here(comes_later);
  std::size_t begun = 0;
  std::size_t ended = 0;
  segments_.assign(1, Segment{});
  extents_.assign(1, {0, regions[by_first.front()].first - 1});
  while (begun < by_first.size() || ended < ends.size()) {
    const std::uint64_t next_first = begun < by_first.size() ? regions[by_first[begun]].first : kTop;
    const std::uint64_t position = ended < ends.size() ? std::min(next_first, ends[ended]) : next_first;
    while (ended < ends.size() && ends[ended] == position) ++ended;
    while (begun < by_first.size() && regions[by_first[begun]].first == position) here.push(by_first[begun++]);
    while (!here.empty() && regions[here.top()].last < position) here.pop();
    if (here.empty()) continue;
    if (segments_.size() == 1 || segments_.back().region != here.top()) {
      extents_.back().last = std::min(extents_.back().last, position - 1);
      segments_.back().next = position;
      segments_.push_back({.region = here.top()});
      extents_.push_back({position, regions[here.top()].last});
    }
    if (begun - ended > 1) segments_.back().shared = true;
  }
  // Where the last region reaches the highest address, that byte is found here.
  segments_.back().next = kTop;
  segments_.push_back({.next = kTop, .region = segments_.back().region, .shared = segments_.back().shared});
  extents_.push_back({kTop, kTop});
}

void RegionIndex::tabulate() {
  const std::size_t count = segments_.size() - 1;
  firsts_.resize(std::bit_ceil(count), kTop);
  for (std::size_t i = 0; i < count; ++i) firsts_[i] = extents_[i].first;

  // The widest buckets in none of which more than one segment begins. Their first address is a multiple of their width,
  // as the first address of a tensor often is.
  const std::uint64_t last = extents_[count - 1].last;
  std::uint64_t nearest = last - firsts_[1] + 1;
  for (std::size_t i = 2; i < count; ++i) nearest = std::min(nearest, firsts_[i] - firsts_[i - 1]);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(nearest)) - 1;
  const std::uint64_t begin = firsts_[1] >> shift << shift;
  const std::uint64_t buckets = ((last - begin) >> shift) + 1;
  if (buckets > std::max<std::uint64_t>(kMostBucketsPerSegment * count, kSmallTable)) return;
  if (kTop - last < (std::uint64_t{1} << shift) + kLongest || count > kMostTabulated) return;

  first_ = begin;
  shift_ = shift;
  buckets_ = buckets;
  slots_.resize(buckets);
  std::size_t segment = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    if (segment + 1 < count && firsts_[segment + 1] <= begin + (bucket << shift)) ++segment;
    slots_[bucket] = static_cast<std::uint32_t>(segment * sizeof(Segment));
  }
}

const RegionIndex::Segment* RegionIndex::lookup(std::uint64_t address) const {
  const std::uint64_t bucket = (address - first_) >> shift_;
  return bucket < buckets_ ? in_bucket(bucket, address) : search(address);
}

const RegionIndex::Segment* RegionIndex::search(std::uint64_t address) const {
  const std::uint64_t* found = firsts_.data();
  for (std::uint64_t step = firsts_.size() / 2; step > 0; step /= 2) {
    const std::uint64_t* half = found + step;
    found = *half <= address ? half : found;
  }
  const auto number = static_cast<std::size_t>(found - firsts_.data());
  return segments_.data() + std::min(number, segments_.size() - 1);
}

void RegionIndex::open(Number number, std::byte* host, bool counted) {
  Segment& segment = segments_[number];
  if (kTop - extents_[number].last < kLongest) return;
  segment.open_end = first(number) + length(number);
  segment.to_host = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host)) - first(number);
  segment.counted = counted;
}

void RegionIndex::close_all() {
  for (Segment& segment : segments_) segment.open_end = 0;
  usual_words_ = 0;
  last_sample_ = nullptr;
}

const RegionIndex::Segment* RegionIndex::open_at(std::uint64_t address, std::uint64_t size, Uses& uses) {
  if (size - 1 >= kLongest || address > kTop - kLongest) return nullptr;
  const Segment* segment = lookup(address);
  if (address + (size - 1) >= segment->open_end) return nullptr;
  // 0 when the quick look has counted this use already.
  if (uses.until_sample_ == 0 || --uses.until_sample_ == 0) sample(segment, uses);
  return segment;
}

void RegionIndex::sample(const Segment* segment, Uses& uses) {
  uses.until_sample_ = kSampleEvery;
  ++uses.samples_;
  same_samples_ = segment == last_sample_ ? same_samples_ + 1 : 1;
  last_sample_ = segment;
  usual_ = segment;
  usual_first_ = first(static_cast<Number>(segment - segments_.data()));
  const std::uint64_t open = segment->open_end - usual_first_;
  usual_words_ = same_samples_ < kSamples || open < kLongest ? 0 : open - (kLongest - 1);
}

}  // namespace svmrt
