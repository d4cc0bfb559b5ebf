// SPDX-License-Identifier: Apache-2.0
// The reference says no to wrong answers.
#include "fuzz/driver_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "sim/driver/hal_flags.h"

namespace svmsim {
namespace {

using Kind = DriverCallKind;
using testing::HasSubstr;

constexpr std::uint64_t kStart = 0x12c000000000;
constexpr std::uint64_t kPages = 65536;

struct Rig {
  explicit Rig(Personality personality) {
    platform.personality = personality;
    rules.emplace(platform, DeviceAddr(kStart), Bytes(std::uint64_t{1} << 40));
  }
  std::string alloc(std::uint64_t at) {
    after.blocks.emplace_back(at, kPages, PageKind::kOrdinary);
    return rules->judge({.kind = Kind::kAlloc, .size = kPages, .flag = kAllocSideDevice}, 0,
                        {.result = at, .bytes = {}}, after);
  }
  std::string map(std::uint64_t at, std::uint64_t size, std::int32_t code) {
    if (code == 0) after.mapped.emplace_back(at, size, HostAccess::kReadWrite);
    const std::uint64_t result = code == 0 ? at : kUntouched;
    return rules->judge({.kind = Kind::kRegister, .size = size, .flag = kDevSvmMapHost}, kStart + at,
                        {.code = code, .result = result, .bytes = {}}, after);
  }
  std::string call(Kind kind, std::uint64_t at, std::int32_t code) {
    return rules->judge({.kind = kind, .flag = kDevSvmMapHost}, kStart + at, {.code = code, .bytes = {}}, after);
  }
  Platform platform;
  std::optional<DriverRules> rules;
  DriverState after;
};

TEST(DriverRules, R6OverlapIs8OnV2And12OnV3) {
  for (const auto& [personality, right, wrong] :
       {std::tuple(Personality::kV2, 8, 12), std::tuple(Personality::kV3, 12, 8)}) {
    Rig rig(personality);
    ASSERT_EQ(rig.alloc(0), "");
    ASSERT_EQ(rig.map(0, 8192, 0), "");
    EXPECT_EQ(rig.map(4096, 4096, right), "");
    EXPECT_EQ(rig.map(4096, 4096, wrong), "code " + std::to_string(wrong) + " instead of " + std::to_string(right));
    EXPECT_EQ(rig.map(8192, 4096, 0), "") << "touching ranges stay distinct";
  }
}

TEST(DriverRules, F1F2FreeOfAMappedBlock) {
  Rig v3(Personality::kV3);
  ASSERT_EQ(v3.alloc(0), "");
  ASSERT_EQ(v3.map(0, 4096, 0), "");
  EXPECT_EQ(v3.call(Kind::kFree, 0, 13), "");
  EXPECT_EQ(v3.call(Kind::kFree, 0, 0), "code 0 instead of 13");
  Rig v2(Personality::kV2);
  ASSERT_EQ(v2.alloc(0), "");
  ASSERT_EQ(v2.map(0, 4096, 0), "");
  EXPECT_EQ(v2.call(Kind::kFree, 0, 13), "code 13 instead of 0");
}

TEST(DriverRules, U1RecordsDecideWhatUnregisterSaysOnV2) {
  Rig rig(Personality::kV2);
  ASSERT_EQ(rig.alloc(0), "");
  ASSERT_EQ(rig.map(0, 4096, 0), "");
  ASSERT_EQ(rig.call(Kind::kOpenDevice, 0, 0), "");
  EXPECT_EQ(rig.call(Kind::kUnregister, 0, 11), "") << "registered before the records were on";
  ASSERT_EQ(rig.map(4096, 4096, 0), "");
  EXPECT_THAT(rig.call(Kind::kUnregister, 4096, 0), HasSubstr("the driver holds")) << "but the mapping is still there";
}

TEST(DriverRules, MappingOrBlockThatVanishesOrAppearsIsSaid) {
  Rig rig(Personality::kV2);
  ASSERT_EQ(rig.alloc(0), "");
  ASSERT_EQ(rig.map(0, 4096, 0), "");
  rig.after.mapped.clear();
  EXPECT_THAT(rig.call(Kind::kOpenDevice, 0, 0), HasSubstr("instead of blocks 0x0+65536 ordinary, mapped 0x0+4096"));
  EXPECT_THAT(rig.alloc(4096), HasSubstr("lies over the block 0x0"));
}

TEST(DriverRules, R1FailedCallWritesNothing) {
  Rig rig(Personality::kV3);
  EXPECT_THAT(rig.rules->judge({.kind = Kind::kRegister, .size = 1, .flag = kDevSvmMapHost}, kStart,
                               {.code = 8, .result = 0, .bytes = {}}, rig.after),
              HasSubstr("out parameter"));
}

}  // namespace
}  // namespace svmsim
