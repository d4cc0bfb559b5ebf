// SPDX-License-Identifier: Apache-2.0
// The simulated driver of another platform stands for a board that was taken for a `base`.
#include "sim/conformance/overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/conformance/testing/shipped_scripts.h"

namespace svmsim {

void PrintTo(const PlatformChange& change, std::ostream* stream) { *stream << change.key << " = " << change.value; }

namespace {

constexpr AddressLayout kBoardLayout{svmrt::DeviceAddr(kDriverFirstBlock), svmrt::Bytes(std::uint64_t{1} << 40)};

ConformanceReport seen_of(const Platform& board, const Platform& base) {
  return run_scripts_in_process(shipped_scripts(), board, kBoardLayout, surroundings_of(base));
}

Overlay overlay_of(const Platform& board, const Platform& base) {
  return find_overlay(base, shipped_scripts(), seen_of(board, base), kBoardLayout);
}

auto is(const std::string& key, const std::string& value) {
  return testing::AllOf(testing::Field(&PlatformChange::key, key), testing::Field(&PlatformChange::value, value));
}

TEST(Overlay, BoardThatIsTheBaseNeedsNoKey) {
  const Overlay overlay = overlay_of({}, {});
  EXPECT_THAT(overlay.changes, testing::IsEmpty());
  EXPECT_THAT(overlay.unexplained, testing::IsEmpty());
}

TEST(Overlay, OneOtherKeyIsFound) {
  Platform board;
  board.host_page = svmrt::Bytes(65536);
  EXPECT_THAT(overlay_of(board, {}).changes, testing::ElementsAre(is("host_page", "65536")));
  EXPECT_THAT(overlay_of({}, board).changes, testing::ElementsAre(is("host_page", "4096")));
  EXPECT_THAT(overlay_of(board, {}).unexplained, testing::IsEmpty());
  board = {};
  board.host = HostKind::kVmWithoutWc;
  EXPECT_THAT(overlay_of(board, {}).changes, testing::ElementsAre(is("host", "\"vm_without_wc\"")));
  board = {};
  board.lenient = true;
  EXPECT_THAT(overlay_of(board, {}).changes, testing::ElementsAre(is("lenient", "true")));
  board = {};
  board.non_identity = true;
  EXPECT_THAT(overlay_of(board, {}).changes, testing::ElementsAre(is("non_identity", "true")));
  EXPECT_THAT(overlay_of(board, {}).unexplained, testing::IsEmpty());
  board = {};
  board.personality = Personality::kV3;
  EXPECT_THAT(overlay_of(board, {}).changes, testing::ElementsAre(is("personality", "\"v3\"")));
  EXPECT_THAT(overlay_of({}, board).changes, testing::ElementsAre(is("personality", "\"v2\"")));
}

TEST(Overlay, SeveralKeysAreFound) {
  Platform board;
  board.lenient = true;
  board.reuse = AddressReuse::kLifo;
  const Overlay overlay = overlay_of(board, {});
  EXPECT_THAT(overlay.changes, testing::UnorderedElementsAre(is("lenient", "true"), is("reuse", "\"lifo\"")));
  EXPECT_THAT(overlay.unexplained, testing::IsEmpty());
}

TEST(Overlay, FragmentedBoardOfV3IsFound) {
  Platform base;
  base.personality = Personality::kV3;
  base.host_page = svmrt::Bytes(65536);
  Platform board = base;
  board.fragmented = true;
  EXPECT_THAT(overlay_of(board, base).changes, testing::ElementsAre(is("fragmented", "true")));
}

TEST(Overlay, AnswersThatNoKeyGivesAreLeftOver) {
  const Platform base;
  ConformanceReport seen = seen_of(base, base);
  for (ScriptReport& script : seen.scripts) {
    if (script.script != "v2_register") continue;
    CaseOutcome& outcome = script.cases.front();
    outcome.verdict = CaseVerdict::kDeviates;
    outcome.step = 1;
    outcome.expected = "an answer";
    outcome.seen = "a process that died of SIGSEGV";
  }
  const Overlay overlay = find_overlay(base, shipped_scripts(), seen, kBoardLayout);
  EXPECT_THAT(overlay.changes, testing::IsEmpty());
  ASSERT_EQ(overlay.unexplained.size(), 1U);
  EXPECT_EQ(overlay.unexplained[0].script, "v2_register");
  EXPECT_EQ(overlay.unexplained[0].seen.seen, "a process that died of SIGSEGV");
  EXPECT_EQ(overlay.unexplained[0].simulated.verdict, CaseVerdict::kAgrees);
}

TEST(Overlay, CasesThatDidNotApplyToTheDriverSayNothing) {
  Platform board;
  board.lenient = true;
  ConformanceReport seen = seen_of(board, {});
  for (ScriptReport& script : seen.scripts) {
    for (CaseOutcome& outcome : script.cases) outcome.verdict = CaseVerdict::kNotApplicable;
  }
  const Overlay overlay = find_overlay({}, shipped_scripts(), seen, kBoardLayout);
  EXPECT_THAT(overlay.changes, testing::IsEmpty());
  EXPECT_THAT(overlay.unexplained, testing::IsEmpty());
}

}  // namespace
}  // namespace svmsim
