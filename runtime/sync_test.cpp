// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace svmrt {
namespace {

TEST(Sync, LockIsKnownToItsThreadWhileHeld) {
  Mutex mutex;
  EXPECT_FALSE(this_thread_holds_lock());
  {
    LockGuard lock(mutex);
    EXPECT_TRUE(this_thread_holds_lock());
    lock.unlock();
    EXPECT_FALSE(this_thread_holds_lock());
    lock.lock();
    EXPECT_TRUE(this_thread_holds_lock());
  }
  EXPECT_FALSE(this_thread_holds_lock());
}

TEST(Sync, LockIsNotAttributedToOtherThreads) {
  Mutex mutex;
  std::atomic<bool> locked{false};
  std::atomic<bool> done{false};
  std::thread other([&] {
    LockGuard lock(mutex);
    locked = true;
    while (!done) std::this_thread::yield();
  });
  while (!locked) std::this_thread::yield();
  EXPECT_FALSE(this_thread_holds_lock());
  done = true;
  other.join();
}

TEST(Sync, GuardUnlockedByHandIsNotUnlockedAgain) {
  Mutex mutex;
  {
    LockGuard lock(mutex);
    lock.unlock();
  }
  LockGuard again(mutex);
  EXPECT_TRUE(this_thread_holds_lock());
}

TEST(Sync, WaiterSeesWhatTheNotifierWrote) {
  Mutex mutex;
  CondVar changed;
  int stage = 0;
  std::thread other([&] {
    LockGuard lock(mutex);
    while (stage != 1) changed.wait(lock);
    stage = 2;
    changed.notify_all();
  });
  {
    LockGuard lock(mutex);
    stage = 1;
    changed.notify_all();
    while (stage != 2) changed.wait(lock);
    EXPECT_TRUE(this_thread_holds_lock());
  }
  other.join();
  EXPECT_EQ(stage, 2);
}

}  // namespace
}  // namespace svmrt
