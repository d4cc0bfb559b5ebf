// SPDX-License-Identifier: Apache-2.0
// Wrong libraries: what the runner says of each, and that it goes on with the next case.
#include "sim/conformance/library_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/conformance/runner.h"
#include "sim/conformance/testing/shipped_scripts.h"

namespace svmsim {
namespace {

LibrarySetup setup_of(const std::string& library) {
  LibrarySetup setup;
  setup.host_program = SVMSIM_CONFORMANCE_HOST;
  setup.library = SVMSIM_FAKE_LIBRARIES_DIR "/" + library + ".so";
  return setup;
}

// Two cases: the first registers between two frees, the second only frees. Every fake but one answers 3 to a free.
std::vector<CaseOutcome> outcomes_of(const LibrarySetup& setup, const std::string& second_step) {
  const auto script = parse_conformance_script(
      "name = 's'\ndescription = 'd'\nsource = 'x'\npersonality = 'v2'\n"
      "[[case]]\nrule = 'R1'\nname = 'First'\nsteps = [{ call = 'halMemFree', pp = 'null', code = 3 }," +
          second_step +
          ", { call = 'halMemFree', pp = 'null', code = 3 }]\n"
          "[[case]]\nrule = 'P5'\nname = 'Second'\nsteps = [{ call = 'halMemFree', pp = 'null', code = 3 }]\n",
      "s.toml");
  if (!script) {
    ADD_FAILURE() << script.error().message();
    return {};
  }
  LibraryPort port(setup, HalSurroundings{});
  return run_script(*script, port);
}

constexpr char kRegister[] = "{ call = 'halHostRegister', src = 'host', size = '4K', code = 0 }";

TEST(LibraryPort, LibraryThatAnswersZeroToEverythingDeviatesInEveryScript) {
  for (const std::string& name : shipped_script_names()) {
    const ConformanceScript script = shipped_script(name);
    LibraryPort port(setup_of("agreeable"), surroundings_of(platform_for(script)));
    std::size_t deviations = 0;
    for (const CaseOutcome& outcome : run_script(script, port)) {
      deviations += outcome.verdict == CaseVerdict::kDeviates ? 1 : 0;
    }
    EXPECT_GT(deviations, 0u) << name;
  }
}

TEST(LibraryPort, CodeOfTheLibraryIsComparedWithTheScripts) {
  const auto outcomes = outcomes_of(setup_of("agreeable"), kRegister);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].message(),
            "P5 Second: step 1, halMemFree(null): expected code 3 INVALID_VALUE, seen code 0 NONE");
}

TEST(LibraryPort, CrashIsADeviationThatNamesTheSignalAndTheNextCaseRuns) {
  const auto outcomes = outcomes_of(setup_of("crashing"), kRegister);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].verdict, CaseVerdict::kDeviates);
  EXPECT_EQ(outcomes[0].message(),
            "R1 First: step 2, halHostRegister(host, 4K): expected an answer, seen a process that died of SIGSEGV");
  EXPECT_EQ(outcomes[1].message(), "P5 Second: agrees");
}

TEST(LibraryPort, ExitIsADeviationThatNamesTheCode) {
  const auto outcomes = outcomes_of(setup_of("quitting"), kRegister);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].message(),
            "R1 First: step 2, halHostRegister(host, 4K): expected an answer, seen a process that ended with exit "
            "code 7");
  EXPECT_EQ(outcomes[1].message(), "P5 Second: agrees");
}

// The guard is long enough for the calls before the one that hangs, also where the machine is busy.
TEST(LibraryPort, CallThatHangsIsADeviationAndTheNextCaseRuns) {
  LibrarySetup setup = setup_of("hanging");
  setup.guard = std::chrono::milliseconds(3000);
  const auto outcomes = outcomes_of(setup, kRegister);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].message(),
            "R1 First: step 2, halHostRegister(host, 4K): expected an answer, seen no answer within 3000 ms");
  EXPECT_EQ(outcomes[1].message(), "P5 Second: agrees");
}

TEST(LibraryPort, InterruptionEndsTheWaitAndTheCasesAfterIt) {
  LibrarySetup setup = setup_of("hanging");
  int asked = 0;
  // Not before the first case has begun.
  setup.interrupted = [&] { return ++asked > 10; };
  const auto outcomes = outcomes_of(setup, kRegister);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].seen, "an interruption");
  EXPECT_EQ(outcomes[1].message(), "P5 Second: expected a process with the driver, seen an interruption");
}

TEST(LibraryPort, SymbolThatTheLibraryLacksIsAbsent) {
  LibraryPort port(setup_of("crashing"), HalSurroundings{});
  port.begin_case();
  EXPECT_TRUE(port.has(HalSymbol::kMemFree));
  EXPECT_FALSE(port.has(HalSymbol::kHostUnregisterEx));
  EXPECT_EQ(port.failure(), "");
  const auto outcomes = outcomes_of(setup_of("crashing"), "{ call = 'halHostUnregisterEx', src = 'host', code = 38 }");
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].verdict, CaseVerdict::kNotApplicable);
  EXPECT_EQ(outcomes[1].verdict, CaseVerdict::kAgrees);
}

TEST(LibraryPort, LibraryThatDoesNotLoadFailsEveryCase) {
  for (const CaseOutcome& outcome : outcomes_of(setup_of("absent"), kRegister)) {
    EXPECT_EQ(outcome.verdict, CaseVerdict::kDeviates);
    EXPECT_EQ(outcome.step, 0u);
    EXPECT_THAT(outcome.seen, testing::StartsWith("a library that cannot be loaded: "));
    EXPECT_THAT(outcome.seen, testing::HasSubstr("absent.so"));
  }
}

TEST(LibraryPort, DeviceThatDoesNotOpenFailsEveryCase) {
  for (const CaseOutcome& outcome : outcomes_of(setup_of("closed_device"), kRegister)) {
    EXPECT_EQ(outcome.verdict, CaseVerdict::kDeviates);
    EXPECT_EQ(outcome.seen, "halMemAgentOpen(0, 0) with code 1");
  }
}

TEST(LibraryPort, OnlyALibraryThatIsNotThereOrFindsNoDeviceIsAbsent) {
  for (const std::string library : {"absent", "closed_device"}) {
    LibraryPort port(setup_of(library), HalSurroundings{});
    port.begin_case();
    EXPECT_TRUE(port.absent()) << library;
  }
  LibraryPort port(setup_of("crashing"), HalSurroundings{});
  port.begin_case();
  EXPECT_FALSE(port.absent());
  EXPECT_EQ(port.library_path(), SVMSIM_FAKE_LIBRARIES_DIR "/crashing.so");
  std::uint64_t host = 0;
  static_cast<void>(port.host_register(0, 4096, 2, 0, &host));
  EXPECT_NE(port.failure(), "");
  EXPECT_FALSE(port.absent());
}

TEST(LibraryPort, HostProgramThatIsNotThereFailsEveryCase) {
  LibrarySetup setup = setup_of("crashing");
  setup.host_program = "/absent/conformance_host";
  for (const CaseOutcome& outcome : outcomes_of(setup, kRegister)) {
    EXPECT_EQ(outcome.verdict, CaseVerdict::kDeviates);
    EXPECT_EQ(outcome.seen, "no process: /absent/conformance_host: No such file or directory");
  }
}

TEST(LibraryPort, ReopenWithoutAnAclRuntimeBesideTheLibraryDoesNotApply) {
  const auto outcomes = outcomes_of(setup_of("crashing"), "{ call = 'reopen_device' }");
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].step, 2u);
  EXPECT_EQ(outcomes[0].verdict, CaseVerdict::kNotApplicable);
  EXPECT_EQ(outcomes[0].expected, "an ACL runtime beside the library");
  EXPECT_THAT(outcomes[0].seen, testing::StartsWith("one that cannot be loaded: "));
  EXPECT_EQ(outcomes[1].verdict, CaseVerdict::kAgrees);
}

TEST(LibraryPort, HostMemoryIsAlignedToTheLargestHostPage) {
  LibraryPort port(setup_of("crashing"), HalSurroundings{});
  port.begin_case();
  const std::uint64_t memory = port.host_memory();
  EXPECT_NE(memory, 0u);
  EXPECT_EQ(memory % 65536, 0u);
}

TEST(LibraryPort, LibraryThatClosesItsSideAndLivesOnIsNotCalledDead) {
  LibrarySetup setup = setup_of("breaking_off");
  setup.guard = std::chrono::milliseconds(100);
  const auto outcomes = outcomes_of(setup, kRegister);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].verdict, CaseVerdict::kDeviates);
  EXPECT_THAT(outcomes[0].message(), testing::HasSubstr("broke off the conversation and went on"));
  EXPECT_EQ(outcomes[1].verdict, CaseVerdict::kAgrees);
}

}  // namespace
}  // namespace svmsim
