// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/out_pointer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>

namespace svmsim {
namespace {

class OutPointer : public testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;
  void SetUp() override {
    pages_ = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages_, MAP_FAILED);
    ASSERT_EQ(mprotect(pages_, kPage, PROT_READ | PROT_WRITE), 0);
  }
  void TearDown() override { munmap(pages_, 2 * kPage); }

  char* pages_ = nullptr;  // the second page is closed
};

TEST_F(OutPointer, UpToTheLastByteOfAPageIsWritableAndKeepsItsBytes) {
  pages_[kPage - 8] = 'x';
  EXPECT_TRUE(is_writable(pages_ + kPage - 8, 8));
  EXPECT_EQ(pages_[kPage - 8], 'x');
  EXPECT_FALSE(is_writable(pages_ + kPage - 7, 8));
}

TEST_F(OutPointer, ReadableOnlyIsNotWritable) {
  pages_[3] = 'y';
  ASSERT_EQ(mprotect(pages_, kPage, PROT_READ), 0);
  char byte = 0;
  EXPECT_TRUE(read_bytes(&byte, pages_ + 3, 1));
  EXPECT_EQ(byte, 'y');
  EXPECT_FALSE(is_writable(pages_ + 3, 1));
}

TEST_F(OutPointer, NullAndAddressesOfNothingAreNeither) {
  char bytes[8];
  for (const std::uintptr_t address : {std::uintptr_t{0}, std::uintptr_t{1}, ~std::uintptr_t{0}}) {
    auto* const pointer = reinterpret_cast<void*>(address);
    EXPECT_FALSE(read_bytes(bytes, pointer, sizeof bytes)) << address;
    EXPECT_FALSE(is_writable(pointer, sizeof bytes)) << address;
  }
}

TEST_F(OutPointer, PutWritesAtAnyAlignment) {
  put(pages_ + 1, std::uint64_t{0x0807060504030201});
  EXPECT_EQ(pages_[1], 1);
  EXPECT_EQ(pages_[8], 8);
}

}  // namespace
}  // namespace svmsim
