// SPDX-License-Identifier: Apache-2.0
#include "runtime/owner_process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace svmrt {

namespace {

// The process's number, or 0 when nobody asked since the fork that began the process. Null where the kernel wipes
// nothing.
std::atomic<pid_t>* make_known() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const made = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  if (madvise(made, page, MADV_WIPEONFORK) != 0) {
    munmap(made, page);
    return nullptr;
  }
  return new (made) std::atomic<pid_t>(0);
}

}  // namespace

pid_t this_process() {
  static std::atomic<pid_t>* const known = make_known();
  if (known == nullptr) return getpid();
  pid_t number = known->load(std::memory_order_relaxed);
  if (number == 0) {
    number = getpid();
    known->store(number, std::memory_order_relaxed);
  }
  return number;
}

}  // namespace svmrt
