// SPDX-License-Identifier: Apache-2.0
// Touches that must fault are made in a child process, by a backing of its own.
#include "sim/memory/mmu_backing.h"
#include "sim/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "sim/memory/memory_file.h"
#include "sim/memory/testing/sizes.h"
#include "sim/testing/fault_exit.h"

namespace svmsim {
namespace {

std::unique_ptr<SliceBacking> make_backing(ViewAddress view_address = ViewAddress::kIdentity) {
  auto backing = make_slice_backing(BackingKind::kMmu, view_address);
  EXPECT_TRUE(backing.has_value()) << backing.error();
  return std::move(*backing);
}

volatile unsigned char* raw(DeviceAddr address) { return reinterpret_cast<volatile unsigned char*>(address.value()); }

volatile unsigned char* map_page(SliceBacking& backing, DeviceAddr at, HostAccess access = HostAccess::kReadWrite) {
  return static_cast<volatile unsigned char*>(backing.map(at, kPage, access));
}

class MmuBackingTest : public ::testing::TestWithParam<ViewAddress> {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(MmuBackingTest, ViewAndDeviceSeeTheSameBytes) {
  const auto backing = make_backing(GetParam());
  const DeviceAddr at = backing->base() + kPage;
  backing->populate(backing->base(), kSegment);
  volatile unsigned char* const view = map_page(*backing, at);
  EXPECT_EQ(view == raw(at), GetParam() == ViewAddress::kIdentity);
  view[7] = 42;
  EXPECT_EQ(std::to_integer<int>(backing->bytes_at(at)[7]), 42);
  *(backing->bytes_at(at) + 8) = std::byte{43};
  EXPECT_EQ(view[8], 43);
}

TEST_P(MmuBackingTest, ReadOnlyViewCanBeRead) {
  const auto backing = make_backing(GetParam());
  backing->populate(backing->base(), kSegment);
  *backing->bytes_at(backing->base()) = std::byte{9};
  EXPECT_EQ(*map_page(*backing, backing->base(), HostAccess::kReadOnly), 9);
}

TEST_P(MmuBackingTest, ReleasedPagesComeBackAsZeros) {
  const auto backing = make_backing(GetParam());
  backing->populate(backing->base(), kSegment);
  std::memset(backing->bytes_at(backing->base()), 0xff, kSegment.count());
  backing->release(backing->base(), kSegment);
  backing->populate(backing->base(), kSegment);
  EXPECT_EQ(*backing->bytes_at(backing->base()), std::byte{0});
  EXPECT_EQ(*backing->bytes_at(backing->base() + (kSegment - Bytes(1))), std::byte{0});
}

TEST_P(MmuBackingTest, UnmapOfAPartLeavesTheRestMapped) {
  const auto backing = make_backing(GetParam());
  backing->populate(backing->base(), kSegment);
  auto* const view = static_cast<volatile unsigned char*>(
      backing->map(backing->base(), Bytes(3 * kPage.count()), HostAccess::kReadWrite));
  backing->unmap(backing->base() + kPage, kPage);
  view[0] = 1;
  view[2 * kPage.count()] = 3;
  EXPECT_EQ(*backing->bytes_at(backing->base()), std::byte{1});
  EXPECT_EQ(*backing->bytes_at(backing->base() + Bytes(2 * kPage.count())), std::byte{3});
}

TEST_P(MmuBackingTest, TouchBeforeMapFaults) {
  EXPECT_EXIT(
      {
        const auto backing = make_backing(GetParam());
        backing->populate(backing->base(), kSegment);
        *raw(backing->base()) = 1;
      },
      died_of_a_fault, "");
}

TEST_P(MmuBackingTest, TouchAfterUnmapFaults) {
  EXPECT_EXIT(
      {
        const auto backing = make_backing(GetParam());
        backing->populate(backing->base(), kSegment);
        volatile unsigned char* const view = map_page(*backing, backing->base());
        *view = 1;
        backing->unmap(backing->base(), kPage);
        *view = 2;
      },
      died_of_a_fault, "");
}

TEST_P(MmuBackingTest, TouchOfTheUnmappedMiddleFaults) {
  EXPECT_EXIT(
      {
        const auto backing = make_backing(GetParam());
        backing->populate(backing->base(), kSegment);
        auto* const view = static_cast<volatile unsigned char*>(
            backing->map(backing->base(), Bytes(3 * kPage.count()), HostAccess::kReadWrite));
        backing->unmap(backing->base() + kPage, kPage);
        view[kPage.count() - 1] = 1;
        view[2 * kPage.count()] = 1;
        view[kPage.count()] = 1;
      },
      died_of_a_fault, "");
}

TEST_P(MmuBackingTest, StoreToAReadOnlyViewFaults) {
  EXPECT_EXIT(
      {
        const auto backing = make_backing(GetParam());
        backing->populate(backing->base(), kSegment);
        *map_page(*backing, backing->base(), HostAccess::kReadOnly) = 1;
      },
      died_of_a_fault, "");
}

TEST_P(MmuBackingTest, TouchInAForkedChildFaults) {
  const auto backing = make_backing(GetParam());
  backing->populate(backing->base(), kSegment);
  volatile unsigned char* const view = map_page(*backing, backing->base());
  *view = 1;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    *view = 2;
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(*view, 1);
}

INSTANTIATE_TEST_SUITE_P(Views, MmuBackingTest, ::testing::Values(ViewAddress::kIdentity, ViewAddress::kElsewhere));

TEST(MmuBacking, RawDeviceAddressFaultsWhereViewsLieElsewhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto backing = make_backing(ViewAddress::kElsewhere);
        backing->populate(backing->base(), kSegment);
        *map_page(*backing, backing->base()) = 1;
        *raw(backing->base()) = 1;
      },
      died_of_a_fault, "");
}

TEST(MmuBacking, FileSizeLimitIsAnErrorAndNoSignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        rlimit small{};
        small.rlim_cur = 1 << 20;
        small.rlim_max = 1 << 20;
        const bool limited = setrlimit(RLIMIT_FSIZE, &small) == 0;
        const auto backing = make_slice_backing(BackingKind::kMmu, ViewAddress::kIdentity);
        std::_Exit(limited && !backing && backing.error().find("File too large") != std::string::npos ? 42 : 1);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST(MmuBacking, TakesNoDescriptorOfTheStandardStreams) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        close(STDIN_FILENO);
        const int file = above_standard_streams(memfd_create("test", 0));
        std::_Exit(file > STDERR_FILENO && fcntl(STDIN_FILENO, F_GETFD) == -1 ? 42 : 1);
      },
      ::testing::ExitedWithCode(42), "");
}

// Every second page, so that no two mappings merge in the kernel.
void map_every_second_page(SliceBacking& backing, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) map_page(backing, backing.base() + Bytes(2 * i * kPage.count()));
}

TEST(MmuBacking, TheMostLiveMappingsFitAndOneMoreEndsTheProcessWithTheSimulatorsMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto backing = make_backing();
        map_every_second_page(*backing, kMostLiveMappings);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        const auto backing = make_backing();
        map_every_second_page(*backing, kMostLiveMappings + 1);
      },
      ::testing::KilledBySignal(SIGABRT), "the simulator, not the driver, is at a limit: 16001 live mappings");
}

TEST(MmuBacking, UnmappedPagesMakeRoomAndAPartlyUnmappedMappingCountsItsParts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto backing = make_backing();
        map_every_second_page(*backing, kMostLiveMappings);
        backing->unmap(backing->base(), kPage);
        backing->map(backing->base(), kPage, HostAccess::kReadWrite);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        const auto backing = make_backing();
        map_every_second_page(*backing, kMostLiveMappings - 1);
        const DeviceAddr far = backing->base() + Bytes(std::uint64_t{1} << 30);
        backing->map(far, Bytes(3 * kPage.count()), HostAccess::kReadWrite);
        backing->unmap(far + kPage, kPage);  // two mappings now
        map_page(*backing, far + Bytes(8 * kPage.count()));
      },
      ::testing::KilledBySignal(SIGABRT), "at a limit");
}

TEST_P(MmuBackingTest, NoPageOfAnUnmappedMappingCanBeReadAnyMore) {
  for (const std::uint64_t page : {0u, 1u, 2u}) {
    EXPECT_EXIT(
        {
          const auto backing = make_backing(GetParam());
          backing->populate(backing->base(), kSegment);
          const Bytes size(3 * kPage.count());
          auto* const view =
              static_cast<volatile unsigned char*>(backing->map(backing->base(), size, HostAccess::kReadWrite));
          backing->unmap(backing->base(), size);
          std::_Exit(view[page * kPage.count()]);
        },
        died_of_a_fault, "");
  }
}

TEST(MmuBacking, MappingsOfABackingThatIsGoneMakeRoom) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        map_every_second_page(*make_backing(), kMostLiveMappings);
        const auto next = make_backing();
        map_page(*next, next->base());
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace svmsim
