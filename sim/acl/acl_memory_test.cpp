// SPDX-License-Identifier: Apache-2.0
// Device memory, copies, and host memory of the runtime's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/acl/testing/acl_rig.h"

namespace svmsim {
namespace {

constexpr std::uint32_t kH2H = 0;
constexpr std::uint32_t kH2D = 1;
constexpr std::uint32_t kD2H = 2;
constexpr std::uint32_t kD2D = 3;
constexpr std::uint32_t kDefault = 4;
constexpr std::uint64_t kMiBytes = std::uint64_t{1} << 20;

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

TEST(AclMalloc, NullAndSizeZeroAreInvalidParametersEvenWithoutADevice) {
  AclRig rig;
  AclThread other;
  void* device = &rig;
  for (AclThread* const thread : {&rig.thread, &other}) {
    EXPECT_EQ(rig.acl().malloc(*thread, nullptr, 32, 0), AclCode::kInvalidParam);
    EXPECT_EQ(rig.acl().malloc(*thread, &device, 0, 0), AclCode::kInvalidParam);
    EXPECT_EQ(rig.acl().malloc_align32(*thread, nullptr, 32, 0), AclCode::kInvalidParam);
    EXPECT_EQ(rig.acl().malloc_align32(*thread, &device, 0, 0), AclCode::kInvalidParam);
  }
  EXPECT_EQ(rig.acl().malloc(other, &device, 32, 0), AclCode::kNoDeviceSet);
  EXPECT_EQ(device, &rig);
  EXPECT_TRUE(rig.log.records.empty());
}

// P4: 32 bytes of padding, which aclrtMallocAlign32 does without; more than 1 MiB of that is huge.
TEST(AclMalloc, PaddingDecidesThePageKind) {
  AclRig rig;
  void* device = nullptr;
  rig.alloc(kMiBytes - 32);
  rig.alloc(kMiBytes - 31);
  ASSERT_EQ(rig.acl().malloc_align32(rig.thread, &device, kMiBytes, 0), AclCode::kSuccess);
  ASSERT_EQ(rig.acl().malloc_align32(rig.thread, &device, kMiBytes + 1, 0), AclCode::kSuccess);
  std::vector<std::pair<std::uint64_t, PageKind>> seen;
  for (const BlockInfo& block : rig.machine().live_blocks()) seen.emplace_back(block.size.count(), block.kind);
  EXPECT_THAT(seen, testing::UnorderedElementsAre(
                        testing::Pair(kMiBytes, PageKind::kOrdinary), testing::Pair(kMiBytes + 32, PageKind::kHuge),
                        testing::Pair(kMiBytes, PageKind::kOrdinary), testing::Pair(kMiBytes + 32, PageKind::kHuge)));
}

TEST(AclMalloc, MoreThanTheDeviceHasIsOutOfMemoryAndLeavesThePointer) {
  AclRig rig;
  void* device = &rig;
  EXPECT_EQ(rig.acl().malloc(rig.thread, &device, 2048 * kMiBytes, 0), AclCode::kOutOfMemory);
  EXPECT_EQ(rig.acl().malloc(rig.thread, &device, ~std::uint64_t{0}, 0), AclCode::kOutOfMemory);
  EXPECT_EQ(device, &rig);
}

TEST(AclFree, WrongPointerIsAnInvalidParameterOfTheRuntime) {
  AclRig rig;
  void* const block = rig.alloc(4096);
  EXPECT_EQ(rig.acl().free(rig.thread, nullptr), AclCode::kInvalidParam);
  EXPECT_EQ(rig.acl().free(rig.thread, static_cast<std::byte*>(block) + 32), AclCode::kParamInvalid);
  EXPECT_EQ(rig.acl().free(rig.thread, &rig), AclCode::kParamInvalid);
  EXPECT_EQ(rig.acl().free(rig.thread, block), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().free(rig.thread, block), AclCode::kParamInvalid);
}

// F1: v3 refuses with 13.
TEST(AclFree, MappedBlockThatTheDriverRefusesIsADriverError) {
  AclRig rig(acl_platform(Personality::kV3));
  void* const block = rig.alloc(4096);
  ASSERT_EQ(
      rig.machine().host_register(svmrt::kRunnerTimeline, DeviceAddr(number(block)), 4096, kDevSvmMapHost, 0).code,
      DriverCode::kNone);
  EXPECT_EQ(rig.acl().free(rig.thread, block), AclCode::kDriverError);
}

class AclCopy : public testing::Test {
 protected:
  AclCode copy(void* to, const void* from, std::uint64_t count, std::uint32_t kind) {
    return rig_.acl().memcpy(rig_.thread, to, count, from, count, kind);
  }
  AclRig rig_;
  std::vector<char> host_ = std::vector<char>(8192, 'h');
};

TEST_F(AclCopy, EveryKindMovesTheBytes) {
  void* const first = rig_.alloc(8192);
  void* const second = rig_.alloc(8192);
  for (const std::uint32_t by_address : {0u, 1u}) {
    const auto kind = [by_address](std::uint32_t plain) { return by_address == 1 ? kDefault : plain; };
    std::vector<char> source(8192);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i % 101 + by_address);
    std::vector<char> result(8192);
    std::vector<char> again(8192);
    ASSERT_EQ(copy(first, source.data(), 8192, kind(kH2D)), AclCode::kSuccess);
    ASSERT_EQ(copy(second, first, 8192, kind(kD2D)), AclCode::kSuccess);
    ASSERT_EQ(copy(result.data(), second, 8192, kind(kD2H)), AclCode::kSuccess);
    EXPECT_EQ(result, source);
    ASSERT_EQ(copy(again.data(), result.data(), 8192, kind(kH2H)), AclCode::kSuccess);
    EXPECT_EQ(again, source);
  }
  EXPECT_EQ(rig_.log.count(CallKind::kCopyToDevice), 2u);
  EXPECT_EQ(rig_.log.count(CallKind::kCopyOnDevice), 2u);
  EXPECT_EQ(rig_.log.count(CallKind::kCopyFromDevice), 2u);
}

TEST_F(AclCopy, ChecksComeInOrder) {
  AclThread other;
  void* const block = rig_.alloc(8192);
  EXPECT_EQ(rig_.acl().memcpy(other, nullptr, 0, host_.data(), 0, kH2D), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().memcpy(other, block, 0, nullptr, 0, kH2D), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().memcpy(other, block, 0, host_.data(), 0, 99), AclCode::kSuccess);
  EXPECT_EQ(rig_.acl().memcpy(other, block, 7, host_.data(), 8, kH2D), AclCode::kParamInvalid);
  EXPECT_EQ(rig_.acl().memcpy(other, block, 8, host_.data(), 8, 5), AclCode::kParamInvalid);
  EXPECT_EQ(rig_.acl().memcpy(other, block, 8, host_.data(), 8, kH2D), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig_.acl().memcpy(rig_.thread, block, 8, host_.data(), 8, kH2D), AclCode::kSuccess);
}

TEST_F(AclCopy, AddressThatIsNoDeviceMemoryIsADriverError) {
  void* const block = rig_.alloc(4096);
  std::vector<char> target(8192, 't');
  EXPECT_EQ(copy(target.data(), host_.data(), 16, kH2D), AclCode::kDriverError);
  EXPECT_EQ(copy(target.data(), host_.data(), 16, kD2H), AclCode::kDriverError);
  EXPECT_EQ(copy(block, host_.data(), 16, kD2D), AclCode::kDriverError);
  EXPECT_EQ(copy(target.data(), block, 16, kD2D), AclCode::kDriverError);
  EXPECT_THAT(target, testing::Each('t'));
}

TEST_F(AclCopy, HostMemoryThatCannotBeTouchedIsAnInvalidHandle) {
  const ForbiddenPage page;
  void* const block = rig_.alloc(4096);
  EXPECT_EQ(copy(block, page.address(), 16, kH2D), AclCode::kInvalidHandle);
  EXPECT_EQ(copy(page.address(), block, 16, kD2H), AclCode::kInvalidHandle);
  EXPECT_EQ(copy(page.address(), host_.data(), 16, kH2H), AclCode::kInvalidHandle);
  EXPECT_EQ(copy(host_.data(), page.address(), 16, kH2H), AclCode::kInvalidHandle);
  EXPECT_EQ(copy(block, page.address(), 16, kDefault), AclCode::kInvalidHandle);
  EXPECT_EQ(rig_.acl().memset(rig_.thread, page.address(), 16, 0, 16), AclCode::kInvalidHandle);
}

TEST_F(AclCopy, MemsetStoresTheLowByteIntoDeviceAndHostMemory) {
  void* const block = rig_.alloc(4096);
  ASSERT_EQ(rig_.acl().memset(rig_.thread, block, 8, 0x17f, 8), AclCode::kSuccess);
  ASSERT_EQ(copy(host_.data(), block, 8, kD2H), AclCode::kSuccess);
  ASSERT_EQ(rig_.acl().memset(rig_.thread, host_.data() + 8, 8, 0x141, 8), AclCode::kSuccess);
  EXPECT_EQ(std::string(host_.data(), 17), std::string(8, '\x7f') + std::string(8, 'A') + "h");
}

TEST_F(AclCopy, MemsetChecksComeInOrder) {
  AclThread other;
  void* const block = rig_.alloc(4096);
  EXPECT_EQ(rig_.acl().memset(other, nullptr, 8, 0, 8), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().memset(other, block, 8, 0, 0), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().memset(other, block, 7, 0, 8), AclCode::kParamInvalid);
  EXPECT_EQ(rig_.acl().memset(other, block, 8, 0, 8), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig_.acl().memset(rig_.thread, block, 1 << 20, 0, 1 << 20), AclCode::kSuccess);  // R5: pages, not blocks
  EXPECT_EQ(rig_.acl().memset(rig_.thread, block, 1 << 30, 0, 1 << 30), AclCode::kDriverError);
}

TEST(AclMallocHost, IsZeroedPageAlignedAndFreedOnce) {
  AclRig rig;
  auto* const host = static_cast<std::byte*>(rig.alloc_host(5000));
  EXPECT_EQ(number(host) % 4096, 0u);
  EXPECT_TRUE(std::all_of(host, host + 5000, [](std::byte value) { return value == std::byte{0}; }));
  std::memset(host, 1, 5000);
  EXPECT_EQ(rig.acl().free_host(rig.thread, nullptr), AclCode::kInvalidParam);
  EXPECT_EQ(rig.acl().free_host(rig.thread, host + 1), AclCode::kParamInvalid);
  EXPECT_EQ(rig.acl().free_host(rig.thread, host), AclCode::kSuccess);
  EXPECT_FALSE(CheckedHostMemory().exists(host, Bytes(1)));
  EXPECT_EQ(rig.acl().free_host(rig.thread, host), AclCode::kParamInvalid);
}

TEST(AclMallocHost, RefusesNullZeroNoDeviceAndTooMuch) {
  AclRig rig;
  AclThread other;
  void* host = &rig;
  EXPECT_EQ(rig.acl().malloc_host(other, nullptr, 8), AclCode::kInvalidParam);
  EXPECT_EQ(rig.acl().malloc_host(other, &host, 0), AclCode::kInvalidParam);
  EXPECT_EQ(rig.acl().malloc_host(other, &host, 8), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig.acl().malloc_host(rig.thread, &host, std::uint64_t{1} << 60), AclCode::kOutOfMemory);
  EXPECT_EQ(rig.acl().malloc_host(rig.thread, &host, ~std::uint64_t{0}), AclCode::kOutOfMemory);
  EXPECT_EQ(host, &rig);
}

TEST(AclMallocHost, EndsWithTheRuntime) {
  void* host = nullptr;
  {
    AclRig rig;
    host = rig.alloc_host(8);
    EXPECT_TRUE(CheckedHostMemory().exists(host, Bytes(1)));
  }
  EXPECT_FALSE(CheckedHostMemory().exists(host, Bytes(1)));
}

}  // namespace
}  // namespace svmsim
