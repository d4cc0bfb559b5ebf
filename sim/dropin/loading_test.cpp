// SPDX-License-Identifier: Apache-2.0
// The ways in which programs come by the libraries and their functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/config/toml_text.h"
#include "sim/dropin/testing/program_run.h"
#include "sim/platform.h"
#include "sim/testing/temporary_folder.h"

namespace svmsim {
namespace {

using testing::HasSubstr;

TEST(Loading, LinkedProgramMapsAndAccessesABlockOfTheAclLayer) {
  const ChildResult result = run_program("linked");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output,
            "init 0\n"
            "set 0\n"
            "malloc 0\n"
            "register 0\n"
            "copy 0\n"
            "bytes hello\n"
            "identical 1\n"
            "unregister -1 11\n"  // U1: -1 arrives as 0xffffffff, which no record has
            "unregister 0\n"
            "free 0\n"
            "reset 0\n"
            "finalize 0\n"
            "time passed 1\n");
}

class LoadedLibrary : public testing::TestWithParam<const char*> {};

TEST_P(LoadedLibrary, StateSurvivesDlcloseAndDlopen) {
  const ChildResult result = run_program("loaded", {GetParam()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output,
            "alloc 0\n"
            "register 0\n"
            "close 0\n"
            "byte x\n"
            "register again 8\n"  // R6
            "unregister 0\n"
            "unregister again 8\n"  // U2, without records
            "free 0\n");
}

TEST_P(LoadedLibrary, StateOfAV3DriverSurvivesToo) {
  const ChildResult result = run_program("loaded", {GetParam()}, {{"SVMSIM_PLATFORM", small_v3()}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("register again 12\nunregister 0\nunregister again 8\nfree 0\n"));
}

INSTANTIATE_TEST_SUITE_P(Flags, LoadedLibrary, testing::Values("now", "local", "nodelete"),
                         [](const auto& test) { return std::string(test.param); });

// The shipped platforms have 64 GiB of memory, for which a thread-sanitizer build has no room.
TEST(ShippedPlatforms, DefaultIsAPlatformThatMaps) {
  const ChildResult result = run_program("loaded", {"now"}, {{"SVMSIM_PLATFORM", ""}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("register 0\n"));
}

TEST(ShippedPlatforms, V3IsSeenByNameToo) {
  const ChildResult result = run_program("weak", {}, {{"SVMSIM_PLATFORM", "a5"}});
  EXPECT_THAT(result.output, HasSubstr("halMemHostGetDevPointer 0 0\n"));
}

// Lines of program weak: name, seen by a weak reference, seen by dlsym.
constexpr const char* kAllPresent =
    "halMemHostGetDevPointer 1 1\n"
    "halHostUnregisterEx 1 1\n"
    "halSupportFeature 1 1\n"
    "halHostRegisterCapabilities 1 1\n"
    "halHostRegister 1 1\n";

TEST(AbsentSymbols, V2HasEveryFunction) { EXPECT_EQ(run_program("weak").output, kAllPresent); }

// U5.
TEST(AbsentSymbols, V3HasNoHalMemHostGetDevPointer) {
  EXPECT_EQ(run_program("weak", {}, {{"SVMSIM_PLATFORM", small_v3()}}).output,
            "halMemHostGetDevPointer 0 0\n"
            "halHostUnregisterEx 1 1\n"
            "halSupportFeature 1 1\n"
            "halHostRegisterCapabilities 1 1\n"
            "halHostRegister 1 1\n");
}

TEST(AbsentSymbols, OmittedFunctionsAreNullForWeakReferencesAndDlsym) {
  EXPECT_EQ(
      run_program("weak", {}, {{"SVMSIM_OMIT", "halHostUnregisterEx,halHostRegisterCapabilities,halSupportFeature"}})
          .output,
      "halMemHostGetDevPointer 1 1\n"
      "halHostUnregisterEx 0 0\n"
      "halSupportFeature 0 0\n"
      "halHostRegisterCapabilities 0 0\n"
      "halHostRegister 1 1\n");
}

// halHostRegister begins the names of others, and halHostUnregisterEx ends with what another lacks.
TEST(AbsentSymbols, NameIsOmittedAsAWhole) {
  EXPECT_THAT(run_program("weak", {}, {{"SVMSIM_OMIT", "halHostRegister"}}).output,
              testing::AllOf(HasSubstr("halHostRegisterCapabilities 1 1\n"), HasSubstr("halHostRegister 0 0\n")));
  EXPECT_THAT(run_program("weak", {}, {{"SVMSIM_OMIT", "halHostUnregister"}}).output, kAllPresent);
}

TEST(Version, DefaultIsAnswered) {
  EXPECT_EQ(run_program("version", {"6"}).output,
            "too small 8\n"
            "null text 3\n"
            "null length 3\n"
            "bad device 2\n"
            "untouched 77\n"
            "fits 0\n"
            "25.5.0 6\n");
}

TEST(Version, EnvironmentSetsIt) {
  EXPECT_THAT(run_program("version", {"8"}, {{"SVMSIM_VERSION", "24.1.rc3"}}).output, HasSubstr("too small 8\n"));
  EXPECT_THAT(run_program("version", {"8"}, {{"SVMSIM_VERSION", "24.1.rc3"}}).output, HasSubstr("24.1.rc3 8\n"));
}

TEST(AbsentSymbols, V3IsSeenInAnyFileThatTheSimulatorReadsAsV3) {
  std::string text = file_content(small_v3());
  std::replace(text.begin(), text.end(), '"', '\'');
  for (const char* name : {"platform.toml", "platform"}) {
    const std::string path = new_path(name);
    std::ofstream(path) << text;
    EXPECT_THAT(run_program("weak", {}, {{"SVMSIM_PLATFORM", path}}).output, HasSubstr("halMemHostGetDevPointer 0 0\n"))
        << name;
  }
}

class ExtendedPlatform : public testing::Test {
 protected:
  // Writes a platform with `keys`; its path.
  std::string platform(const std::string& name, const std::string& keys) const {
    const std::string path = folder_.file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "name = \"overlay\"\ndescription = \"personality = 'v2'\"\nhbm_mib = 1024\n" << keys;
    return path;
  }
  static std::string seen(const std::string& path) {
    const ChildResult result = run_program("weak", {}, {{"SVMSIM_PLATFORM", path}});
    return result.output.substr(0, result.output.find('\n'));
  }

  const TemporaryFolder folder_;
};

constexpr const char* kAbsent = "halMemHostGetDevPointer 0 0";
constexpr const char* kPresent = "halMemHostGetDevPointer 1 1";

TEST_F(ExtendedPlatform, IsV3WhenItsBaseIs) {
  EXPECT_EQ(seen(platform("name.toml", "extends = \"a5\"\n")), kAbsent);
  EXPECT_EQ(seen(platform("path.toml", "  extends='" + small_v3() + "'  # by path\n")), kAbsent);
  EXPECT_EQ(seen(platform("v2.toml", "extends = \"a2a3\"\n")), kPresent);
}

TEST_F(ExtendedPlatform, OwnPersonalityGoesBeforeThatOfTheBase) {
  EXPECT_EQ(seen(platform("v2.toml", "extends = \"a5\"\npersonality = \"v2\"\n")), kPresent);
  EXPECT_EQ(seen(platform("v3.toml", "extends = \"a2a3\"\npersonality = \"v3\"\n")), kAbsent);
}

TEST_F(ExtendedPlatform, RelativePathsCountFromTheFileThatHoldsThem) {
  platform("base.toml", "extends = \"a5\"\n");
  platform("below/middle.toml", "extends = \"../base.toml\"\n");
  EXPECT_EQ(seen(platform("top.toml", "extends = \"below/middle.toml\"\n")), kAbsent);
}

TEST_F(ExtendedPlatform, QuotedBytesOfAPathAreRead) {
  const std::string base = platform(
      "a \"\\\x7f"
      "b.toml",
      "extends = \"a5\"\n");
  EXPECT_EQ(seen(platform("top.toml", "extends = " + toml_quoted(base) + "\n")), kAbsent);
}

TEST_F(ExtendedPlatform, EightLevelsAreFollowed) {
  platform("p1.toml", "extends = \"a5\"\n");
  for (int i = 2; i <= 8; ++i) {
    platform("p" + std::to_string(i) + ".toml", "extends = \"p" + std::to_string(i - 1) + ".toml\"\n");
  }
  const std::string top = folder_.file("p8.toml");
  EXPECT_TRUE(load_platform(top, SVMSIM_FIXTURES_DIR)) << "what the libraries read is what the loader reads";
  EXPECT_EQ(seen(top), kAbsent);
}

TEST_F(ExtendedPlatform, CircleEnds) {
  const std::string path = platform("circle.toml", "extends = \"circle.toml\"\n");
  const ChildResult result = run_program("weak", {}, {{"SVMSIM_PLATFORM", path}});
  EXPECT_EQ(result.exit_code, 2) << "the loader's word";
  EXPECT_THAT(result.errors, HasSubstr("extends"));
}

}  // namespace
}  // namespace svmsim
