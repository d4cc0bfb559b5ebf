// SPDX-License-Identifier: Apache-2.0
#include "onboard/driver_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/driver_functions.h"

namespace svmsim {
namespace {

using svmrt::DriverCode;
using svmrt::ErrorCode;

std::string path_of(const std::string& name) { return std::string(SVMSIM_FAKE_BOARD_DIR) + "/" + name; }

TEST(DriverLibrary, FunctionThatIsThereIsFound) {
  DriverLibrary library(path_of("whole_hal.so"));
  DriverFunction<svmrt::HalHostRegister> function(library, "halHostRegister");
  ASSERT_TRUE(function.get()) << function.get().error().message;
  EXPECT_NE(*function.get(), nullptr);
}

TEST(DriverLibrary, FunctionThatIsMissingIsNamedWithItsLibrary) {
  DriverLibrary library(path_of("hal_without_unregister.so"));
  EXPECT_TRUE(library.find("halHostRegister"));
  const auto found = library.find("halHostUnregister");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kLoad);
  EXPECT_EQ(found.error().driver_code, DriverCode::kSymbolMissing);
  EXPECT_EQ(found.error().message,
            "library '" + path_of("hal_without_unregister.so") + "' has no function 'halHostUnregister'");
}

struct DoesNotLoad : testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DoesNotLoad, WithTheLoadersReason) {
  const auto [name, reason] = GetParam();
  DriverLibrary library(path_of(name));
  for (const char* const symbol : {"halHostRegister", "halHostUnregister"}) {
    const auto found = library.find(symbol);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kLoad);
    EXPECT_EQ(found.error().driver_code, DriverCode::kLibraryNotLoaded);
    EXPECT_THAT(found.error().message, testing::StartsWith("library '" + path_of(name) + "' cannot be loaded: "));
    EXPECT_THAT(found.error().message, testing::HasSubstr(reason));
  }
}

INSTANTIATE_TEST_SUITE_P(All, DoesNotLoad,
                         testing::Values(std::pair("absent.so", "No such file"),
                                         std::pair("unloadable.so", "fakeFunctionThatNobodyHas"),
                                         std::pair("no_library.so", "too short")));

}  // namespace
}  // namespace svmsim
