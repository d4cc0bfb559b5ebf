// SPDX-License-Identifier: Apache-2.0
// The table of functions against the libraries, and the judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuzz/abi_bytes.h"
#include "fuzz/abi_caller.h"
#include "fuzz/abi_codes.h"
#include "fuzz/abi_judge.h"
#include "fuzz/abi_run.h"

namespace svmsim {
namespace {

using testing::UnorderedElementsAreArray;

std::set<std::string> exported_by(const std::string& library) {
  const std::string command = std::string("nm -D --defined-only ") + SVMSIM_DROPIN_DIR + "/lib" + library + ".so";
  const auto close = [](std::FILE* stream) { pclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> lines(popen(command.c_str(), "r"), close);
  EXPECT_NE(lines, nullptr);
  std::set<std::string> names;
  char address[64];
  char type = 0;
  std::array<char, 256> name{};
  while (std::fscanf(lines.get(), "%63s %c %255s", address, &type, name.data()) == 3) names.emplace(name.data());
  return names;
}

std::vector<std::string> functions_of_the_target() {
  return {std::begin(kAbiFunctionNames), std::end(kAbiFunctionNames)};
}

TEST(AbiFunctions, AreAllThatTheLibrariesExport) {
  std::set<std::string> exported;
  for (const char* const library : {"ascend_hal", "ascendcl", "drvdsmi_host"}) {
    const std::set<std::string> names = exported_by(library);
    EXPECT_FALSE(names.empty()) << library;
    exported.insert(names.begin(), names.end());
  }
  EXPECT_THAT(functions_of_the_target(), UnorderedElementsAreArray(exported));
}

TEST(AbiFunctions, EachHasAnEntryOfCodes) {
  std::vector<std::string> listed;
  for (const AllowedCodes& one : allowed_codes()) {
    listed.emplace_back(one.function);
    EXPECT_FALSE(one.v2.empty()) << one.function;
  }
  EXPECT_THAT(listed, UnorderedElementsAreArray(functions_of_the_target()));
}

TEST(AbiCodes, V2AndV3DifferWhereTheRulesDo) {
  EXPECT_TRUE(may_return("halMemFree", Personality::kV2, 17));
  EXPECT_FALSE(may_return("halMemFree", Personality::kV3, 17));
  EXPECT_TRUE(may_return("halHostRegister", Personality::kV3, 12));
  EXPECT_FALSE(may_return("halHostRegister", Personality::kV2, 12));
  EXPECT_FALSE(may_return("halMemHostGetDevPointer", Personality::kV3, 0));
  EXPECT_FALSE(may_return("nothing", Personality::kV2, 0));
}

TEST(AbiOut, TellsThatItWasWrittenOrAByteBesideIt) {
  for (const std::size_t behind : {std::size_t{0}, sizeof(std::uint32_t)}) {
    AbiOut<std::uint32_t> out(OutPlace::kOdd);
    EXPECT_TRUE(out.usable());
    EXPECT_TRUE(out.untouched());
    reinterpret_cast<char*>(out.pointer())[behind] = 7;
    EXPECT_FALSE(out.untouched());
  }
  EXPECT_FALSE(AbiOut<std::uint32_t>(OutPlace::kHalfClosed).usable());
}

TEST(AbiCallerDeathTest, SaysWhatIsWrongAndTheCalls) {
  run_abi({});  // there is a machine
  const Platform platform;
  AbiBooks books;
  const AbiWorld world{platform, 0, false};
  AbiCaller caller("thread 1", world, books);
  caller.call({AbiFunction::halMemFree, false, {}});
  EXPECT_DEATH(caller.fail("a test"), "halMemFree\\(0x0\\) -> 3");
  // The books know of a block, the driver does not.
  books.add({HandleKind::kBlock, 0x1000, 1});
  books.block_allocated(0x1000, 1);
  EXPECT_DEATH(caller.call({AbiFunction::halMemFree, false, {}}), "P5");
}

TEST(AbiRun, OrdinaryLifeOnEveryPlatformOfOneThreadAndTwo) {
  for (std::uint8_t platform = 0; platform < 7; ++platform) {
    for (const AbiThreads threads : {AbiThreads::kOne, AbiThreads::kTwoByTurns, AbiThreads::kTwoAtOnce}) {
      AbiInput input;
      input.platform = platform;
      input.threads = threads;
      for (const AbiFunction function :
           {AbiFunction::aclInit, AbiFunction::aclrtSetDevice, AbiFunction::halMemAlloc, AbiFunction::halHostRegister,
            AbiFunction::aclrtMemcpy, AbiFunction::halHostUnregister, AbiFunction::halMemFree}) {
        input.calls.push_back({function, input.calls.size() % 2 == 1, {}});
      }
      run_abi(input);
    }
  }
}

}  // namespace
}  // namespace svmsim
