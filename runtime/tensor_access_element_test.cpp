// SPDX-License-Identifier: Apache-2.0
// Elements that are read and written time and again: what is answered from the index must be what the first access
// would have answered, and what it counts the same.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "runtime/device_runner.h"
#include "runtime/tensor_access.h"
#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::FakeDriver;
using testing::kPage;
using testing::kWord;
using testing::MappingPlace;
using testing::peek;
using testing::poke;

// More than any index needs to take a region for the usual one.
constexpr std::uint64_t kOften = 1000;

class Elements : public ::testing::Test {
 protected:
  Elements() : run(runner.open_run().value()), access(&run->api()) {}

  DeviceAddr claimed_block() {
    const DeviceAddr device = runner.device_malloc(kPage).value();
    EXPECT_TRUE(access.claim_child_memory(device, kPage));
    return device;
  }
  void load_often(DeviceAddr device, std::uint64_t expected) {
    for (std::uint64_t i = 0; i < kOften; ++i) {
      const TensorAccess::Element element = access.load(device, kWord);
      ASSERT_TRUE(element.ok()) << i;
      ASSERT_EQ(element.bits, expected) << i;
    }
  }

  FakeDriver driver{MappingPlace::kElsewhere};
  DeviceRunner runner{driver, RunnerConfig{}};
  std::unique_ptr<RunContext> run;
  TensorAccess access;
};

TEST_F(Elements, LoadsGiveTheLowBytesOfEverySize) {
  const DeviceAddr device = claimed_block();
  poke(driver, device, 0x8877665544332211u);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(access.load(device, Bytes(1)).bits, 0x11u);
    EXPECT_EQ(access.load(device + Bytes(1), Bytes(2)).bits, 0x3322u);
    EXPECT_EQ(access.load(device, Bytes(3)).bits, 0x332211u);
    EXPECT_EQ(access.load(device + Bytes(4), Bytes(4)).bits, 0x88776655u);
    EXPECT_EQ(access.load(device, Bytes(7)).bits, 0x77665544332211u);
    EXPECT_EQ(access.load(device, kWord).bits, 0x8877665544332211u);
  }
}

TEST_F(Elements, StoresWriteNoByteMoreThanTheirSize) {
  const DeviceAddr device = claimed_block();
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t size = 1; size <= 8; ++size) {
      poke(driver, device, std::uint64_t{0});
      ASSERT_EQ(access.store(device, ~std::uint64_t{0}, Bytes(size)), AccessStatus::kOk);
      EXPECT_EQ(peek<std::uint64_t>(driver, device), ~std::uint64_t{0} >> (64 - 8 * size)) << size;
    }
  }
}

TEST_F(Elements, OtherSizesAreInNoRegion) {
  const DeviceAddr device = claimed_block();
  load_often(device, 0);
  for (const Bytes size : {Bytes(0), Bytes(9)}) {
    EXPECT_EQ(access.load(device, size).status, AccessStatus::kNoRegion);
    EXPECT_EQ(access.store(device, 1, size), AccessStatus::kNoRegion);
    EXPECT_EQ(access.failure().status, AccessStatus::kNoRegion);
  }
}

TEST_F(Elements, EveryAccessIsCountedOnce) {
  const DeviceAddr device = claimed_block();
  load_often(device, 0);
  for (std::uint64_t i = 0; i < kOften; ++i) ASSERT_EQ(access.store(device, i, kWord), AccessStatus::kOk);
  EXPECT_EQ(access.stats().accesses, 2 * kOften);
  EXPECT_EQ(access.stats().view_loads, kOften);
  EXPECT_EQ(access.stats().view_stores, kOften);
  EXPECT_EQ(access.stats().device_copies, 0u);
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
}

TEST_F(Elements, TheEndOfARegionIsItsEndHoweverOftenItIsRead) {
  const DeviceAddr device = claimed_block();
  load_often(device, 0);
  EXPECT_TRUE(access.load(device + (kPage - kWord), kWord).ok());
  EXPECT_EQ(access.load(device + (kPage - Bytes(7)), kWord).status, AccessStatus::kNoRegion);
  EXPECT_EQ(access.store(device + (kPage - Bytes(7)), 1, kWord), AccessStatus::kNoRegion);
  EXPECT_EQ(access.load(DeviceAddr(device.value() - 1), kWord).status, AccessStatus::kNoRegion);
}

TEST_F(Elements, StagedLoadsReadTheCallersBufferAndAreNoAccessesOfChildMemory) {
  std::array<std::uint64_t, 4> host{1, 2, 3, 4};
  const DeviceAddr device = runner.device_malloc(Bytes(sizeof host)).value();
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(sizeof host)));
  load_often(device + kWord, 2);
  host[1] = 20;
  EXPECT_EQ(access.load(device + kWord, kWord).bits, 20u);
  EXPECT_EQ(access.stats().accesses, 0u);
  EXPECT_EQ(access.stats().view_loads, 0u);
}

TEST_F(Elements, EveryStagedStoreIsPushed) {
  std::array<std::uint64_t, 4> host{};
  const DeviceAddr device = runner.device_malloc(Bytes(sizeof host)).value();
  ASSERT_TRUE(access.add_staged(device, host.data(), Bytes(sizeof host)));
  load_often(device, 0);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(access.store(device, i, kWord), AccessStatus::kOk);
    EXPECT_EQ(peek<std::uint64_t>(driver, device), i);
    EXPECT_EQ(host[0], i);
  }
  EXPECT_EQ(access.stats().staged_writes, 3u);
  EXPECT_EQ(driver.count(CallKind::kCopyToDevice), 3u);
}

TEST_F(Elements, ADeclarationIsSeenByTheNextLoadAndItsWithdrawalToo) {
  const DeviceAddr device = claimed_block();
  const DeviceAddr other = claimed_block();
  const auto producer = runner.open_run().value();
  load_often(device, 0);
  for (int round = 0; round < 3; ++round) {
    producer->declare_produced({{device + kWord, kWord}});
    EXPECT_EQ(access.load(device + kWord, kWord).status, AccessStatus::kDeferred);
    EXPECT_EQ(access.failure().producer, producer->number());
    // The bytes beside it, and other regions, are as readable as before.
    load_often(device, 0);
    load_often(other, 0);
    EXPECT_EQ(access.load(device + kWord, kWord).status, AccessStatus::kDeferred);
    EXPECT_EQ(access.load(device + Bytes(1), kWord).status, AccessStatus::kDeferred);
    EXPECT_EQ(access.store(device + kWord, 0, kWord), AccessStatus::kOk) << "what is written is not read";
    producer->withdraw_produced();
    load_often(device + kWord, 0);
  }
}

// What was declared before the load began is seen by it; what is declared meanwhile may be.
TEST_F(Elements, DeclarationsOfAnotherThreadAreSeen) {
  const DeviceAddr device = claimed_block();
  const auto producer = runner.open_run().value();
  std::atomic<bool> stop{false};
  std::thread declaring([&] {
    while (!stop) {
      producer->declare_produced({{device, kWord}});
      producer->withdraw_produced();
    }
  });
  std::uint64_t deferred = 0;
  for (std::uint64_t i = 0; i < 100 * kOften || deferred == 0; ++i) {
    const AccessStatus status = access.load(device, kWord).status;
    ASSERT_TRUE(status == AccessStatus::kDeferred || status == AccessStatus::kOk) << i;
    if (status == AccessStatus::kDeferred) ++deferred;
  }
  stop = true;
  declaring.join();
  EXPECT_TRUE(access.load(device, kWord).ok()) << "all is withdrawn";
  producer->declare_produced({{device, kWord}});
  EXPECT_EQ(access.load(device, kWord).status, AccessStatus::kDeferred);
}

TEST_F(Elements, OwnDeclarationsDeferNothing) {
  const DeviceAddr device = claimed_block();
  run->declare_produced({{device, kPage}});
  load_often(device, 0);
}

TEST_F(Elements, RegionAddedLaterDoesNotHideBehindTheUsualOne) {
  const DeviceAddr device = claimed_block();
  load_often(device, 0);
  std::array<std::uint64_t, 1> host{7};
  const DeviceAddr later = runner.device_malloc(kWord).value();
  ASSERT_TRUE(access.add_staged(later, host.data(), kWord));
  EXPECT_EQ(access.load(later, kWord).bits, 7u);
  load_often(device, 0);
}

TEST_F(Elements, ClosedAccessLoadsAndStoresNothing) {
  const DeviceAddr device = claimed_block();
  load_often(device, 0);
  access.close();
  EXPECT_EQ(access.load(device, kWord).status, AccessStatus::kUnavailable);
  EXPECT_EQ(access.store(device, 1, kWord), AccessStatus::kUnavailable);
  EXPECT_EQ(access.failure().status, AccessStatus::kUnavailable);
}

// A table over two words of memory that counts how often it was asked for a producer.
class ElementsOfAnotherApi : public ::testing::Test {
 protected:
  ElementsOfAnotherApi() {
    api.context = this;
    api.acquire_child_memory_host_view = [](void* self, std::uint64_t, std::uint64_t, void** view) {
      *view = static_cast<ElementsOfAnotherApi*>(self)->memory.data();
      return HostViewStatus::kMapped;
    };
    api.other_producer = [](void* self, std::uint64_t, std::uint64_t) {
      ++static_cast<ElementsOfAnotherApi*>(self)->asked;
      return static_cast<ElementsOfAnotherApi*>(self)->producer;
    };
  }

  std::array<std::uint64_t, 2> memory{};
  std::uint64_t asked = 0;
  std::uint64_t producer = 0;
  HostApi api;
};

TEST_F(ElementsOfAnotherApi, EveryLoadAsksWhereNothingTellsOfChanges) {
  TensorAccess access(&api);
  ASSERT_TRUE(access.claim_child_memory(DeviceAddr(4096), Bytes(sizeof memory)));
  for (std::uint64_t i = 1; i <= kOften; ++i) {
    ASSERT_TRUE(access.load(DeviceAddr(4096), kWord).ok());
    ASSERT_EQ(asked, i);
  }
  producer = 5;
  EXPECT_EQ(access.load(DeviceAddr(4096), kWord).status, AccessStatus::kDeferred);
}

TEST_F(ElementsOfAnotherApi, LoadsAskAgainAfterAChangeAndNotBefore) {
  std::atomic<std::uint64_t> changes{7};
  api.declarations = &changes;
  TensorAccess access(&api);
  ASSERT_TRUE(access.claim_child_memory(DeviceAddr(4096), Bytes(sizeof memory)));
  std::uint64_t asked_before = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < kOften; ++i) ASSERT_TRUE(access.load(DeviceAddr(4096), kWord).ok());
    EXPECT_GT(asked, asked_before);
    EXPECT_LE(asked, asked_before + 2) << "for the bytes, and for the whole region";
    asked_before = asked;
    ++changes;
  }
}

}  // namespace
}  // namespace svmrt
