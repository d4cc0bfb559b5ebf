// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace svmsim {
namespace {

using testing::HasSubstr;

constexpr char kHead[] =
    "name = 's'\ndescription = 'd'\nsource = 'hicann/driver ef377e9'\npersonality = 'v2'\n"
    "[[case]]\nrule = 'R1'\nname = 'C'\n";

ConfigResult<ConformanceScript> parse_steps(const std::string& steps) {
  return parse_conformance_script(kHead + ("steps = [\n" + steps + "\n]"), "s.toml");
}

ConfigError error_of(const std::string& steps) {
  const auto script = parse_steps(steps);
  return script ? ConfigError{} : script.error();
}

TEST(ConformanceScriptFile, HeaderNeedsAndCasesAreRead) {
  const auto script = parse_conformance_script(R"(
name = "n"
description = "d"
source = "hicann/driver ef377e9"
personality = "v3"
[needs]
host_page = 65536
host = "vm_without_wc"
fragmented = true
[[case]]
rule = "F2a"
name = "One"
steps = [{ call = "reopen_device" }]
[[case]]
rule = "F2"
name = "One"
steps = [{ call = "reopen_device" }, { call = "reopen_device" }]
)",
                                               "n.toml");
  ASSERT_TRUE(script) << script.error().message();
  EXPECT_EQ(script->name, "n");
  EXPECT_EQ(script->personality, Personality::kV3);
  EXPECT_EQ(script->needs.host_page, 65536u);
  EXPECT_EQ(script->needs.device_page, std::nullopt);
  EXPECT_EQ(script->needs.host, HostKind::kVmWithoutWc);
  EXPECT_EQ(script->needs.giant_page, std::nullopt);
  EXPECT_EQ(script->needs.fragmented, true);
  ASSERT_EQ(script->cases.size(), 2u);
  EXPECT_EQ(script->cases[0].rule, "F2a");
  EXPECT_EQ(script->cases[1].steps.size(), 2u);
}

TEST(ConformanceScriptFile, StepsKeepTheirArgumentsAndDefaults) {
  const auto script = parse_steps(R"(
  { call = "halMemAlloc", size = "4K+1", flag = "huge", code = 0, given = "0x1000", as = "a" },
  { call = "halHostRegister", src = "a+4K", size = "8K", code = 0, host = "a+4K", as = "h" },
  { call = "halHostUnregisterEx", src = "h", devid = 0xffffffff, flag = "7", code = 65534 },
  { call = "halMemCtl", type = 2, mask = 10, code = 0, mask_out = 8 },
  { call = "halHostRegister", src = "host", size = "1", flag = "0", code = 0, differs = "a+1" },
  { call = "halMemHostGetDevPointer", src = "host", code = 0, address = "h+2" },)");
  ASSERT_TRUE(script) << script.error().message();
  const auto& steps = script->cases[0].steps;
  const auto& alloc = std::get<AllocStep>(steps[0]);
  EXPECT_EQ(alloc.size.offset, 4097u);
  EXPECT_EQ(alloc.flag.value, 0x2100000000924400u);
  EXPECT_EQ(alloc.given->offset, 0x1000u);
  EXPECT_FALSE(alloc.address);
  EXPECT_FALSE(alloc.null_result);
  EXPECT_EQ(alloc.as, "a");
  const auto& registration = std::get<RegisterStep>(steps[1]);
  EXPECT_EQ(registration.source.variable, "a");
  EXPECT_EQ(registration.source.offset, 4096u);
  EXPECT_EQ(registration.flag.value, 2u);
  EXPECT_EQ(registration.device_id, 0u);
  EXPECT_EQ(registration.host->offset, 4096u);
  const auto& unregistration = std::get<UnregisterExStep>(steps[2]);
  EXPECT_EQ(unregistration.source.variable, "h");
  EXPECT_EQ(unregistration.device_id, 0xffffffffu);
  EXPECT_EQ(unregistration.flag.value, 7u);
  EXPECT_EQ(unregistration.code, 65534);
  const auto& control = std::get<MemCtlStep>(steps[3]);
  EXPECT_EQ(control.mask, 10u);
  EXPECT_EQ(control.mask_out, 8u);
  EXPECT_EQ(std::get<RegisterStep>(steps[4]).differs->offset, 1u);
  EXPECT_EQ(std::get<DevPointerStep>(steps[5]).address->offset, 2u);
}

TEST(ConformanceScriptFile, UnknownVariableNamesTheKeyAndTheKnownOnes) {
  const ConfigError error = error_of(R"(  { call = "halMemAlloc", size = "4K", flag = "huge", code = 0, as = "a" },
  { call = "halMemFree", pp = "b+4K", code = 0 },)");
  EXPECT_EQ(error.key, "case[0].steps[1].pp");
  EXPECT_EQ(error.line, 10u);
  EXPECT_THAT(error.value, HasSubstr("b+4K"));
  EXPECT_THAT(error.allowed, HasSubstr("a, first_block, host, null"));
}

TEST(ConformanceScriptFile, VariableOfAnotherCaseOrALaterStepIsUnknown) {
  EXPECT_EQ(error_of(R"(  { call = "halMemFree", pp = "a", code = 3 },
  { call = "halMemAlloc", size = "4K", flag = "huge", code = 0, as = "a" },)")
                .key,
            "case[0].steps[0].pp");
  const auto script = parse_conformance_script(
      std::string(kHead) +
          "steps = [{ call = 'halMemAlloc', size = '1', flag = 'huge', code = 0, as = 'a' }]\n"
          "[[case]]\nrule = 'R1'\nname = 'D'\nsteps = [{ call = 'halMemFree', pp = 'a', code = 0 }]\n",
      "s.toml");
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().key, "case[1].steps[0].pp");
}

TEST(ConformanceScriptFile, UnknownCallNamesTheKeyAndTheKnownOnes) {
  const ConfigError error = error_of(R"(  { call = "halMemcpy", code = 0 })");
  EXPECT_EQ(error.key, "case[0].steps[0].call");
  EXPECT_THAT(error.value, HasSubstr("halMemcpy"));
  EXPECT_THAT(error.allowed, HasSubstr("halHostUnregisterEx"));
}

TEST(ConformanceScriptFile, WrongStepsAreRefusedByKey) {
  const struct {
    const char* step;
    const char* key;
  } rows[] = {
      {R"({ call = "halMemFree", pp = "null" })", "code"},
      {R"({ call = "halMemFree", pp = "null", code = 65536 })", "code"},
      {R"({ call = "halMemFree", pp = "null", code = 3, size = "4K" })", "size"},
      {R"({ call = "halMemFree", pp = "a b", code = 3 })", "pp"},
      {R"({ call = "halMemAlloc", size = "4k", flag = "huge", code = 0 })", "size"},
      {R"({ call = "halMemAlloc", size = "null+1", flag = "huge", code = 0 })", "size"},
      {R"({ call = "halMemAlloc", size = "4K", flag = "Huge", code = 0 })", "flag"},
      {R"({ call = "halMemAlloc", size = "4K", flag = "huge", code = 3, as = "a" })", "as"},
      {R"({ call = "halMemAlloc", size = "4K", flag = "huge", code = 0, as = "A" })", "as"},
      {R"({ call = "halMemAlloc", size = "4K", flag = "huge", code = 0, as = "host" })", "as"},
      {R"({ call = "halMemAlloc", size = "4K", flag = "huge", code = 3, given = "null" })", "given"},
      {R"({ call = "halMemAlloc", size = "4K", flag = "huge", code = 0, given_multiple_of = "0" })",
       "given_multiple_of"},
      {R"({ call = "halHostRegister", src = "host", size = "4K", flag = "huge", code = 0 })", "flag"},
      {R"({ call = "halHostRegister", src = "host", size = "4K", code = 8, host = "host" })", "host"},
      {R"({ call = "halHostRegister", src = "host", size = "4K", code = 8, differs = "host" })", "differs"},
      {R"({ call = "halMemHostGetDevPointer", src = "host", code = 11, address = "host" })", "address"},
      {R"({ call = "halMemCtl", type = 2, code = 3, mask_out = 0 })", "mask_out"},
      {R"({ call = "dlsym", symbol = "halMemAlloc", value = true })", "symbol"},
      {R"({ call = "halSupportFeature", type = 11 })", "value"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(error_of(row.step).key, std::string("case[0].steps[0].") + row.key) << row.step;
}

TEST(ConformanceScriptFile, WrongCasesAreRefusedByKey) {
  const std::string step = "steps = [{ call = 'reopen_device' }]\n";
  const auto key_of = [&](const std::string& cases) {
    const auto script =
        parse_conformance_script("name = 's'\ndescription = 'd'\nsource = 'x'\npersonality = 'v2'\n" + cases, "s.toml");
    return script ? "" : script.error().key;
  };
  EXPECT_EQ(key_of("[[case]]\nrule = 'R1'\nname = 'C'\n" + step), "");
  EXPECT_EQ(key_of(""), "case");
  EXPECT_EQ(key_of("[[case]]\nrule = 'R1'\nname = 'C'\nsteps = []\n"), "case[0].steps");
  for (const char* rule : {"X1", "R", "R1A", "F2ab", "r1"}) {
    EXPECT_EQ(key_of("[[case]]\nrule = '" + std::string(rule) + "'\nname = 'C'\n" + step), "case[0].rule") << rule;
  }
  const std::string one = "[[case]]\nrule = 'R1'\nname = 'C'\n" + step;
  EXPECT_EQ(key_of(one + one), "case[1].name");
  EXPECT_EQ(key_of("[needs]\nhost_pages = 4096\n" + one), "needs.host_pages");
  EXPECT_EQ(key_of("[needs]\nhost_page = 8192\n" + one), "needs.host_page");
}

TEST(ConformanceScriptFile, MissingFileIsNamed) {
  const auto script = load_conformance_script("/nowhere/x.toml");
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().file, "/nowhere/x.toml");
}

TEST(ConformanceScriptFile, MessageOfAnUnknownVariableIsShort) {
  std::string steps;
  for (int i = 0; i < 1000; ++i) {
    steps += "{ call = 'halMemAlloc', size = '4K', flag = 'huge', code = 0, as = 'v" + std::to_string(i) + "' },\n";
  }
  const ConfigError error = error_of(steps + "{ call = 'halMemFree', pp = 'w', code = 0 }");
  EXPECT_EQ(error.key, "case[0].steps[1000].pp");
  EXPECT_LT(error.message().size(), 1000U);
}

}  // namespace
}  // namespace svmsim
