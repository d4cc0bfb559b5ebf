// SPDX-License-Identifier: Apache-2.0
// Properties with GoogleTest's own expectations: a body is run over many scenarios, an EXPECT_ or ASSERT_ that fails
// inside counts like any failure, the scenario is shrunk, and the test gets one failure that says all.
//
//   TEST(Reads, GiveWhatWasWritten) {
//     expect_for_scenarios([](std::uint64_t i) { return draw_scenario(platforms(), {}, 1, i); },
//                          [](const Scenario& scenario) { EXPECT_EQ(…, …); });
//   }
//
// For tests only. Thread-bound; expectations in other threads of a body are not noticed.
#pragma once

#include <functional>

#include "property_tests/campaign.h"

namespace svmsim {

// A judge out of a body: the scenario fails (property "expectation") when an expectation in the body does, or when it
// throws.
[[nodiscard]] Judge judge_by_expectations(std::function<void(const Scenario&)> body);

// Runs the body over the cases. By default in child processes, so that what it leaves in memory is lost, and a crash
// is shrunk as well.
void expect_for_scenarios(const Drawer& draw, const std::function<void(const Scenario&)>& body,
                          const CampaignOptions& options = {});

}  // namespace svmsim
