// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/recycled_backing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "runtime/owner_process.h"

namespace svmsim {

namespace {

// To look through more pages takes longer than to give them back.
constexpr Bytes kLargestKept{std::uint64_t{4} << 20};

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
  bool describe(std::uint64_t first, std::vector<std::uint64_t>& numbers) {
    const std::lock_guard lock(mutex_);
    if (fd_ < 0 || opened_by_ != svmrt::this_process()) {  // a forked child has its parent's
      if (fd_ >= 0) close(fd_);
      fd_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
      opened_by_ = svmrt::this_process();
    }
    const std::size_t wanted = numbers.size() * sizeof(std::uint64_t);
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

// A page that was only read is the kernel's page of zeros, of which a write would make a copy.
void zero(std::byte* begin, std::size_t size) {
  const bool is_zero = *begin == std::byte{0} && std::memcmp(begin, begin + 1, size - 1) == 0;
  if (!is_zero) std::memset(begin, 0, size);
}

}  // namespace

RecycledBacking::RecycledBacking(AddressSlice slice) : SliceBacking(std::move(slice), {}, {}) {}

tl::expected<std::unique_ptr<RecycledBacking>, std::string> RecycledBacking::create() {
  auto slice = take_parked_slice();
  if (!slice) {
    auto reserved = reserve_slice(MappedRegion::Access::kReadWrite, -1);
    if (!reserved) return tl::unexpected(reserved.error());
    slice = std::move(*reserved);
  }
  return std::unique_ptr<RecycledBacking>(new RecycledBacking(std::move(*slice)));
}

RecycledBacking::~RecycledBacking() { park_slice(take_slice()); }

void RecycledBacking::populate(DeviceAddr /*base*/, Bytes /*size*/) {}

void RecycledBacking::release(DeviceAddr base, Bytes size) {
  // Pages of the host, which may be larger than those of the block and hold parts of its neighbours.
  const std::uint64_t end = base.value() + size.count();
  const std::uint64_t first = base.value() / host_page();
  if (size <= kLargestKept) pages_.resize((end - 1) / host_page() - first + 1);
  if (size > kLargestKept || !page_map().describe(first, pages_)) {
    madvise(bytes_at(base), size.count(), MADV_DONTNEED);
    return;
  }
  for (std::uint64_t i = 0; i < pages_.size(); ++i) {
    if (!is_touched(pages_[i])) continue;
    const std::uint64_t from = std::max(base.value(), (first + i) * host_page());
    zero(bytes_at(DeviceAddr(from)), std::min(end, (first + i + 1) * host_page()) - from);
  }
}

void* RecycledBacking::map(DeviceAddr base, Bytes /*size*/, HostAccess /*access*/) { return view_at(base); }

void RecycledBacking::unmap(DeviceAddr /*base*/, Bytes /*size*/) {}

}  // namespace svmsim
