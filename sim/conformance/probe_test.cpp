// SPDX-License-Identifier: Apache-2.0
// What is found out about simulated machines, and which keys make a platform like one. Expected values are those of
// the rules R1 to R8, U1 and U5.
#include "sim/conformance/probe.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/conformance/probe_fit.h"

namespace svmsim {
namespace {

AddressLayout probed_layout() { return {DeviceAddr(kDriverFirstBlock), Bytes(std::uint64_t{1} << 40)}; }

Platform machine(Personality personality, std::uint64_t host_page, std::uint64_t device_page) {
  Platform platform;
  platform.name = "machine";
  platform.personality = personality;
  platform.host_page = Bytes(host_page);
  platform.device_page = Bytes(device_page);
  return platform;
}

std::vector<Finding> found_of(const Platform& platform, HostPageSource source = HostPageSource::kAnswers) {
  return probe_in_process(platform, probed_layout(), source);
}

std::string value_of(const std::vector<Finding>& findings, const std::string& name) {
  return finding_of(findings, name).value.value_or("not found");
}

struct ProbedMachine {
  std::string name;
  Platform platform;
  std::map<std::string, std::string> found;
};

class Probe : public ::testing::TestWithParam<ProbedMachine> {};

TEST_P(Probe, FindsWhatTheRulesSay) {
  const auto findings = found_of(GetParam().platform);
  for (const auto& [name, value] : GetParam().found) EXPECT_EQ(value_of(findings, name), value) << name;
  for (const Finding& one : findings) EXPECT_FALSE(one.how.empty()) << one.name;
}

std::vector<ProbedMachine> probed_machines() {
  const std::string no_support = "refused with 65534 NOT_SUPPORT";
  const std::string bad_parameter = "refused with 8 PARA_ERROR";
  ProbedMachine v2{"v2",
                   machine(Personality::kV2, 4096, 4096),
                   {{"driver", "v2"},
                    {"host_page", "4096"},
                    {"device_page", "4096"},
                    {"support_bar_mem", "1"},
                    {"support_bar_huge_mem", "1"},
                    {"write_combine", "yes"},
                    {"ordinary_pages", "mapped"},
                    {"huge_pages", "mapped"},
                    {"host_address", "the device's"},
                    {"unaligned_register", bad_parameter},
                    {"second_register", bad_parameter},
                    {"records", "yes"},
                    {"device_pointer", "there"}}};
  ProbedMachine v2_64k{"v2_64k",
                       machine(Personality::kV2, 65536, 4096),
                       {{"host_page", "65536"},
                        {"device_page", "4096"},
                        {"support_bar_mem", "0"},
                        {"support_bar_huge_mem", "1"},
                        {"write_combine", "yes"},
                        {"ordinary_pages", no_support},
                        {"huge_pages", "mapped"}}};
  ProbedMachine v2_64k_device = v2_64k;
  v2_64k_device.name = "v2_64k_device";
  v2_64k_device.platform = machine(Personality::kV2, 4096, 65536);
  v2_64k_device.found["host_page"] = "4096";
  v2_64k_device.found["device_page"] = "65536";
  ProbedMachine v2_both_64k = v2;
  v2_both_64k.name = "v2_both_64k";
  v2_both_64k.platform = machine(Personality::kV2, 65536, 65536);
  v2_both_64k.found["host_page"] = v2_both_64k.found["device_page"] = "65536";
  ProbedMachine v2_vm{"v2_vm",
                      v2.platform,
                      {{"support_bar_mem", "0"},
                       {"support_bar_huge_mem", "0"},
                       {"write_combine", "no"},
                       {"ordinary_pages", no_support},
                       {"huge_pages", no_support},
                       {"device_page", "not found"},
                       {"host_address", "not found"},
                       {"unaligned_register", "not found"}}};
  v2_vm.platform.host = HostKind::kVmWithoutWc;
  ProbedMachine v3{"v3", machine(Personality::kV3, 4096, 4096), v2.found};
  v3.found["driver"] = "v3";
  v3.found["second_register"] = "refused with 12 REPEATED_USERD";
  v3.found["records"] = "no";
  v3.found["device_pointer"] = "absent";
  ProbedMachine v3_vm = v3;
  v3_vm.name = "v3_vm";
  v3_vm.platform.host = HostKind::kVmWithoutWc;
  v3_vm.found["support_bar_mem"] = v3_vm.found["support_bar_huge_mem"] = "0";
  v3_vm.found["write_combine"] = "no";  // and yet a register succeeds (R7)
  ProbedMachine v3_64k = v3;
  v3_64k.name = "v3_64k";
  v3_64k.platform.host_page = Bytes(65536);
  v3_64k.found["host_page"] = "65536";
  v3_64k.found["device_page"] = "not found";
  v3_64k.found["support_bar_mem"] = "0";
  ProbedMachine v3_fragmented = v3_64k;
  v3_fragmented.name = "v3_fragmented";
  v3_fragmented.platform.fragmented = true;
  v3_fragmented.found["ordinary_pages"] = bad_parameter;
  ProbedMachine elsewhere = v2;
  elsewhere.name = "elsewhere";
  elsewhere.platform.non_identity = true;
  elsewhere.found["host_address"] = "another";
  ProbedMachine lenient = v2;
  lenient.name = "lenient";
  lenient.platform.lenient = true;
  lenient.found["unaligned_register"] = lenient.found["second_register"] = "accepted";
  lenient.found["host_page"] = lenient.found["device_page"] = "not found";
  return {v2, v2_64k, v2_64k_device, v2_both_64k, v2_vm, v3, v3_vm, v3_64k, v3_fragmented, elsewhere, lenient};
}
INSTANTIATE_TEST_SUITE_P(Machines, Probe, ::testing::ValuesIn(probed_machines()),
                         [](const auto& test) { return test.param.name; });

TEST(ProbeSources, SystemPageGoesBeforeAnswers) {
  Platform platform = machine(Personality::kV2, 65536, 4096);
  platform.lenient = true;
  const auto findings = found_of(platform, HostPageSource::kSystem);
  EXPECT_EQ(value_of(findings, "host_page"), "65536");
  EXPECT_EQ(finding_of(findings, "host_page").how, "sysconf");
}

TEST(BarSupportInLog, LastLineCounts) {
  const auto support = bar_support_in_log(
      "[1] svm: support_bar_mem=1 support_bar_huge_mem=0\nother\n[2] svm: support_bar_mem=0 support_bar_huge_mem=1\n");
  ASSERT_TRUE(support.has_value());
  EXPECT_FALSE(support->ordinary);
  EXPECT_TRUE(support->huge);
}

TEST(BarSupportInLog, LinesThatDoNotSayBothAreNone) {
  for (const char* const log :
       {"", "support_bar_mem=", "support_bar_mem=1", "support_bar_huge_mem=1",
        "support_bar_mem=2 support_bar_huge_mem=1", "support_bar_mem=1 support_bar_huge_mem="}) {
    EXPECT_FALSE(bar_support_in_log(log).has_value()) << log;
  }
}

TEST(ProbeFit, OnlyFindingsThatAreComparedAndFoundDiffer) {
  const auto simulated = found_of(machine(Personality::kV2, 4096, 4096));
  auto seen = simulated;
  EXPECT_TRUE(differences(seen, simulated).empty());
  for (Finding& one : seen) {
    if (one.name == "records") one.value = "no";
    if (one.name == "host_address") one.value.reset();
    if (one.name == "giant_pages") one.value = "no";
  }
  const auto different = differences(seen, simulated);
  ASSERT_EQ(different.size(), 1U);
  EXPECT_EQ(different[0].name, "records");
  EXPECT_EQ(different[0].seen, "no");
  EXPECT_EQ(different[0].simulated, "yes");
}

TEST(ProbeFit, DriverAndPagesAreNeeded) {
  auto seen = found_of(machine(Personality::kV2, 4096, 4096));
  EXPECT_TRUE(missing_findings(seen).empty());
  for (Finding& one : seen) {
    if (one.name != "huge_pages") one.value.reset();
  }
  EXPECT_EQ(missing_findings(seen), (std::vector<std::string>{"driver", "ordinary_pages"}));
}

std::string changes_text(const ProbeOverlay& overlay) {
  std::string text;
  for (const PlatformChange& change : overlay.changes) text += change.key + "=" + change.value + " ";
  return text;
}

TEST(ProbeOverlay, KeysMakeTheBaseLikeTheMachine) {
  const Platform base = machine(Personality::kV2, 4096, 4096);
  const auto overlay_of = [&](const Platform& platform) {
    return find_probe_overlay(base, found_of(platform), probed_layout(), HostPageSource::kAnswers);
  };
  EXPECT_EQ(changes_text(overlay_of(base)), "");
  EXPECT_EQ(changes_text(overlay_of(machine(Personality::kV2, 65536, 65536))), "host_page=65536 device_page=65536 ");
  Platform fragmented = machine(Personality::kV3, 65536, 4096);
  fragmented.fragmented = true;
  const ProbeOverlay overlay = overlay_of(fragmented);
  EXPECT_EQ(changes_text(overlay), "host_page=65536 personality=\"v3\" fragmented=true ");
  EXPECT_TRUE(overlay.unexplained.empty());
}

TEST(ProbeOverlay, WhatNoKeySaysIsLeft) {
  const Platform base = machine(Personality::kV2, 4096, 4096);
  Platform elsewhere = base;
  elsewhere.non_identity = true;
  auto seen = found_of(elsewhere);
  for (Finding& one : seen) {
    if (one.name == "second_register") one.value = "refused with 13 BUSY";
  }
  const ProbeOverlay overlay = find_probe_overlay(base, seen, probed_layout(), HostPageSource::kAnswers);
  EXPECT_EQ(changes_text(overlay), "non_identity=true ");
  ASSERT_EQ(overlay.unexplained.size(), 1U);
  EXPECT_EQ(overlay.unexplained[0].name, "second_register");
}

}  // namespace
}  // namespace svmsim
