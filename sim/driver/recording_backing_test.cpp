// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/recording_backing.h"
#include "sim/driver/testing/test_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svmsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

inline constexpr DeviceAddr kRecordedBase{0x10000};

TEST(RecordingBacking, RecordsNothingForPagesThatAreMappedAndUnmappedInParts) {
  RecordingBacking backing;
  backing.populate(kRecordedBase, times(4, kPage));
  backing.populate(kRecordedBase + times(4, kPage), kPage);
  backing.map(kRecordedBase, times(5, kPage), HostAccess::kReadWrite);
  backing.unmap(kRecordedBase + kPage, kPage);
  EXPECT_EQ(backing.mapped_bytes(), times(4, kPage));
  EXPECT_FALSE(backing.is_mapped(kRecordedBase, times(2, kPage)));
  backing.release(kRecordedBase + kPage, kPage);
  backing.unmap(kRecordedBase, kPage);
  backing.unmap(kRecordedBase + times(2, kPage), times(3, kPage));
  backing.release(kRecordedBase, kPage);
  backing.release(kRecordedBase + times(2, kPage), times(3, kPage));
  EXPECT_EQ(backing.populated_bytes(), Bytes(0));
  EXPECT_THAT(backing.misuse(), IsEmpty());
}

TEST(RecordingBacking, RecordsReleaseOfMappedPages) {
  RecordingBacking backing;
  backing.populate(kRecordedBase, times(2, kPage));
  backing.map(kRecordedBase + kPage, kPage, HostAccess::kReadWrite);
  backing.release(kRecordedBase, times(2, kPage));
  EXPECT_THAT(backing.misuse(), ElementsAre("releases mapped pages"));
}

TEST(RecordingBacking, RecordsDoublePopulateAndDoubleMap) {
  RecordingBacking backing;
  backing.populate(kRecordedBase, times(2, kPage));
  backing.populate(kRecordedBase + kPage, kPage);
  backing.map(kRecordedBase, times(2, kPage), HostAccess::kReadWrite);
  backing.map(kRecordedBase, kPage, HostAccess::kReadWrite);
  EXPECT_THAT(backing.misuse(), ElementsAre("populates populated pages", "maps mapped pages"));
}

TEST(RecordingBacking, RecordsMapUnmapAndReleaseOfAbsentPages) {
  RecordingBacking backing;
  backing.populate(kRecordedBase, kPage);
  backing.map(kRecordedBase, times(2, kPage), HostAccess::kReadWrite);
  backing.unmap(kRecordedBase + times(2, kPage), kPage);
  backing.unmap(kRecordedBase, times(2, kPage));
  backing.release(kRecordedBase, times(2, kPage));
  EXPECT_THAT(backing.misuse(), ElementsAre("maps absent pages", "unmaps unmapped pages", "releases absent pages"));
}

}  // namespace
}  // namespace svmsim
