// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/allocation_guard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/sync.h"

namespace svmrt::testing {

namespace {

std::atomic<std::uint64_t> violations{0};

void check() noexcept {
  if (this_thread_holds_lock()) ++violations;
}

void* allocate(std::size_t size) noexcept {
  check();
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate_or_throw(std::size_t size) {
  void* memory = allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  check();
  std::free(memory);
}

class NoAllocationWithLockHeld final : public ::testing::Environment {
  void TearDown() override { EXPECT_EQ(allocations_with_lock_held(), 0u); }
};

[[maybe_unused]] const auto* const registered = ::testing::AddGlobalTestEnvironment(new NoAllocationWithLockHeld);

}  // namespace

std::uint64_t allocations_with_lock_held() { return violations.load(); }
void reset_allocations_with_lock_held() { violations.store(0); }

}  // namespace svmrt::testing

// The aligned forms stay the library's: nothing in the runtime is over-aligned.
void* operator new(std::size_t size) { return svmrt::testing::allocate_or_throw(size); }
void* operator new[](std::size_t size) { return svmrt::testing::allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return svmrt::testing::allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return svmrt::testing::allocate(size); }
void operator delete(void* memory) noexcept { svmrt::testing::release(memory); }
void operator delete[](void* memory) noexcept { svmrt::testing::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { svmrt::testing::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { svmrt::testing::release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { svmrt::testing::release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { svmrt::testing::release(memory); }
