// SPDX-License-Identifier: Apache-2.0
// The C layer of libascend_hal.so. The rules of the driver below it are tested in sim/driver/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/dropin/testing/program_run.h"

namespace svmsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string codes(const std::string& platform) {
  const ChildResult result = run_program("hal_codes", {}, {{"SVMSIM_PLATFORM", platform}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return result.output;
}

TEST(HalFunctions, AgentOpenTakesFlag0Only) {
  EXPECT_THAT(codes(small_v2()), HasSubstr("agent 0 0\nagent 1 65534\nagent device 65 0\nagent device 66 2\n"));
}

// Masks: PCIE_BAR_MEM 2, PCIE_BAR_HUGE_MEM 8, GIANT_PAGE 0x10.
TEST(HalFunctions, MemCtlNeedsBothBuffers) {
  EXPECT_THAT(codes(small_v2()), HasSubstr("ctl null in 3\nctl null out 3\nctl null size 3\nctl small in 3\n"
                                           "ctl small out 3\nctl untouched 99 15\n"
                                           "ctl 0\nctl mask 26 size 16\nctl type 3 65534\n"));
}

TEST(HalFunctions, RegisterCapabilitiesAreNotSupported) {
  EXPECT_THAT(codes(small_v2()), HasSubstr("capabilities 65534 99\n"));
}

// P2, R2, R1.
TEST(HalFunctions, NullOutPointersAnswerAsTheRulesSayAndNothingIsWrittenOnFailure) {
  EXPECT_THAT(codes(small_v2()), HasSubstr("alloc null 3\nalloc 0\nregister null 3\nregister null, type 7 65534\n"
                                           "register size 0 8\nregister untouched 1\n"));
  EXPECT_THAT(codes(small_v3()), HasSubstr("alloc null 3\nalloc 0\nregister null 3\nregister null, type 7 3\n"
                                           "register size 0 8\nregister untouched 1\n"));
}

// U5.
TEST(HalFunctions, DevicePointerOfAMappingIsNeverFound) {
  EXPECT_THAT(codes(small_v2()), HasSubstr("pointer before the feature call 65534\nfeature 11 1\npointer 11\n"
                                           "pointer to null 11\npointer null 8\npointer device 66 2\n"));
  EXPECT_THAT(codes(small_v3()), Not(HasSubstr("pointer")));
}

// U2, P5.
TEST(HalFunctions, UnregisterExAndFreeAnswerTheDriversCodes) {
  for (const std::string& platform : {small_v2(), small_v3()}) {
    EXPECT_THAT(codes(platform), HasSubstr("unregister ex 8\nunregister ex type 4 38\nunregister ex type 7 65534\n"
                                           "free interior 3\nfree 0\nfree again 3\nfree null 3\n"))
        << platform;
  }
}

}  // namespace
}  // namespace svmsim
