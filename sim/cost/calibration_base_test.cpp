// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_base.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/cost/calibration_text.h"
#include "sim/cost/points_file.h"

namespace svmsim {
namespace {

FittedCalibration fitted_to(const std::string& text) {
  return fit_calibration(*parse_points(text, "points.csv")).value();
}

// Every parameter another, so that none can be taken for its neighbour.
Calibration base() {
  Calibration base;
  base.name = "the-base";
  base.map_measured = true;
  CostParameters& p = base.parameters;
  std::uint64_t next = 1'000'001;
  for (Picoseconds* value :
       {&p.register_to_host.call, &p.register_to_host.allocation_page, &p.register_to_host.host_page,
        &p.unregister_from_host.call, &p.unregister_from_host.allocation_page, &p.unregister_from_host.host_page,
        &p.copy_from_device.latency, &p.copy_from_device.mib, &p.copy_to_device.latency, &p.copy_to_device.mib,
        &p.set_memory.latency, &p.set_memory.mib, &p.allocate, &p.free, &p.view_load, &p.view_store, &p.launch}) {
    *value = Picoseconds(next++);
  }
  return base;
}

constexpr const char* kLoads = "kind,accesses,median\nload,256,256\nload,4096,4096\n";

TEST(WithBase, DeterminedTermsKeepTheirFitAndAllOthersAreTheBases) {
  const FittedCalibration result = with_base(fitted_to(kLoads), base());
  CostParameters expected = base().parameters;
  expected.view_load = Picoseconds(1'000'000);
  EXPECT_EQ(result.calibration.parameters, expected);
  EXPECT_TRUE(result.calibration.map_measured);
  ASSERT_EQ(result.terms.size(), 17u);
  std::uint64_t next = 1'000'001;
  for (const TermReport& term : result.terms) {
    const bool fitted = term.name == "view_load";
    EXPECT_EQ(term.value, Picoseconds(fitted ? 1'000'000 : next)) << term.name;
    EXPECT_EQ(term.determined, fitted) << term.name;
    EXPECT_EQ(term.reason, fitted ? "" : "no point measures it; as in calibration the-base") << term.name;
    ++next;
  }
}

TEST(WithBase, WrittenFileCallsThemAssumptions) {
  const Calibration named = named_calibration(with_base(fitted_to(kLoads), base()), "mine");
  bool found = false;
  for (const Assumption& assumption : named.assumptions) {
    EXPECT_NE(assumption.parameter, "view_load");
    if (assumption.parameter != "launch") continue;
    found = true;
    EXPECT_EQ(assumption.text, "launch is 1000017 ps: no point measures it; as in calibration the-base.");
  }
  EXPECT_TRUE(found);
}

TEST(WithBase, StandInsOfTheFitGiveWayAndResidualsAreOfTheResult) {
  // One size each way: neither latency nor bandwidth can be told.
  const FittedCalibration result = with_base(fitted_to("kind,bytes,median\nd2h,1048576,4\nh2d,1048576,4\n"), base());
  EXPECT_EQ(result.calibration.parameters, base().parameters);
  ASSERT_EQ(result.calibration.copy_points.size(), 2u);
  // 1.000007 + 1.000008 us of 4.
  EXPECT_EQ(result.calibration.copy_points[0].call.residual_percent, -50.0);
  for (const TermReport& term : result.terms) {
    EXPECT_EQ(term.reason.find("fitted to both"), std::string::npos) << term.reason;
    EXPECT_EQ(term.reason.find("as copy_from_device"), std::string::npos) << term.reason;
    EXPECT_EQ(term.uncertainty, Picoseconds(0)) << term.name;
  }
}

TEST(WithBase, MappingIsNotTakenFromAnotherDriverNorUnmeasuredFromOtherPages) {
  Calibration of_v3 = base();
  of_v3.personality = Personality::kV3;
  Calibration unmeasured = base();
  unmeasured.map_measured = false;
  Calibration other_pages = base();
  other_pages.host_page = Bytes(65536);
  for (const Calibration& other : {of_v3, unmeasured, other_pages}) {
    const FittedCalibration result = with_base(fitted_to(kLoads), other);
    EXPECT_FALSE(result.calibration.map_measured);
    EXPECT_EQ(result.calibration.parameters.register_to_host, MapTerms{});
    EXPECT_EQ(result.terms[0].reason, "no point measures it");
    EXPECT_EQ(result.calibration.parameters.launch, base().parameters.launch);
  }
  // Points of mapping say where they are from, and what they leave open is an assumption like any other.
  const FittedCalibration mapped =
      with_base(fitted_to("kind,bytes,page_kind,pages,register_median,unregister_median\nmap,4096,ordinary,1,2,4\n"),
                other_pages);
  EXPECT_EQ(mapped.calibration.parameters.register_to_host, base().parameters.register_to_host);
  EXPECT_TRUE(mapped.calibration.map_measured);
}

}  // namespace
}  // namespace svmsim
