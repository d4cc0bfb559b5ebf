// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace svmsim {
namespace {

using svmrt::DriverCode;

constexpr DriverCode kCode = DriverCode::kIoctlFail;

// "1" where a call fails, "." where the driver is asked.
std::string fate(FaultInjector& injector, const std::vector<CallKind>& calls) {
  std::string text;
  for (const CallKind kind : calls) {
    text += injector.next_call(kind, std::nullopt) == DriverCode::kNone ? '.' : '1';
  }
  return text;
}

std::string fate(const Fault& fault, const std::vector<CallKind>& calls) {
  FaultInjector injector(FaultPlan{"", "", 1, {fault}});
  return fate(injector, calls);
}

std::vector<CallKind> copies(std::size_t count) { return {count, CallKind::kCopyToDevice}; }

Fault fault_on(std::optional<CallKind> call, FaultRepeat repeat = FaultRepeat::kEach) {
  Fault fault;
  fault.call = call;
  fault.repeat = repeat;
  fault.code = kCode;
  return fault;
}

constexpr CallKind A = CallKind::kAllocate;
constexpr CallKind F = CallKind::kFree;
constexpr CallKind R = CallKind::kRegister;
const std::vector<CallKind> kMixed = {A, F, A, R, A, F, A, R};

TEST(FaultInjector, WithoutAConditionEveryCallOfTheKindFails) {
  EXPECT_EQ(fate(fault_on(A), kMixed), "1.1.1.1.");
  EXPECT_EQ(fate(fault_on(std::nullopt), kMixed), "11111111");
}

TEST(FaultInjector, FailNextHitsTheNextCallOfItsKindOnce) {
  FaultInjector injector(FaultPlan{});
  injector.fail_next(F, kCode);
  EXPECT_EQ(fate(injector, kMixed), ".1......");
  EXPECT_EQ(injector.failed_calls(), 1u);
}

TEST(FaultInjector, FailNextQueuesInOrderAndComesBeforeThePlan) {
  FaultInjector injector(FaultPlan{"", "", 1, {fault_on(A)}});
  injector.fail_next(A, DriverCode::kBusy);
  injector.fail_next(A, DriverCode::kNotSupport);
  EXPECT_EQ(injector.next_call(A, std::nullopt), DriverCode::kBusy);
  EXPECT_EQ(injector.next_call(R, std::nullopt), DriverCode::kNone);
  EXPECT_EQ(injector.next_call(A, std::nullopt), DriverCode::kNotSupport);
  EXPECT_EQ(injector.next_call(A, std::nullopt), kCode);
  EXPECT_EQ(injector.hits(), std::vector<std::uint64_t>{3}) << "the plan counts what it would have hit";
}

TEST(FaultInjector, CallThatFailNextHitCountsForTheIndicesOfThePlan) {
  Fault third = fault_on(A);
  third.index = 2;
  FaultInjector injector(FaultPlan{"", "", 1, {third}});
  injector.fail_next(A, kCode);
  EXPECT_EQ(fate(injector, {A, A, A, A}), "1.1.");
  EXPECT_EQ(injector.failed_calls(), 2u);
}

TEST(FaultInjectorDeathTest, FailNextWithSuccessEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  FaultInjector injector(FaultPlan{});
  EXPECT_EXIT(injector.fail_next(A, DriverCode::kNone), testing::KilledBySignal(SIGABRT), "");
}

TEST(FaultInjector, AnIndexCountsTheCallsOfItsKindAndWithoutAKindAllCalls) {
  Fault fault = fault_on(A);
  fault.index = 2;
  EXPECT_EQ(fate(fault, kMixed), "....1...");
  fault.call = std::nullopt;
  EXPECT_EQ(fate(fault, kMixed), "..1.....");
  fault.index = 7;
  EXPECT_EQ(fate(fault, kMixed), ".......1");
  fault.index = 8;
  EXPECT_EQ(fate(fault, kMixed), "........");
}

TEST(FaultInjector, OnceFailsTheFirstCallOnly) { EXPECT_EQ(fate(fault_on(F, FaultRepeat::kOnce), kMixed), ".1......"); }

TEST(FaultInjector, StickyFailsEveryCallOfItsKindFromTheFirstHitOn) {
  Fault fault = fault_on(A, FaultRepeat::kSticky);
  fault.index = 1;
  EXPECT_EQ(fate(fault, kMixed), "..1.1.1.");
  fault.call = std::nullopt;
  fault.index = 3;
  EXPECT_EQ(fate(fault, kMixed), "...11111");
}

TEST(FaultInjector, AnAddressRangeHoldsItsFirstByteAndNotItsEnd) {
  Fault fault = fault_on(std::nullopt);
  fault.range = FaultRange{4096, 32};
  FaultInjector injector(FaultPlan{"", "", 1, {fault}});
  EXPECT_EQ(injector.next_call(F, 4095), DriverCode::kNone);
  EXPECT_EQ(injector.next_call(F, 4096), kCode);
  EXPECT_EQ(injector.next_call(F, 4127), kCode);
  EXPECT_EQ(injector.next_call(F, 4128), DriverCode::kNone);
  EXPECT_EQ(injector.next_call(A, std::nullopt), DriverCode::kNone);
}

TEST(FaultInjector, ConditionsCombine) {
  Fault fault = fault_on(F);
  fault.range = FaultRange{0, 32};
  fault.index = 1;
  FaultInjector injector(FaultPlan{"", "", 1, {fault}});
  EXPECT_EQ(injector.next_call(F, 0), DriverCode::kNone);   // another index
  EXPECT_EQ(injector.next_call(F, 32), DriverCode::kNone);  // another address
  EXPECT_EQ(injector.next_call(F, 0), DriverCode::kNone);   // another index again: calls elsewhere count too

  FaultInjector both(FaultPlan{"", "", 1, {fault}});
  EXPECT_EQ(both.next_call(F, 0), DriverCode::kNone);
  EXPECT_EQ(both.next_call(F, 31), kCode);
}

TEST(FaultInjector, StickyWithAnAddressStaysInItsRange) {
  Fault fault = fault_on(F, FaultRepeat::kSticky);
  fault.range = FaultRange{0, 32};
  fault.index = 0;
  FaultInjector injector(FaultPlan{"", "", 1, {fault}});
  EXPECT_EQ(injector.next_call(F, 0), kCode);
  EXPECT_EQ(injector.next_call(F, 32), DriverCode::kNone);
  EXPECT_EQ(injector.next_call(F, 8), kCode);
}

TEST(FaultInjector, AMillionInAMillionIsEveryCall) {
  Fault fault = fault_on(CallKind::kCopyToDevice);
  fault.per_million = 1'000'000;
  EXPECT_EQ(fate(fault, copies(20)), std::string(20, '1'));
}

// 100,000 draws at one in a thousand: 100 expected, and 60 to 140 is four standard deviations on either side.
TEST(FaultInjector, OneInAThousandHitsAboutAHundredOfAHundredThousandCalls) {
  Fault fault = fault_on(CallKind::kCopyToDevice);
  fault.per_million = 1'000;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    FaultInjector injector(FaultPlan{"", "", seed, {fault}});
    fate(injector, copies(100'000));
    EXPECT_GT(injector.failed_calls(), 60U);
    EXPECT_LT(injector.failed_calls(), 140U);
  }
}

TEST(FaultInjector, TheSeedSelectsWhichCallsFailAndTheSameSeedTheSameOnes) {
  Fault fault = fault_on(CallKind::kCopyToDevice);
  fault.per_million = 500'000;
  const auto with_seed = [&](std::uint64_t seed) {
    FaultInjector injector(FaultPlan{"", "", seed, {fault}});
    return fate(injector, copies(64));
  };
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
  EXPECT_NE(with_seed(0), with_seed(1));
}

TEST(FaultInjector, FaultsDrawFromStreamsOfTheirOwn) {
  Fault fault = fault_on(CallKind::kCopyToDevice);
  fault.per_million = 500'000;
  const std::string alone = fate(fault, copies(64));
  Fault other = fault;
  other.code = DriverCode::kBusy;
  FaultInjector both(FaultPlan{"", "", 1, {fault, other}});
  std::string first;
  std::string second;
  for (int i = 0; i < 64; ++i) {
    const auto hits_before = both.hits();
    (void)both.next_call(CallKind::kCopyToDevice, std::nullopt);
    const auto hits = both.hits();
    first += hits[0] > hits_before[0] ? '1' : '.';
    second += hits[1] > hits_before[1] ? '1' : '.';
  }
  EXPECT_EQ(first, alone);
  EXPECT_NE(second, alone);
}

TEST(FaultInjector, CallsThatMissAnotherConditionDrawNothing) {
  Fault fault = fault_on(F);
  fault.per_million = 500'000;
  std::vector<CallKind> frees(32, F);
  const std::string alone = fate(fault, frees);
  FaultInjector injector(FaultPlan{"", "", 1, {fault}});
  std::string with_others;
  for (int i = 0; i < 32; ++i) {
    (void)injector.next_call(A, std::nullopt);
    with_others += injector.next_call(F, std::nullopt) == DriverCode::kNone ? '.' : '1';
  }
  EXPECT_EQ(with_others, alone);
}

TEST(FaultInjector, TheFirstFaultThatHitsGivesTheCodeAndEveryOneCountsTheCall) {
  Fault second = fault_on(A);
  second.code = DriverCode::kOutOfMemory;
  Fault once = fault_on(std::nullopt, FaultRepeat::kOnce);
  once.code = DriverCode::kBusy;
  FaultInjector injector(FaultPlan{"", "", 1, {once, second}});
  EXPECT_EQ(injector.next_call(A, std::nullopt), DriverCode::kBusy);
  EXPECT_EQ(injector.next_call(A, std::nullopt), DriverCode::kOutOfMemory);
  EXPECT_EQ(injector.next_call(F, std::nullopt), DriverCode::kNone);
  EXPECT_EQ(injector.failed_calls(), 2U);
  EXPECT_THAT(injector.hits(), testing::ElementsAre(1, 2));
}

TEST(FaultInjector, CallsOfAnotherIndexDrawNothing) {
  Fault first = fault_on(F);
  first.per_million = 500'000;
  first.index = 0;
  Fault later = first;
  later.index = 5;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    FaultInjector one(FaultPlan{"", "", seed, {first}});
    FaultInjector other(FaultPlan{"", "", seed, {later}});
    fate(one, std::vector<CallKind>(6, F));
    fate(other, std::vector<CallKind>(6, F));
    EXPECT_EQ(one.failed_calls(), other.failed_calls()) << seed;
  }
}

}  // namespace
}  // namespace svmsim
