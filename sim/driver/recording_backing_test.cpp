// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/recording_backing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svmsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

inline constexpr DeviceAddr kBase{0x10000};
inline constexpr Bytes kPage{0x1000};

TEST(RecordingBacking, RecordsNothingForPagesThatAreMappedAndUnmappedInParts) {
  RecordingBacking backing;
  backing.populate(kBase, times(4, kPage));
  backing.populate(kBase + times(4, kPage), kPage);
  backing.map(kBase, times(5, kPage), HostAccess::kReadWrite);
  backing.unmap(kBase + kPage, kPage);
  EXPECT_EQ(backing.mapped_bytes(), times(4, kPage));
  EXPECT_FALSE(backing.is_mapped(kBase, times(2, kPage)));
  backing.release(kBase + kPage, kPage);
  backing.unmap(kBase, kPage);
  backing.unmap(kBase + times(2, kPage), times(3, kPage));
  backing.release(kBase, kPage);
  backing.release(kBase + times(2, kPage), times(3, kPage));
  EXPECT_EQ(backing.populated_bytes(), Bytes(0));
  EXPECT_THAT(backing.misuse(), IsEmpty());
}

TEST(RecordingBacking, RecordsReleaseOfMappedPages) {
  RecordingBacking backing;
  backing.populate(kBase, times(2, kPage));
  backing.map(kBase + kPage, kPage, HostAccess::kReadWrite);
  backing.release(kBase, times(2, kPage));
  EXPECT_THAT(backing.misuse(), ElementsAre("releases mapped pages"));
}

TEST(RecordingBacking, RecordsDoublePopulateAndDoubleMap) {
  RecordingBacking backing;
  backing.populate(kBase, times(2, kPage));
  backing.populate(kBase + kPage, kPage);
  backing.map(kBase, times(2, kPage), HostAccess::kReadWrite);
  backing.map(kBase, kPage, HostAccess::kReadWrite);
  EXPECT_THAT(backing.misuse(), ElementsAre("populates populated pages", "maps mapped pages"));
}

TEST(RecordingBacking, RecordsMapUnmapAndReleaseOfAbsentPages) {
  RecordingBacking backing;
  backing.populate(kBase, kPage);
  backing.map(kBase, times(2, kPage), HostAccess::kReadWrite);
  backing.unmap(kBase + times(2, kPage), kPage);
  backing.unmap(kBase, times(2, kPage));
  backing.release(kBase, times(2, kPage));
  EXPECT_THAT(backing.misuse(), ElementsAre("maps absent pages", "unmaps unmapped pages", "releases absent pages"));
}

}  // namespace
}  // namespace svmsim
