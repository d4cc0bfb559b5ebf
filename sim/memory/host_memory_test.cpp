// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "sim/memory/mapped_region.h"

namespace svmsim {
namespace {

using svmrt::Bytes;

// Two pages, the second of which nobody may touch.
class HostMemoryPages : public testing::Test {
 protected:
  HostMemoryPages() : region_(*MappedRegion::anonymous(nullptr, Bytes(2 * page_), MappedRegion::Access::kReadWrite)) {
    EXPECT_EQ(mprotect(second(), page_, PROT_NONE), 0);
  }
  std::byte* first() { return region_.data(); }
  std::byte* second() { return region_.data() + page_; }

  const std::uint64_t page_ = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  MappedRegion region_;
  const CheckedHostMemory checked_;
};

TEST(DirectHostMemoryTest, CopiesBothWays) {
  std::string host = "host";
  std::string own = "own!";
  EXPECT_TRUE(direct_host_memory().load(own.data(), host.data(), Bytes(4)));
  EXPECT_EQ(own, "host");
  own = "back";
  EXPECT_TRUE(direct_host_memory().store(host.data(), own.data(), Bytes(4)));
  EXPECT_EQ(host, "back");
}

TEST(DirectHostMemoryTest, TakesEveryAddressForOneThatIsThere) {
  EXPECT_TRUE(direct_host_memory().exists(nullptr, Bytes(1)));
}

TEST_F(HostMemoryPages, CheckedCopiesUpToTheEndOfThePage) {
  std::vector<std::byte> own(page_, std::byte{7});
  EXPECT_TRUE(checked_.store(first(), own.data(), Bytes(page_)));
  EXPECT_EQ(std::memcmp(first(), own.data(), page_), 0);
  own.assign(page_, std::byte{0});
  EXPECT_TRUE(checked_.load(own.data(), first(), Bytes(page_)));
  EXPECT_THAT(own, testing::Each(std::byte{7}));
}

TEST_F(HostMemoryPages, CheckedRefusesOneByteBeyondThePage) {
  std::vector<std::byte> own(page_ + 1);
  EXPECT_FALSE(checked_.load(own.data(), first(), Bytes(page_ + 1)));
  EXPECT_FALSE(checked_.store(first(), own.data(), Bytes(page_ + 1)));
  EXPECT_FALSE(checked_.load(own.data(), second(), Bytes(1)));
  EXPECT_TRUE(checked_.load(own.data(), second(), Bytes(0)));
}

TEST_F(HostMemoryPages, CheckedRefusesNullAndWildAddresses) {
  std::byte own{};
  EXPECT_FALSE(checked_.load(&own, nullptr, Bytes(1)));
  EXPECT_FALSE(checked_.store(nullptr, &own, Bytes(1)));
  EXPECT_FALSE(checked_.load(&own, reinterpret_cast<const void*>(~std::uint64_t{0}), Bytes(1)));
}

TEST_F(HostMemoryPages, CheckedReadsReadOnlyPagesAndDoesNotWriteThem) {
  ASSERT_EQ(mprotect(first(), page_, PROT_READ), 0);
  std::byte own{};
  EXPECT_TRUE(checked_.load(&own, first(), Bytes(1)));
  EXPECT_FALSE(checked_.store(first(), &own, Bytes(1)));
}

// 40,000 bytes are several pieces of any size that the implementation may work in.
TEST_F(HostMemoryPages, HostToHostCopyAndFillMoveEveryByteAndRefuseEitherBadSide) {
  std::string from(40'000, 'a');
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>('a' + i % 23);
  std::string to(40'000, '-');
  EXPECT_TRUE(copy_host(checked_, to.data(), from.data(), Bytes(40'000)));
  EXPECT_EQ(to, from);
  EXPECT_FALSE(copy_host(checked_, to.data(), second(), Bytes(1)));
  EXPECT_FALSE(copy_host(checked_, second(), from.data(), Bytes(1)));
  EXPECT_TRUE(fill_host(checked_, to.data(), 'x', Bytes(39'999)));
  EXPECT_EQ(to, std::string(39'999, 'x') + from.back());
  EXPECT_FALSE(fill_host(checked_, second(), 'x', Bytes(1)));
}

TEST_F(HostMemoryPages, PagesExistWhateverTheirProtectionAndNotOnceUnmapped) {
  EXPECT_TRUE(CheckedHostMemory().exists(first() + 1, Bytes(2 * page_ - 1)));
  ASSERT_EQ(munmap(second(), page_), 0);
  EXPECT_TRUE(CheckedHostMemory().exists(first() + 1, Bytes(page_ - 1)));
  EXPECT_FALSE(CheckedHostMemory().exists(first() + 1, Bytes(page_)));
  EXPECT_FALSE(CheckedHostMemory().exists(second(), Bytes(1)));
  EXPECT_FALSE(CheckedHostMemory().exists(nullptr, Bytes(1)));
  EXPECT_FALSE(CheckedHostMemory().exists(first(), Bytes(~std::uint64_t{0})));
  // The region unmaps it again, and until then nobody else may get the address.
  ASSERT_EQ(mmap(second(), page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), second());
}

}  // namespace
}  // namespace svmsim
