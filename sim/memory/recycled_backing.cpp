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
void zero(std::byte* page, std::size_t size) {
  const bool is_zero = *page == std::byte{0} && std::memcmp(page, page + 1, size - 1) == 0;
  if (!is_zero) std::memset(page, 0, size);
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
  std::byte* const begin = bytes_at(base);
  const std::uint64_t count = (size.count() + host_page() - 1) / host_page();
  if (size <= kLargestKept) pages_.resize(count);
  if (size > kLargestKept || !page_map().describe(base.value() / host_page(), pages_)) {
    madvise(begin, size.count(), MADV_DONTNEED);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (is_touched(pages_[i])) zero(begin + i * host_page(), host_page());
  }
}

void* RecycledBacking::map(DeviceAddr base, Bytes /*size*/, HostAccess /*access*/) { return view_at(base); }

void RecycledBacking::unmap(DeviceAddr /*base*/, Bytes /*size*/) {}

}  // namespace svmsim
