// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/recycled_backing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/owner_process.h"

namespace svmsim {

namespace {

// To look through more pages takes longer than to give them back.
constexpr Bytes kLargestKept{std::uint64_t{32} << 20};
// Pages of a block; each is looked through at every release from then on.
constexpr std::uint64_t kMostKept = 32;

std::size_t host_page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// One number for each page of this process (proc(5), pagemap).
class PageMap {
 public:
  ~PageMap() {
    if (fd_ >= 0) close(fd_);
  }
  // Of as many pages as `numbers` has room for; false where the kernel does not tell. Thread-safe.
  bool describe(std::uint64_t first, std::span<std::uint64_t> numbers) {
    const std::lock_guard lock(mutex_);
    if (fd_ < 0 || opened_by_ != svmrt::this_process()) {  // a forked child has its parent's
      if (fd_ >= 0) close(fd_);
      fd_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
      opened_by_ = svmrt::this_process();
    }
    const std::size_t wanted = numbers.size_bytes();
    const auto at = static_cast<off_t>(first * sizeof(std::uint64_t));
    return fd_ >= 0 && pread(fd_, numbers.data(), wanted, at) == static_cast<ssize_t>(wanted);
  }

 private:
  std::mutex mutex_;
  int fd_ = -1;
  pid_t opened_by_ = 0;
};

PageMap& page_map() {
  static PageMap map;
  return map;
}

// Present, or swapped out; a page that is neither reads as zeros.
bool is_touched(std::uint64_t description) { return description >> 62 != 0; }

// Of kPagesAtOnce; most of a large block.
constexpr std::uint64_t kPagesAtOnce = 64;
bool none_touched(const std::uint64_t* descriptions) {
  std::uint64_t any = 0;
  for (std::uint64_t i = 0; i < kPagesAtOnce; ++i) any |= descriptions[i];
  return !is_touched(any);
}

// A page that was only read is the kernel's page of zeros, of which a write would make a copy.
void zero(std::byte* begin, std::size_t size) {
  const bool is_zero = *begin == std::byte{0} && std::memcmp(begin, begin + 1, size - 1) == 0;
  if (!is_zero) std::memset(begin, 0, size);
}

}  // namespace

RecycledBacking::RecycledBacking(ParkedSlice parked)
    : SliceBacking(std::move(parked.slice), std::move(parked.views), {}) {}

tl::expected<std::unique_ptr<RecycledBacking>, std::string> RecycledBacking::create(ViewAddress view_address) {
  using Access = MappedRegion::Access;
  const bool elsewhere = view_address == ViewAddress::kElsewhere;
  if (auto parked = take_parked_slice(elsewhere)) {
    return std::unique_ptr<RecycledBacking>(new RecycledBacking(std::move(*parked)));
  }
  const Access access = elsewhere ? Access::kNone : Access::kReadWrite;
  auto slice = reserve_slice(access, -1);
  if (!slice) {  // perhaps for want of a slice that is parked
    give_back_parked_slices();
    slice = reserve_slice(access, -1);
  }
  if (!slice) return tl::unexpected(slice.error());
  MappedRegion views;
  if (elsewhere) {
    auto mapped = MappedRegion::anonymous(nullptr, slice->size, Access::kReadWrite);
    if (!mapped) return tl::unexpected(refused("reserve a second address range"));
    views = std::move(*mapped);
  }
  return std::unique_ptr<RecycledBacking>(new RecycledBacking({std::move(*slice), std::move(views)}));
}

RecycledBacking::~RecycledBacking() { park_slice(take_slice()); }

void RecycledBacking::populate(DeviceAddr /*base*/, Bytes /*size*/) {}

void RecycledBacking::release(DeviceAddr base, Bytes size) {
  // Pages of the host, which may be larger than those of the block and hold parts of its neighbours.
  // By where the bytes are, which is not the device address where views lie elsewhere.
  std::byte* const bytes = bytes_at(base);
  const auto begin = reinterpret_cast<std::uint64_t>(bytes);
  const std::uint64_t end = begin + size.count();
  const std::uint64_t first = begin / host_page();
  static thread_local std::vector<std::uint64_t> pages;  // kept, because a large block has thousands
  const std::uint64_t count = (end - 1) / host_page() - first + 1;
  if (size <= kLargestKept && pages.size() < count) pages.resize(count);
  if (size > kLargestKept || !page_map().describe(first, std::span(pages).first(count))) {
    madvise(bytes, size.count(), MADV_DONTNEED);
    return;
  }
  std::uint64_t touched = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % kPagesAtOnce == 0 && i + kPagesAtOnce <= count && none_touched(&pages[i])) {
      i += kPagesAtOnce - 1;
      continue;
    }
    if (!is_touched(pages[i])) continue;
    const std::uint64_t from = std::max(begin, (first + i) * host_page());
    if (++touched > kMostKept) {
      madvise(bytes + (from - begin), end - from, MADV_DONTNEED);
      return;
    }
    zero(bytes + (from - begin), std::min(end, (first + i + 1) * host_page()) - from);
  }
}

void* RecycledBacking::map(DeviceAddr base, Bytes /*size*/, HostAccess /*access*/) { return view_at(base); }

void RecycledBacking::unmap(DeviceAddr /*base*/, Bytes /*size*/) {}

}  // namespace svmsim
