// SPDX-License-Identifier: Apache-2.0
// A host-view cache over a fake driver, for tests: blocks are put in and taken out as the runner does.
#pragma once

#include <gtest/gtest.h>

#include "runtime/host_view_cache.h"
#include "runtime/testing/test_support.h"

namespace svmrt::testing {

class CacheUnderTest {
 public:
  explicit CacheUnderTest(Policy policy = Policy::kCached, MappingPlace place = MappingPlace::kElsewhere,
                          Capabilities capabilities = {})
      : driver(place, capabilities), journal(log.sink()), cache(driver, policy, journal) {}

  DeviceAddr block(Bytes size) {
    const DeviceAddr base = driver.allocate(kRunnerTimeline, size).address;
    EXPECT_TRUE(cache.add(base, size));
    return base;
  }
  HostViewStatus acquire(RunViews& views, DeviceAddr device, Bytes bytes, ViewUse use = ViewUse::kAcquired) {
    view = nullptr;
    return cache.acquire(views, device, bytes, use, &view);
  }
  void free(DeviceAddr base) {
    ASSERT_TRUE(cache.take(base, Caller{}));
    ASSERT_EQ(driver.free(kRunnerTimeline, base), DriverCode::kNone);
  }

  LogCollector log;
  FakeDriver driver;
  Journal journal;
  HostViewCache cache;
  RunViews run{kRunnerTimeline};
  void* view = nullptr;
};

}  // namespace svmrt::testing
