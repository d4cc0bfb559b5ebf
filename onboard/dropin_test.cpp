// SPDX-License-Identifier: Apache-2.0
// The runtime through the adapter on the drop-in libraries, one platform for a process: the simulated driver as a
// program of the outside sees it. Under SVMSIM_STRICT=1, which meson sets, whatever stays mapped or allocated, or is
// freed in the wrong order, fails the process at its end.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "onboard/board_driver.h"
#include "onboard/driver_clock.h"
#include "onboard/driver_version.h"
#include "onboard/host_executor.h"
#include "runtime/device_runner.h"
#include "runtime/tensor_access.h"
#include "runtime/testing/test_support.h"

namespace svmsim {
namespace {

using svmrt::AccessStatus;
using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DeviceRunner;
using svmrt::LogLevel;

constexpr Bytes kWord{8};
constexpr Bytes kSmall{4096};
constexpr Bytes kHuge{std::uint64_t{2} << 20};  // on 2 MiB pages (P4)

class OnPlatform : public testing::Test {
 protected:
  OnPlatform(const std::string& platform, BoardKind kind) {
    const char* const asked = std::getenv("SVMSIM_PLATFORM");
    EXPECT_STREQ(asked, platform.c_str()) << "these tests need it in the environment, as meson sets it";
    BoardConfig config;
    config.kind = kind;
    config.acl_library = SVMSIM_DROPIN_ACL;
    config.hal_library = SVMSIM_DROPIN_HAL;
    config.log = log_.sink();
    driver_ = BoardDriver::create(config).value();
    svmrt::RunnerConfig runner;
    runner.log = log_.sink();
    runner_.emplace(*driver_, runner);
  }

  // Allocates, uploads, claims, reads and writes one word, and looks at it by a copy. Returns the device copies that
  // read and write took.
  std::uint64_t life_of(Bytes size, std::uint64_t value) {
    const DeviceAddr base = runner_->device_malloc(size).value();
    std::uint64_t copies = 0;
    {
      const auto run = runner_->open_run().value();
      const svmrt::HostApi& api = run->api();
      const DeviceAddr at = base + (size - kWord);
      EXPECT_EQ(api.copy_to_device(api.context, at.value(), &value, kWord.count()), 0);
      svmrt::TensorAccess access(&api);
      EXPECT_TRUE(access.claim_child_memory(base, size));
      std::uint64_t seen = 0;
      EXPECT_EQ(access.read(at, &seen, kWord).status, AccessStatus::kOk);
      EXPECT_EQ(seen, value);
      const std::uint64_t written = value + 1;
      EXPECT_EQ(access.write(at, &written, kWord).status, AccessStatus::kOk);
      EXPECT_EQ(api.copy_from_device(api.context, &seen, at.value(), kWord.count()), 0);
      EXPECT_EQ(seen, value + 1);
      copies = access.stats().device_copies;
    }
    EXPECT_TRUE(runner_->free_tensor(base));
    return copies;
  }
  void expect_clean_end() {
    const auto report = runner_->finalize();
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->quarantined.empty());
    EXPECT_EQ(log_.count(LogLevel::kError, ""), 0);
  }

  svmrt::testing::LogCollector log_;
  std::unique_ptr<BoardDriver> driver_;
  std::optional<DeviceRunner> runner_;
};

struct OnA2a3 : OnPlatform {
  OnA2a3() : OnPlatform("a2a3", BoardKind::kA2a3) {}
};

// The environment shows the process device 3 as its device 0: with that number unregister would answer 11 (U1).
TEST_F(OnA2a3, BlocksAreMappedReadThroughTheViewAndUnmapped) {
  EXPECT_STREQ(std::getenv("ASCEND_RT_VISIBLE_DEVICES"), "3,1");
  EXPECT_EQ(life_of(kSmall, 10), 0u);
  EXPECT_EQ(life_of(kHuge, 20), 0u);
  EXPECT_EQ(runner_->totals().established, 2u);
  EXPECT_EQ(runner_->totals().dropped, 2u);
  EXPECT_EQ(runner_->failures().total(), 0u);
  expect_clean_end();
}

TEST_F(OnA2a3, TheDriversOwnClockGoesOnWithCallsAlone) {
  const DriverClock found = driver_clock(SVMSIM_DROPIN_HAL);
  EXPECT_TRUE(found.simulated);
  const svmrt::Picoseconds start = found.clock();
  EXPECT_EQ(life_of(kSmall, 10), 0u);
  const svmrt::Picoseconds end = found.clock();
  EXPECT_GT(end, start);
  EXPECT_EQ(found.clock(), end);
  expect_clean_end();
}

TEST_F(OnA2a3, VersionIsWhatTheManagementLibrarySays) {
  EXPECT_EQ(driver_version(SVMSIM_DROPIN_DSMI, 0), "25.5.0");  // docs/drop-in.md, SVMSIM_VERSION
}

// The ACL runtime refuses a thread without a device (107002).
TEST_F(OnA2a3, RunsOfTwoThreadsAllocateMapCopyAndFree) {
  const auto work = [&](std::uint64_t value) {
    for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(life_of(kSmall, value + i), 0u);
  };
  std::thread first(work, 100);
  std::thread second(work, 500);
  first.join();
  second.join();
  EXPECT_EQ(runner_->totals().established, 40u);
  EXPECT_EQ(runner_->totals().dropped, 40u);
  expect_clean_end();
}

TEST_F(OnA2a3, KernelsRunOnCopiesThatNobodyCounts) {
  const DeviceAddr base = runner_->device_malloc(kSmall).value();
  {
    const auto run = runner_->open_run().value();
    const svmrt::HostApi& api = run->api();
    const std::uint64_t words[] = {5, 0};
    ASSERT_EQ(api.copy_to_device(api.context, base.value(), words, sizeof words), 0);
    const std::uint32_t shape[] = {1};
    const auto word = [&](std::uint64_t index) {
      return make_tensor_external(reinterpret_cast<void*>(base.value() + 8 * index), shape, 1, DataType::INT64);
    };
    svmrt::TaskGraph graph;
    svmrt::TaskRecord task;
    task.kind = svmrt::TaskKind::kVector;
    task.kernels.aiv0_kernel_id = 0;
    const svmrt::TaskTensor tensors[] = {{word(0), svmrt::TensorUse::kInput},
                                         {word(1), svmrt::TensorUse::kOutputExisting}};
    graph.add(task, tensors, {}, {});
    const svmrt::KernelFunction twice = [](const svmrt::KernelCall& call) -> tl::expected<void, std::string> {
      std::uint64_t value = 0;
      std::memcpy(&value, call.tensors[0].data, sizeof value);
      value *= 2;
      std::memcpy(call.tensors[1].data, &value, sizeof value);
      return {};
    };
    HostExecutor executor(*driver_, svmrt::effect_of_kernels([&](std::int32_t /*function*/) { return twice; }));
    const auto report = executor.execute(run->timeline(), graph);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->tasks_run, 1u);
    svmrt::TensorAccess access(&api);
    EXPECT_TRUE(access.claim_child_memory(base, kSmall));
    std::uint64_t seen = 0;
    EXPECT_TRUE(access.read(base + kWord, &seen, kWord).ok());
    EXPECT_EQ(seen, 10u);
    EXPECT_EQ(access.stats().device_copies, 0u);
    EXPECT_EQ(access.stats().accesses, 1u);
  }
  EXPECT_TRUE(runner_->free_tensor(base));
  expect_clean_end();
}

struct OnA2a3With64kPages : OnPlatform {
  OnA2a3With64kPages() : OnPlatform("a2a3-64k", BoardKind::kA2a3) {}
};

// R7: ordinary pages are refused for good, huge ones are not.
TEST_F(OnA2a3With64kPages, OrdinaryPagesAreRefusedAndCopiedHugeOnesMapped) {
  EXPECT_EQ(life_of(kSmall, 10), 2u);
  EXPECT_EQ(runner_->failures().register_to_host, 1u);
  EXPECT_EQ(log_.count(LogLevel::kWarn, "register_to_host failed with NOT_SUPPORT (65534)"), 1);
  EXPECT_EQ(runner_->totals().established, 0u);
  EXPECT_EQ(life_of(kHuge, 20), 0u);
  EXPECT_EQ(runner_->totals().established, 1u);
  EXPECT_EQ(runner_->totals().dropped, 1u);
  expect_clean_end();
}

struct OnA5 : OnPlatform {
  OnA5() : OnPlatform("a5", BoardKind::kA5) {}
};

// The library itself would map (v3 asks no capability); the runner has no path to it.
TEST_F(OnA5, EverythingIsCopiedAndNothingIsRegistered) {
  EXPECT_EQ(life_of(kSmall, 10), 2u);
  EXPECT_EQ(life_of(kHuge, 20), 2u);
  EXPECT_EQ(runner_->totals().established + runner_->totals().refused, 0u);
  EXPECT_EQ(runner_->failures().total(), 0u);
  expect_clean_end();
}

}  // namespace
}  // namespace svmsim
