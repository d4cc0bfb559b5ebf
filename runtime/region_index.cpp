// SPDX-License-Identifier: Apache-2.0
#include "runtime/region_index.h"

#include <bit>
#include <limits>
#include <queue>

namespace svmrt {

namespace {

constexpr std::size_t kMostBucketsPerSegment = 8;
constexpr std::size_t kSmallTable = 2048;
constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();

}  // namespace

const RegionIndex::Segment RegionIndex::kNone{};

void RegionIndex::build(const std::vector<Region>& regions) {
  clear();
  cut(regions);
  tabulate();
}

void RegionIndex::clear() {
  segments_.assign(2, Segment{});
  segments_.back().base = kTop;
  last_.assign(2, 0);
  bases_.assign(1, kTop);
  buckets_ = 0;
  likely_ = &kNone;
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
  last_.assign(1, regions[by_first.front()].first - 1);
  while (begun < by_first.size() || ended < ends.size()) {
    const std::uint64_t next_first = begun < by_first.size() ? regions[by_first[begun]].first : kTop;
    const std::uint64_t position = ended < ends.size() ? std::min(next_first, ends[ended]) : next_first;
    while (ended < ends.size() && ends[ended] == position) ++ended;
    while (begun < by_first.size() && regions[by_first[begun]].first == position) here.push(by_first[begun++]);
    while (!here.empty() && regions[here.top()].last < position) here.pop();
    if (here.empty()) continue;
    if (segments_.size() == 1 || segments_.back().region != here.top()) {
      last_.back() = std::min(last_.back(), position - 1);
      segments_.push_back({position, 0, nullptr, here.top()});
      last_.push_back(regions[here.top()].last);
    }
    if (begun - ended > 1) segments_.back().shared = true;
  }
  // Where the last region reaches the highest address, that byte is found here.
  segments_.push_back({kTop, 0, nullptr, segments_.back().region, segments_.back().shared});
  last_.push_back(kTop);
}

void RegionIndex::tabulate() {
  const std::size_t count = segments_.size() - 1;
  bases_.resize(std::bit_ceil(count), kTop);
  for (std::size_t i = 0; i < count; ++i) bases_[i] = segments_[i].base;

  // The widest buckets in none of which more than one segment begins. Their first address is a multiple of their width,
  // as the first address of a tensor often is.
  std::uint64_t nearest = last_[count - 1] - bases_[1] + 1;
  for (std::size_t i = 2; i < count; ++i) nearest = std::min(nearest, bases_[i] - bases_[i - 1]);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(nearest)) - 1;
  const std::uint64_t first = bases_[1] >> shift << shift;
  const std::uint64_t buckets = ((last_[count - 1] - first) >> shift) + 1;
  if (buckets > std::max<std::uint64_t>(kMostBucketsPerSegment * count, kSmallTable)) return;

  first_ = first;
  shift_ = shift;
  buckets_ = buckets;
  slots_.resize(buckets);
  std::size_t segment = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    if (segment + 1 < count && bases_[segment + 1] <= first + (bucket << shift)) ++segment;
    slots_[bucket] = static_cast<Number>(segment);
  }
}

const RegionIndex::Segment* RegionIndex::search(std::uint64_t address) const {
  const std::uint64_t* base = bases_.data();
  for (std::uint64_t step = bases_.size() / 2; step > 0; step /= 2) {
    const std::uint64_t* half = base + step;
    base = *half <= address ? half : base;
  }
  const auto number = static_cast<std::size_t>(base - bases_.data());
  return segments_.data() + std::min(number, segments_.size() - 1);
}

void RegionIndex::open(Number number, std::byte* host, bool counted) {
  Segment& segment = segments_[number];
  if (segment.base < kLongest) return;
  segment.open = length(number);
  segment.host = host;
  segment.counted = counted;
}

void RegionIndex::close_all() {
  for (Segment& segment : segments_) segment.open = 0;
}

void RegionIndex::sample(const Segment* segment) {
  until_sample_ = kSampleEvery;
  same_samples_ = segment == last_sample_ ? same_samples_ + 1 : 1;
  last_sample_ = segment;
  likely_ = same_samples_ < kSamples ? &kNone : segment;
}

}  // namespace svmrt
