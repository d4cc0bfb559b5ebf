// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/allocation_guard.h"

#include <gtest/gtest.h>

#include "runtime/sync.h"

namespace svmrt::testing {
namespace {

// Called through pointers that the compiler must reload, so that it cannot leave the pair out.
void* (*volatile allocate_unseen)(std::size_t) = &::operator new;
void (*volatile release_unseen)(void*) = &::operator delete;

TEST(AllocationGuard, CountsAllocationsAndReleasesWithALockHeldAndNoOthers) {
  Mutex mutex;
  ASSERT_EQ(allocations_with_lock_held(), 0u);
  release_unseen(allocate_unseen(16));
  EXPECT_EQ(allocations_with_lock_held(), 0u);
  void* memory = nullptr;
  {
    LockGuard lock(mutex);
    memory = allocate_unseen(16);
  }
  EXPECT_EQ(allocations_with_lock_held(), 1u);
  {
    LockGuard lock(mutex);
    release_unseen(memory);
  }
  EXPECT_EQ(allocations_with_lock_held(), 2u);
  reset_allocations_with_lock_held();
  EXPECT_EQ(allocations_with_lock_held(), 0u);
}

}  // namespace
}  // namespace svmrt::testing
