// SPDX-License-Identifier: Apache-2.0
// Every script of fixtures/conformance on the drop-in libascend_hal.so, each case in a process of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/conformance/in_process_port.h"
#include "sim/conformance/library_port.h"
#include "sim/conformance/runner.h"
#include "sim/conformance/testing/shipped_scripts.h"
#include "sim/driver/recording_backing.h"
#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

DeviceAddr first_block() { return slice_layout().first_slice(); }

// Where the process that the library is loaded into has no sanitizer, P1 holds to the letter.
TEST(DropInConformance, FirstBlockLiesWhereTheDriverPlacesItButInSanitizerBuilds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  EXPECT_NE(first_block().value(), kDriverFirstBlock);
#else
  EXPECT_EQ(first_block().value(), kDriverFirstBlock);
#endif
}

class DropInConformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A platform file with what the script needs, named to the library as a user would.
  LibrarySetup setup_for(const ConformanceScript& script) {
    const std::string path = folder_ + "/" + script.name + ".toml";
    std::ofstream(path) << platform_file_text(platform_for(script));
    LibrarySetup setup;
    setup.host_program = SVMSIM_CONFORMANCE_HOST;
    setup.library = SVMSIM_DROPIN_HAL;
    setup.environment = {{"SVMSIM_PLATFORM", path}};
    return setup;
  }

 private:
  const std::string folder_ = testing::TempDir() + "dropin_conformance_" + std::to_string(getpid());
};

TEST_P(DropInConformance, AgreesWithEveryCaseAndWithTheDriverInProcess) {
  const ConformanceScript script = shipped_script(GetParam());
  ASSERT_FALSE(script.cases.empty());
  const Platform platform = platform_for(script);

  LibraryPort library(setup_for(script), surroundings_of(platform, first_block().value()));
  const std::vector<CaseOutcome> outcomes = run_script(script, library);
  for (const CaseOutcome& outcome : outcomes) EXPECT_EQ(outcome.verdict, CaseVerdict::kAgrees) << outcome.message();

  RecordingBacking backing;
  InProcessPort driver(platform, {first_block(), slice_layout().slice}, backing);
  const std::vector<CaseOutcome> in_process = run_script(script, driver);
  ASSERT_EQ(outcomes.size(), in_process.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) EXPECT_EQ(outcomes[i].message(), in_process[i].message());
}

// The runner sees through the library, whatever its surroundings are said to be.
TEST_P(DropInConformance, IdentityPlatformInItsPlaceDeviates) {
  const ConformanceScript script = shipped_script(GetParam());
  LibrarySetup setup = setup_for(script);
  setup.environment = {{"SVMSIM_PLATFORM", "identity"}};
  LibraryPort library(setup, surroundings_of(platform_for(script), first_block().value()));
  std::size_t deviations = 0;
  for (const CaseOutcome& outcome : run_script(script, library)) {
    deviations += outcome.verdict == CaseVerdict::kDeviates ? 1 : 0;
  }
  EXPECT_GT(deviations, 0u);
}
INSTANTIATE_TEST_SUITE_P(All, DropInConformance, testing::ValuesIn(shipped_script_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace svmsim
