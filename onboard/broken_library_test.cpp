// SPDX-License-Identifier: Apache-2.0
// The runtime on boards whose libraries lack something, refuse, answer in unusual ways, or lose the device half-way:
// what is said, that nothing stays behind, and that the bytes are right all the same.
#include <gmock/gmock.h>

#include <cstring>

#include "onboard/testing/board_fixture.h"
#include "runtime/device_runner.h"
#include "runtime/tensor_access.h"

namespace svmsim {
namespace {

using svmrt::AccessStatus;
using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DeviceRunner;
using svmrt::DriverCode;
using svmrt::ErrorCode;
using svmrt::kRunnerTimeline;
using svmrt::LogLevel;

constexpr Bytes kWord{8};
constexpr Bytes kBlock{4096};

class BrokenLibrary : public BoardFixture {
 protected:
  // A run that uploads two words, reads the second and writes the first through a claim.
  struct RunOutcome {
    AccessStatus read = AccessStatus::kUnavailable;
    AccessStatus write = AccessStatus::kUnavailable;
    std::uint64_t value = 0;
    std::uint64_t copies = 0;
  };
  static RunOutcome run(DeviceRunner& runner, DeviceAddr base) {
    auto opened = runner.open_run();
    EXPECT_TRUE(opened);
    if (!opened) return {};
    const svmrt::HostApi& api = (*opened)->api();
    const std::uint64_t words[] = {1, 77};
    EXPECT_EQ(api.copy_to_device(api.context, base.value(), words, sizeof words), 0);
    svmrt::TensorAccess access(&api);
    EXPECT_TRUE(access.claim_child_memory(base, kBlock));
    RunOutcome outcome;
    outcome.read = access.read(base + kWord, &outcome.value, kWord).status;
    const std::uint64_t written = 99;
    outcome.write = access.write(base, &written, kWord).status;
    outcome.copies = access.stats().device_copies;
    return outcome;
  }
  // Two runs and a free on a board that maps nothing: they read and write by copies.
  void expect_copies_instead(DeviceRunner& runner) {
    const DeviceAddr base = runner.device_malloc(kBlock).value();
    for (int i = 0; i < 2; ++i) {
      const RunOutcome outcome = run(runner, base);
      EXPECT_EQ(outcome.read, AccessStatus::kOk);
      EXPECT_EQ(outcome.value, 77u);
      EXPECT_EQ(outcome.write, AccessStatus::kOk);
      EXPECT_EQ(outcome.copies, 2u);
      std::uint64_t first = 0;
      std::memcpy(&first, board_.device_bytes(base.value()), sizeof first);
      EXPECT_EQ(first, 99u);
    }
    EXPECT_EQ(runner.held().count, 0u);
    EXPECT_TRUE(runner.free_tensor(base));
    EXPECT_TRUE(runner.quarantined().empty());
  }
  [[nodiscard]] svmrt::RunnerConfig runner_config() {
    svmrt::RunnerConfig config;
    config.log = log_.sink();
    return config;
  }
};

struct Lacking {
  const char* hal;
  const char* reason;
  DriverCode code;
};
class HalThatLacks : public BrokenLibrary, public testing::WithParamInterface<Lacking> {};

// A mapping that could not be dropped is not made either: without halHostUnregister nothing is registered.
TEST_P(HalThatLacks, NothingIsRegisteredAndBothSidesSayWhyOnce) {
  const Lacking lacking = GetParam();
  {
    const auto driver = make(with_hal(lacking.hal));
    DeviceRunner runner(*driver, runner_config());
    expect_copies_instead(runner);
    EXPECT_EQ(runner.failures().register_to_host, 2u) << "another failure than a refusal is tried in each run";
    EXPECT_EQ(runner.failures().total(), 2u);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(driver->register_to_host(kRunnerTimeline, DeviceAddr(4096), kBlock).code, lacking.code);
    }
  }
  EXPECT_EQ(board_.count("halHostRegister"), 0u);
  expect_nothing_left();
  EXPECT_EQ(errors("halHostRegister is not called: library '" + library(lacking.hal) + "' " + lacking.reason), 1);
  EXPECT_EQ(errors("driver call register_to_host failed with " + svmrt::code_text(lacking.code)), 2);
  EXPECT_EQ(errors(""), 3);
}

TEST_P(HalThatLacks, UnregisterSaysTheSameWithItsOwnName) {
  const Lacking lacking = GetParam();
  const auto driver = make(with_hal(lacking.hal));
  const bool has_it = std::string_view(lacking.hal) == "hal_without_register";
  for (int i = 0; i < 2; ++i) {
    // The fake answers 11 to what was never registered.
    EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, DeviceAddr(4096)),
              has_it ? DriverCode::kNotExist : lacking.code);
  }
  EXPECT_EQ(errors("halHostUnregister is not called: library '" + library(lacking.hal) + "' " + lacking.reason),
            has_it ? 0 : 1);
  EXPECT_EQ(errors(""), has_it ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(All, HalThatLacks,
                         testing::Values(Lacking{"hal_without_unregister", "has no function 'halHostUnregister'",
                                                 DriverCode::kSymbolMissing},
                                         Lacking{"hal_without_register", "has no function 'halHostRegister'",
                                                 DriverCode::kSymbolMissing},
                                         Lacking{"unloadable", "cannot be loaded: ", DriverCode::kLibraryNotLoaded},
                                         Lacking{"no_library", "cannot be loaded: ", DriverCode::kLibraryNotLoaded},
                                         Lacking{"absent", "cannot be loaded: ", DriverCode::kLibraryNotLoaded}),
                         [](const auto& param_info) { return std::string(param_info.param.hal); });

// R7.
TEST_F(BrokenLibrary, RegisterThatAnswers65534IsAskedOncePerAllocation) {
  board_.reset({.answers = {{"halHostRegister", 65534}}});
  {
    const auto driver = make(config());
    DeviceRunner runner(*driver, runner_config());
    expect_copies_instead(runner);
    EXPECT_EQ(board_.count("halHostRegister"), 1u);
  }
  EXPECT_EQ(log_.count(LogLevel::kWarn, "driver call register_to_host failed with NOT_SUPPORT (65534)"), 1);
  EXPECT_EQ(errors(""), 0);
  expect_nothing_left();
}

TEST_F(BrokenLibrary, RegisterThatFailsIsLoggedPerCallByTheRunnerAlone) {
  board_.reset({.answers = {{"halHostRegister", 8}}});
  {
    const auto driver = make(config());
    DeviceRunner runner(*driver, runner_config());
    expect_copies_instead(runner);
  }
  EXPECT_EQ(errors("driver call register_to_host failed with PARA_ERROR (8)"), 2);
  EXPECT_EQ(errors(""), 2);
  expect_nothing_left();
}

TEST_F(BrokenLibrary, ViewAtAnotherAddressIsUsedAndTheDeviceAddressIsUnregistered) {
  board_.reset({.views_elsewhere = true});
  {
    const auto driver = make(config());
    DeviceRunner runner(*driver, runner_config());
    const DeviceAddr base = runner.device_malloc(kBlock).value();
    const svmrt::RegisterResult other = driver->register_to_host(kRunnerTimeline, base, kBlock);
    EXPECT_NE(reinterpret_cast<std::uint64_t>(other.host), base.value());
    EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, base), DriverCode::kNone);
    const RunOutcome outcome = run(runner, base);
    EXPECT_EQ(outcome.read, AccessStatus::kOk);
    EXPECT_EQ(outcome.value, 77u);
    EXPECT_EQ(outcome.copies, 0u);
    std::uint64_t first = 0;
    std::memcpy(&first, board_.device_bytes(base.value()), sizeof first);
    EXPECT_EQ(first, 99u);
    EXPECT_EQ(runner.held().count, 1u);
    EXPECT_TRUE(runner.free_tensor(base));
  }
  EXPECT_EQ(errors(""), 0);
  expect_nothing_left();
}

// The register succeeded: what the unregister says decides. Nothing is freed under a mapping.
TEST_F(BrokenLibrary, UnregisterThatFailsQuarantinesTheBlockAndCloseOfTheDeviceIsTheEnd) {
  {
    const auto driver = make(config());
    DeviceRunner runner(*driver, runner_config());
    const DeviceAddr base = runner.device_malloc(kBlock).value();
    EXPECT_EQ(run(runner, base).copies, 0u);
    board_.plan_answer("halHostUnregister", 11);
    const auto freed = runner.free_tensor(base);
    ASSERT_FALSE(freed);
    EXPECT_EQ(freed.error().code, ErrorCode::kUnregisterFailed);
    EXPECT_EQ(freed.error().driver_code, DriverCode::kNotExist);
    EXPECT_EQ(board_.count("aclrtFree"), 0u);
    EXPECT_EQ(errors("driver call unregister_from_host failed with NOT_EXIST (11)"), 1);
    board_.plan_answer("halHostUnregister", 0);
    EXPECT_TRUE(runner.free_tensor(base));
  }
  expect_nothing_left();
}

TEST_F(BrokenLibrary, DeviceLostHalfWayIsSaidOnceAndNoLibraryIsCalledAgain) {
  {
    const auto driver = make(config());
    DeviceRunner runner(*driver, runner_config());
    const DeviceAddr base = runner.device_malloc(kBlock).value();
    const DeviceAddr other = runner.device_malloc(kBlock).value();
    EXPECT_EQ(run(runner, base).copies, 0u);
    EXPECT_FALSE(driver->device_lost());
    board_.plan_answer("halHostUnregister", 1);

    const auto freed = runner.free_tensor(base);
    ASSERT_FALSE(freed);
    EXPECT_EQ(freed.error().driver_code, DriverCode::kNoDevice);
    EXPECT_TRUE(driver->device_lost());
    EXPECT_EQ(errors("device '0' is lost: halHostUnregister answered NO_DEVICE (1)"), 1);

    const std::size_t calls = board_.calls().size();
    EXPECT_EQ(runner.free_tensor(other).error().driver_code, DriverCode::kNoDevice);
    EXPECT_EQ(runner.device_malloc(kBlock).error().driver_code, DriverCode::kNoDevice);
    std::uint64_t value = 0;
    EXPECT_EQ(driver->copy_from_device(kRunnerTimeline, &value, other, kWord), DriverCode::kNoDevice);
    EXPECT_EQ(driver->register_to_host(kRunnerTimeline, other, kBlock).code, DriverCode::kNoDevice);
    runner.device_lost();
    EXPECT_EQ(runner.free_tensor(other).error().code, ErrorCode::kDeviceLost);
    EXPECT_EQ(board_.calls().size(), calls);
  }
  EXPECT_EQ(board_.count("aclrtResetDevice") + board_.count("aclFinalize"), 0u);
  EXPECT_EQ(errors("is lost"), 1);
}

// After every number of calls: the program goes on as if nothing was, tells the runner in the end, and nothing crashes.
TEST_F(BrokenLibrary, DeviceMayBeLostAtAnyCall) {
  std::int64_t answered = 0;
  bool lost = true;
  for (; lost; ++answered) {
    SCOPED_TRACE(answered);
    board_.reset({.calls_until_lost = answered});
    const auto driver = make(config());
    DeviceRunner runner(*driver, runner_config());
    if (const auto base = runner.device_malloc(kBlock)) {
      std::uint64_t value = 5;
      if (auto opened = runner.open_run()) {
        const svmrt::HostApi& api = (*opened)->api();
        svmrt::TensorAccess access(&api);
        EXPECT_TRUE(access.claim_child_memory(*base, kBlock));
        const svmrt::AccessResult read = access.read(*base, &value, kWord);
        EXPECT_TRUE(read.ok() ? value == 0 : value == 5 && read.driver_code == 1);
      }
      static_cast<void>(runner.free_tensor(*base));
    }
    lost = driver->device_lost() || !driver->open();
    if (driver->device_lost()) runner.device_lost();
    if (lost) {
      EXPECT_EQ(board_.calls().size(), static_cast<std::size_t>(answered) + 1) << "one call met the lost device";
    }
  }
  // aclInit, set, malloc, translate, register, unregister, free: all answered.
  EXPECT_EQ(answered, 8);
}

TEST_F(BrokenLibrary, AclThatDoesNotLoadFailsEveryCallAndEachSaysWhyOnce) {
  for (const char* const name : {"unloadable", "absent"}) {
    const auto driver = make(with_acl(name));
    DeviceRunner runner(*driver, runner_config());
    for (int i = 0; i < 2; ++i) {
      const auto block = runner.device_malloc(kBlock);
      ASSERT_FALSE(block);
      EXPECT_EQ(block.error().driver_code, DriverCode::kLibraryNotLoaded);
      EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, DeviceAddr(4096)), DriverCode::kLibraryNotLoaded);
    }
    const std::string why = " is not called: library '" + library(name) + "' cannot be loaded: ";
    EXPECT_EQ(errors("aclrtMalloc" + why), 1);
    EXPECT_EQ(errors("halHostUnregister" + why), 1);
  }
  EXPECT_TRUE(board_.calls().empty());
}

TEST_F(BrokenLibrary, AclThatCannotOpenADeviceIsNotHalfOpened) {
  const auto driver = make(with_acl("acl_without_device"));
  const auto opened = driver->open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().driver_code, DriverCode::kSymbolMissing);
  EXPECT_THAT(opened.error().message, testing::EndsWith("has no function 'aclInit'"));
  EXPECT_TRUE(board_.calls().empty());
}

// Without the driver's id of the device a hal call could hit another one.
TEST_F(BrokenLibrary, AclWithoutTranslationOfIdsLeavesCopies) {
  {
    const auto driver = make(with_acl("acl_without_ids"));
    DeviceRunner runner(*driver, runner_config());
    expect_copies_instead(runner);
  }
  EXPECT_EQ(board_.count("halHostRegister"), 0u);
  EXPECT_EQ(errors("halHostRegister is not called: library '" + library("acl_without_ids") +
                   "' has no function 'aclrtGetLogicDevIdByUserDevId'"),
            1);
  expect_nothing_left();
}

TEST_F(BrokenLibrary, AclWithoutOneFunctionFailsThatCallAlone) {
  {
    const auto driver = make(with_acl("acl_without_memset"));
    const DeviceAddr base = allocate(*driver);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(driver->set_memory(kRunnerTimeline, base, 0, kWord), DriverCode::kSymbolMissing);
    }
    EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kNone);
  }
  EXPECT_EQ(errors("aclrtMemset is not called: library '" + library("acl_without_memset") +
                   "' has no function 'aclrtMemset'"),
            1);
  EXPECT_EQ(errors(""), 1);
  expect_nothing_left();
}

}  // namespace
}  // namespace svmsim
