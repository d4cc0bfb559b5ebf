// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/host_memory.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

namespace svmsim {

using svmrt::Bytes;

namespace {

// The kernel moves just under 2 GiB a call at most.
constexpr std::uint64_t kMostPerCall = std::uint64_t{1} << 30;
constexpr std::uint64_t kChunk = std::uint64_t{16} << 10;

void* moved(const void* pointer, std::uint64_t by) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(pointer) + by);
}

// `vm_call` moves between `own` and `host`; `plain_copy` does the rest, from the offset it is given, where the kernel
// forbids the call.
template <typename VmCall, typename PlainCopy>
bool transfer(const void* own, const void* host, std::uint64_t size, VmCall vm_call, PlainCopy plain_copy) {
  std::uint64_t done = 0;
  while (done < size) {
    const std::uint64_t length = std::min(size - done, kMostPerCall);
    const iovec local{moved(own, done), length};
    const iovec remote{moved(host, done), length};
    const ssize_t count = vm_call(getpid(), &local, 1UL, &remote, 1UL, 0UL);
    if (count < 0 && errno != EFAULT) {
      plain_copy(done);
      return true;
    }
    if (count <= 0) return false;
    done += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

bool DirectHostMemory::load(void* to, const void* host, Bytes size) const {
  std::memcpy(to, host, size.count());
  return true;
}

bool DirectHostMemory::store(void* host, const void* from, Bytes size) const {
  std::memcpy(host, from, size.count());
  return true;
}

bool DirectHostMemory::exists(const void* /*host*/, Bytes /*size*/) const { return true; }

const HostMemory& direct_host_memory() {
  static const DirectHostMemory memory;
  return memory;
}

bool CheckedHostMemory::load(void* to, const void* host, Bytes size) const {
  return transfer(to, host, size.count(), process_vm_readv,
                  [&](std::uint64_t done) { std::memcpy(moved(to, done), moved(host, done), size.count() - done); });
}

bool CheckedHostMemory::store(void* host, const void* from, Bytes size) const {
  return transfer(from, host, size.count(), process_vm_writev,
                  [&](std::uint64_t done) { std::memcpy(moved(host, done), moved(from, done), size.count() - done); });
}

bool copy_host(const HostMemory& memory, void* to, const void* from, Bytes size) {
  // On the heap, because a thread's stack may be small.
  std::vector<std::byte> chunk(std::min(size.count(), kChunk));
  for (std::uint64_t done = 0; done < size.count(); done += kChunk) {
    const Bytes length(std::min(size.count() - done, kChunk));
    if (!memory.load(chunk.data(), moved(from, done), length)) return false;
    if (!memory.store(moved(to, done), chunk.data(), length)) return false;
  }
  return true;
}

bool fill_host(const HostMemory& memory, void* to, std::uint8_t value, Bytes size) {
  const std::vector<std::byte> chunk(std::min(size.count(), kChunk), std::byte{value});
  for (std::uint64_t done = 0; done < size.count(); done += kChunk) {
    if (!memory.store(moved(to, done), chunk.data(), Bytes(std::min(size.count() - done, kChunk)))) return false;
  }
  return true;
}

bool CheckedHostMemory::exists(const void* host, Bytes size) const {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uint64_t>(host);
  if (address + size.count() < address) return false;
  const std::uint64_t into_page = address % page;
  // MS_ASYNC writes nothing back; what it does is to look for the pages.
  void* const first = reinterpret_cast<void*>(address - into_page);
  return msync(first, into_page + size.count(), MS_ASYNC) == 0 || errno != ENOMEM;
}

}  // namespace svmsim
