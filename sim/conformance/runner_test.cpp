// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/runner.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/conformance/in_process_port.h"
#include "sim/driver/recording_backing.h"

namespace svmsim {
namespace {

constexpr AddressLayout kScriptLayout{DeviceAddr(0x12c000000000), Bytes(std::uint64_t{5} << 40)};

// One case of rule R6 with these steps.
ConformanceScript script_of(const std::string& steps, const std::string& head = "") {
  const auto script =
      parse_conformance_script("name = 's'\ndescription = 'd'\nsource = 'x'\npersonality = 'v2'\n" + head +
                                   "[[case]]\nrule = 'R6'\nname = 'TheCase'\nsteps = [" + steps + "]\n",
                               "s.toml");
  if (!script) {
    ADD_FAILURE() << script.error().message();
    return {};
  }
  return *script;
}

class RunScript : public testing::Test {
 protected:
  CaseOutcome run(const std::string& steps, const std::string& head = "") {
    InProcessPort port(platform_, kScriptLayout, backing_);
    const auto outcomes = run_script(script_of(steps, head), port);
    EXPECT_EQ(outcomes.size(), 1u);
    return outcomes.empty() ? CaseOutcome{} : outcomes.front();
  }

  Platform platform_;
  RecordingBacking backing_;
};

constexpr char kAlloc[] = "{ call = 'halMemAlloc', size = '8K', flag = 'ordinary', code = 0, as = 'a' },";

TEST_F(RunScript, CaseThatAgreesSaysSo) {
  const CaseOutcome outcome = run(std::string(kAlloc) + "{ call = 'halMemFree', pp = 'a', code = 0 }");
  EXPECT_EQ(outcome.verdict, CaseVerdict::kAgrees);
  EXPECT_EQ(outcome.message(), "R6 TheCase: agrees");
}

TEST_F(RunScript, WrongCodeIsReportedWithRuleStepExpectedAndSeen) {
  const CaseOutcome outcome = run(std::string(kAlloc) +
                                  "{ call = 'halHostRegister', src = 'a', size = '4K', code = 0 },"
                                  "{ call = 'halHostRegister', src = 'a', size = '8K', code = 12 },"
                                  "{ call = 'halMemFree', pp = 'null', code = 0 }");
  EXPECT_EQ(outcome.verdict, CaseVerdict::kDeviates);
  EXPECT_EQ(outcome.rule, "R6");
  EXPECT_EQ(outcome.name, "TheCase");
  EXPECT_EQ(outcome.step, 3u);
  EXPECT_EQ(outcome.call, "halHostRegister(a, 8K)");
  EXPECT_EQ(outcome.expected, "code 12 REPEATED_USERD");
  EXPECT_EQ(outcome.seen, "code 8 PARA_ERROR");
  EXPECT_EQ(outcome.message(),
            "R6 TheCase: step 3, halHostRegister(a, 8K): expected code 12 REPEATED_USERD, seen code 8 PARA_ERROR");
}

TEST_F(RunScript, EveryKindOfWrongExpectationIsADeviation) {
  const std::string alloc = kAlloc;
  const std::string with_device_pointer =
      "{ call = 'halSupportFeature', type = 11, value = true },"
      "{ call = 'halHostRegister', src = 'host', size = '4K', flag = '0', code = 0 },"
      "{ call = 'halMemHostGetDevPointer', src = 'host', code = 0, address = 'a' }";
  const char* rows[] = {
      "{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 0, address = 'a' }",
      "{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 0, differs = 'a+8K' }",
      "{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 6 }",
      "{ call = 'halMemFree', pp = 'a', code = 13 }",
      "{ call = 'halHostRegister', src = 'a', size = '4K', code = 0, host = 'a+4K' }",
      "{ call = 'halHostRegister', src = 'a', size = '4K', code = 0, differs = 'a' }",
      "{ call = 'halHostUnregister', src = 'a', code = 0 }",
      "{ call = 'halHostUnregisterEx', src = 'a', code = 0 }",
      "{ call = 'halSupportFeature', type = 11, value = false }",
      "{ call = 'halMemHostGetDevPointer', src = 'a', code = 0 }",
      with_device_pointer.c_str(),
      "{ call = 'halMemCtl', type = 2, mask = 2, code = 3 }",
      "{ call = 'halMemCtl', type = 2, mask = 2, code = 0, mask_out = 0 }",
      "{ call = 'dlsym', symbol = 'halMemHostGetDevPointer', value = false }",
      "{ call = 'reopen_device' }, { call = 'halMemFree', pp = 'a', code = 0 }",
  };
  for (const char* row : rows) EXPECT_EQ(run(alloc + row).verdict, CaseVerdict::kDeviates) << row;
}

TEST_F(RunScript, NullPlacesReachTheDriver) {
  EXPECT_EQ(run("{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', null_pp = true, code = 3 }").verdict,
            CaseVerdict::kAgrees);
  EXPECT_EQ(run("{ call = 'halHostRegister', src = 'host', size = '4K', null_dst = true, code = 3 }").verdict,
            CaseVerdict::kAgrees);
}

TEST_F(RunScript, GivenAddressThatDoesNotHoldMakesTheCaseNotApplicable) {
  const std::string alloc = kAlloc;
  const CaseOutcome outcome = run(alloc +
                                  "{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 0, given = 'a+4K' },"
                                  "{ call = 'halMemFree', pp = 'null', code = 0 }");
  EXPECT_EQ(outcome.verdict, CaseVerdict::kNotApplicable);
  EXPECT_EQ(outcome.step, 2u);
  EXPECT_EQ(outcome.message(),
            "R6 TheCase: step 2, halMemAlloc(4K, ordinary): not applicable: needs address 0x12c000001000 (a+4K), there "
            "is address 0x12c000002000");
  const std::string multiple = "{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 0, given_multiple_of = ";
  EXPECT_EQ(run(alloc + multiple + "'8K' }").verdict, CaseVerdict::kAgrees);
  EXPECT_EQ(run(alloc + multiple + "'16K' }").verdict, CaseVerdict::kNotApplicable);
}

TEST_F(RunScript, UnmetNeedMakesEveryCaseNotApplicable) {
  const std::string wrong = "{ call = 'halMemFree', pp = 'null', code = 0 }";
  const struct {
    const char* needs;
    const char* message;
  } rows[] = {
      {"host_page = 65536", "needs host_page 65536, there is 4096"},
      {"device_page = 65536", "needs device_page 65536, there is 4096"},
      {"host = 'vm_without_wc'", "needs host vm_without_wc, there is physical"},
      {"giant_page = false", "needs giant_page false, there is true"},
      {"fragmented = true", "needs fragmented true, there is false"},
  };
  for (const auto& row : rows) {
    const CaseOutcome outcome = run(wrong, "[needs]\n" + std::string(row.needs) + "\n");
    EXPECT_EQ(outcome.verdict, CaseVerdict::kNotApplicable);
    EXPECT_EQ(outcome.message(), "R6 TheCase: not applicable: " + std::string(row.message));
  }
  EXPECT_EQ(run(wrong, "[needs]\nhost_page = 4096\ngiant_page = true\n").verdict, CaseVerdict::kDeviates);
  platform_.personality = Personality::kV3;
  EXPECT_EQ(run(wrong).message(), "R6 TheCase: not applicable: needs personality v2, there is v3");
}

TEST_F(RunScript, CasesDoNotSeeEachOther) {
  const std::string steps =
      "steps = [{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 0, address = '0x12c000000000', as = 'a' "
      "},"
      "{ call = 'halHostRegister', src = 'a', size = '4K', code = 0 },"
      "{ call = 'halMemHostGetDevPointer', src = 'a', code = 65534 },"
      "{ call = 'halSupportFeature', type = 11, value = true }]\n";
  const auto script = parse_conformance_script(
      "name = 's'\ndescription = 'd'\nsource = 'x'\npersonality = 'v2'\n[[case]]\nrule = 'R1'\nname = 'A'\n" + steps +
          "[[case]]\nrule = 'R1'\nname = 'B'\n" + steps,
      "s.toml");
  ASSERT_TRUE(script) << script.error().message();
  InProcessPort port(platform_, kScriptLayout, backing_);
  for (const CaseOutcome& outcome : run_script(*script, port)) {
    EXPECT_EQ(outcome.verdict, CaseVerdict::kAgrees) << outcome.message();
  }
}

TEST_F(RunScript, PortLeavesNothingBehind) {
  run(std::string(kAlloc) + "{ call = 'halHostRegister', src = 'a', size = '4K', code = 0 }");
  EXPECT_EQ(backing_.mapped_bytes(), Bytes(0));
  EXPECT_EQ(backing_.populated_bytes(), Bytes(0));
}

// A library without one symbol that answers `code` to every call and does nothing, but that its register writes a null
// destination when it fails.
class OddPort final : public HalPort {
 public:
  explicit OddPort(std::int32_t code) : code_(code) {}
  [[nodiscard]] HalSurroundings surroundings() const override { return {}; }
  [[nodiscard]] bool has(HalSymbol symbol) override { return symbol != HalSymbol::kHostUnregisterEx; }
  void begin_case() override {}
  std::string reopen_device() override { return {}; }
  [[nodiscard]] std::uint64_t host_memory() override { return 0x7000; }
  [[nodiscard]] std::int32_t mem_alloc(std::uint64_t*, std::uint64_t, std::uint64_t) override { return code_; }
  [[nodiscard]] std::int32_t mem_free(std::uint64_t) override { return code_; }
  [[nodiscard]] std::int32_t host_register(std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t,
                                           std::uint64_t* host) override {
    if (code_ != 0) *host = 0;
    return code_;
  }
  [[nodiscard]] std::int32_t host_unregister(std::uint64_t, std::uint32_t) override { return code_; }
  [[nodiscard]] std::int32_t host_unregister_ex(std::uint64_t, std::uint32_t, std::uint32_t) override { return code_; }
  [[nodiscard]] bool support_feature(std::uint32_t, std::int32_t) override { return false; }
  [[nodiscard]] std::int32_t mem_host_get_dev_pointer(std::uint64_t, std::uint32_t, std::uint64_t*) override {
    return code_;
  }
  [[nodiscard]] std::int32_t mem_ctl(std::int32_t, const MemCtlFeatures*, MemCtlFeatures*) override { return code_; }

 private:
  std::int32_t code_;
};

TEST(RunScriptOnALibrary, DestinationWrittenByAFailureIsADeviation) {
  OddPort port(8);
  const auto outcomes =
      run_script(script_of("{ call = 'halHostRegister', src = 'host', size = '4K', code = 8 }"), port);
  EXPECT_EQ(outcomes.at(0).verdict, CaseVerdict::kDeviates);
  EXPECT_EQ(outcomes.at(0).expected, "an untouched destination");
  EXPECT_EQ(outcomes.at(0).seen, "address 0x0");
}

TEST(RunScriptOnALibrary, SuccessWithoutAnAddressIsADeviation) {
  OddPort port(0);
  const auto of_alloc =
      run_script(script_of("{ call = 'halMemAlloc', size = '4K', flag = 'ordinary', code = 0 }"), port);
  EXPECT_EQ(of_alloc.at(0).verdict, CaseVerdict::kDeviates);
  EXPECT_EQ(of_alloc.at(0).seen, "an untouched result");
  const auto of_register =
      run_script(script_of("{ call = 'halHostRegister', src = 'host', size = '4K', code = 0 }"), port);
  EXPECT_EQ(of_register.at(0).verdict, CaseVerdict::kDeviates);
  EXPECT_EQ(of_register.at(0).seen, "an untouched destination");
}

TEST(RunScriptOnALibrary, MissingSymbolMakesTheCaseNotApplicable) {
  OddPort port(8);
  const auto outcomes = run_script(script_of("{ call = 'halHostUnregisterEx', src = 'host', code = 38 }"), port);
  EXPECT_EQ(outcomes.at(0).message(),
            "R6 TheCase: step 1, halHostUnregisterEx(host): not applicable: needs halHostUnregisterEx, there is a "
            "library without it");
}

}  // namespace
}  // namespace svmsim
