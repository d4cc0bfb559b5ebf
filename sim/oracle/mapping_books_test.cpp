// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/mapping_books.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;

constexpr DeviceAddr kBase{0x10000};
constexpr Bytes kPage{4096};

TEST(MappingBooks, NeighbourOfAMappingIsNotTouchedAndItsLastByteIs) {
  MappingBooks books;
  books.mapped(kBase, kPage);
  EXPECT_FALSE(books.mapping_touches(DeviceAddr(0xf000), kPage));
  EXPECT_FALSE(books.mapping_touches(kBase + kPage, kPage));
  EXPECT_TRUE(books.mapping_touches(DeviceAddr(0xf001), kPage));
  EXPECT_TRUE(books.mapping_touches(DeviceAddr(0x10fff), kPage));
}

TEST(MappingBooks, OwnerEndsExactlyAtTheEndOfItsBlock) {
  MappingBooks books;
  books.allocated(kBase, kPage);
  EXPECT_FALSE(books.owner_of(DeviceAddr(0xffff)).has_value());
  ASSERT_TRUE(books.owner_of(DeviceAddr(0x10fff)).has_value());
  EXPECT_EQ(books.owner_of(DeviceAddr(0x10fff))->base, kBase);
  EXPECT_FALSE(books.owner_of(DeviceAddr(0x11000)).has_value());
}

TEST(MappingBooks, ViewCoversUpToItsLastByteAndNoFurther) {
  MappingBooks books;
  books.mapped(kBase, kPage);
  EXPECT_TRUE(books.view_covers(DeviceAddr(0x10ffc), Bytes(4)));
  EXPECT_FALSE(books.view_covers(DeviceAddr(0x10ffd), Bytes(4)));
  EXPECT_FALSE(books.view_covers(DeviceAddr(0xfffc), Bytes(4)));
}

TEST(MappingBooks, MappingsThatTouchASpanComeInAddressOrder) {
  MappingBooks books;
  books.mapped(DeviceAddr(0x12000), kPage);
  books.mapped(kBase, kPage);
  books.mapped(DeviceAddr(0x11000), kPage);
  EXPECT_EQ(books.mappings_touching(DeviceAddr(0x10fff), Bytes(2)),
            (std::vector<DeviceAddr>{kBase, DeviceAddr(0x11000)}));
  EXPECT_TRUE(books.mappings_touching(DeviceAddr(0x13000), kPage).empty());
  EXPECT_TRUE(books.mappings_touching(DeviceAddr(0xf000), kPage).empty());
}

TEST(MappingBooks, BlockIsMappedWhenItsLastByteIs) {
  MappingBooks books;
  books.allocated(kBase, kPage);
  books.mapped(kBase + kPage, kPage);
  EXPECT_FALSE(books.mapped_block_at(kBase).has_value());
  books.mapped(DeviceAddr(0x10fff), Bytes(1));
  EXPECT_TRUE(books.mapped_block_at(kBase).has_value());
  EXPECT_FALSE(books.mapped_block_at(DeviceAddr(0x10fff)).has_value());  // no block starts there
}

TEST(MappingBooks, ForeignMappingIsNoViewAndNobodysReasonToKeepABlock) {
  MappingBooks books;
  books.allocated(kBase, kPage);
  books.mapped(kBase, kPage).foreign = true;
  EXPECT_TRUE(books.mapping_touches(kBase, kPage));
  EXPECT_FALSE(books.own_mapping_touches(kBase, kPage));
  EXPECT_FALSE(books.view_covers(kBase, Bytes(4)));
  EXPECT_FALSE(books.mapped_block_at(kBase).has_value());
  books.mapped(kBase, kPage);
  EXPECT_TRUE(books.own_mapping_touches(kBase, kPage));
}

TEST(MappingBooks, LivesAreNeverGivenTwice) {
  MappingBooks books;
  const std::uint64_t first = books.allocated(kBase, kPage).life;
  books.clear();
  EXPECT_TRUE(books.blocks().empty());
  MappingBooks::Block& second = books.allocated(kBase, kPage);
  const std::uint64_t before = second.life;
  EXPECT_NE(before, first);
  books.renew(second);
  EXPECT_NE(second.life, before);
  EXPECT_NE(second.life, first);
}

TEST(MappingBooks, WhatBecomesForeignLosesItsFailures) {
  MappingBooks books;
  MappingBooks::Block& block = books.allocated(kBase, kPage);
  block.unregister_failed = true;
  block.free_failed = true;
  books.mapped(kBase, kPage);
  books.all_become_foreign();
  EXPECT_TRUE(block.foreign);
  EXPECT_FALSE(block.unregister_failed);
  EXPECT_FALSE(block.free_failed);
  EXPECT_TRUE(books.mapping_at(kBase)->foreign);
}

}  // namespace
}  // namespace svmsim
