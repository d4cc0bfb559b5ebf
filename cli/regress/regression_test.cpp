// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/regression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/regress/baseline.h"
#include "cli/regress/regress_output.h"
#include "cli/testing/scratch_folder.h"
#include "sim/output/json_parse.h"
#include "sim/output/output_file.h"

namespace svmsim {
namespace {

using svmrt::Picoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Observation observation() {
  return {0,
          "",
          "00000000000000aa",
          "00000000000000bb",
          {{"totals.map_calls", 2}, {"per_round[0].devcopy", 0}},
          {{"bind", Picoseconds(1'000'000)}, {"map", Picoseconds(400)}}};
}

TEST(Regression, EqualObservationsDoNotDiffer) { EXPECT_THAT(differences(observation(), observation()), IsEmpty()); }

TEST(Regression, EachDigestCountAndEndIsCompared) {
  Observation seen = observation();
  seen.status = 17;
  seen.error = "run failed with code 17: a copy";
  seen.result_digest = "00000000000000ac";
  seen.outputs_digest = "00000000000000bd";
  seen.counts = {{"totals.map_calls", 1}, {"per_round[1].devcopy", 5}};
  EXPECT_THAT(differences(observation(), seen),
              ElementsAre(Mismatch{"status", "0", "run failed with code 17: a copy"},
                          Mismatch{"result_digest", "00000000000000aa", "00000000000000ac"},
                          Mismatch{"outputs_digest", "00000000000000bb", "00000000000000bd"},
                          Mismatch{"totals.map_calls", "2", "1"}, Mismatch{"per_round[0].devcopy", "0", "none"},
                          Mismatch{"per_round[1].devcopy", "none", "5"}));
}

TEST(Regression, PhaseMayTakeAsMuchLongerAsIsTolerated) {
  Observation seen = observation();
  seen.times[0].second = Picoseconds(1'250'000);
  EXPECT_THAT(baseline_differences(observation(), seen, 25), IsEmpty());
  seen.times[0].second = Picoseconds(1'250'001);
  EXPECT_THAT(baseline_differences(observation(), seen, 25),
              ElementsAre(Mismatch{"bind us", "at most 1.250", "1.250"}));
  seen.times[0].second = Picoseconds(900'000);
  seen.counts[0].second = 3;
  EXPECT_THAT(baseline_differences(observation(), seen, 0), ElementsAre(Mismatch{"totals.map_calls", "2", "3"}));
}

// 2^64 - 1 ps are 213 days; nothing wraps.
TEST(Regression, PhaseOfAnyLengthMayTakeLonger) {
  Observation before = observation();
  Observation seen = observation();
  seen.times[0].second = Picoseconds(UINT64_MAX);
  for (const std::uint64_t time : {UINT64_MAX, UINT64_MAX - 9'999, UINT64_MAX / 101 + 1}) {
    before.times[0].second = Picoseconds(time);
    EXPECT_THAT(baseline_differences(before, seen, 10'000), IsEmpty()) << time;
  }
  before.times[0].second = Picoseconds(UINT64_MAX / 102);
  EXPECT_EQ(baseline_differences(before, seen, 10'000).size(), 1u);
}

TEST(Regression, PhasesWithCopiesOfNothingAreNotComparable) {
  const std::vector<Phase> all = phases(observation(), observation(), true);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].comparable);
  const std::vector<Phase> some = phases(observation(), observation(), false);
  EXPECT_FALSE(some[0].comparable) << "a bind uploads";
  EXPECT_TRUE(some[1].comparable) << "a map copies nothing";
}

TEST(Regression, RatioHasThreePlaces) {
  RegressReport report;
  report.asked = 1;
  SceneRegression& scene = report.scenes.emplace_back();
  scene.scene = "one";
  scene.seen = observation();
  scene.phases = {{"bind", Picoseconds(3), Picoseconds(2), true}, {"map", Picoseconds(0), Picoseconds(9), true}};
  const Json json = Json::parse(document_text(regress_json(report)));
  EXPECT_EQ(json["scenes"][0]["phases"][0]["ratio"], 0.667);
  EXPECT_TRUE(json["scenes"][0]["phases"][1]["ratio"].is_null()) << "nothing to divide by";
  EXPECT_EQ(json["passes"], true);
}

TEST(RegressReport, NothingButEverySceneAsItShouldBePasses) {
  RegressReport good;
  good.asked = 1;
  good.scenes.emplace_back();
  EXPECT_TRUE(good.passes());
  RegressReport report = good;
  report.updated = true;
  EXPECT_FALSE(report.passes());
  report = good;
  report.asked = 2;
  EXPECT_FALSE(report.passes());
  report = good;
  report.scenes[0].failure = "hung";
  EXPECT_FALSE(report.passes());
  report = good;
  report.scenes[0].differences = {{"a", "1", "2"}};
  EXPECT_FALSE(report.passes());
  report = good;
  report.scenes[0].baseline_differences = {{"a", "1", "2"}};
  EXPECT_FALSE(report.passes());
}

class BaselineFile : public testing::Test {
 protected:
  void write(const std::string& text) {
    auto file = OutputFile::create(path_);
    ASSERT_TRUE(file);
    (*file)->write(text);
    ASSERT_TRUE((*file)->finish());
  }
  // The message of what was written, as read for a run of `setup`.
  [[nodiscard]] std::string mistake(const BaselineSetup& setup) const {
    const auto read = read_baseline(path_, setup);
    return read ? "" : read.error().message;
  }

  ScratchFolder folder_;
  const std::string path_ = folder_ / "baseline.json";
  const BaselineSetup setup_{"a2a3", "cached", 3, 1};
};

TEST_F(BaselineFile, IsReadAsItWasWritten) {
  Observation failed = observation();
  failed.status = -4;
  failed.error = "a fatal";
  write(baseline_text({setup_, true, {{"one", observation()}, {"two", failed}}}));
  const auto read = read_baseline(path_, setup_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->simulated_clock);
  ASSERT_EQ(read->scenes.size(), 2u);
  EXPECT_EQ(read->scenes.at("one"), observation());
  EXPECT_EQ(read->scenes.at("two"), failed);
}

TEST_F(BaselineFile, OfAnotherRunIsRefused) {
  write(baseline_text({setup_, false, {}}));
  const auto with = [&](auto change) {
    BaselineSetup other = setup_;
    change(other);
    return mistake(other);
  };
  EXPECT_EQ(mistake(setup_), "");
  EXPECT_THAT(with([](auto& setup) { setup.platform = "a5"; }), HasSubstr("platform: found \"a2a3\"; allowed: \"a5\""));
  EXPECT_THAT(with([](auto& setup) { setup.policy = "rebuild"; }), HasSubstr("policy: found \"cached\""));
  EXPECT_THAT(with([](auto& setup) { setup.rounds = 4; }), HasSubstr("rounds: found 3; allowed: 4"));
  EXPECT_THAT(with([](auto& setup) { setup.seed = 2; }), HasSubstr("seed: found 1; allowed: 2"));
}

TEST_F(BaselineFile, MistakeNamesFileAndKey) {
  EXPECT_THAT(mistake(setup_), HasSubstr(path_ + ": found no such file"));
  write("[]");
  EXPECT_THAT(mistake(setup_), HasSubstr(path_));
  std::string text = baseline_text({setup_, false, {{"one", observation()}}});
  text.replace(text.find("\"totals.map_calls\": 2"), 21, "\"totals.map_calls\": -2");
  write(text);
  EXPECT_THAT(mistake(setup_), HasSubstr("scenes.one.counts.totals.map_calls: found -2; allowed: an integer from 0"));
}

}  // namespace
}  // namespace svmsim
