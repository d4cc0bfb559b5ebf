// SPDX-License-Identifier: Apache-2.0
// Several runs at once on one runner, on threads that run freely: which of them maps or waits is up to the system, so
// nothing is asserted of order, counts or times; but each thread must read what it wrote, no free may reach the driver
// while the block is mapped, and nothing may be left at the end. Meant for ThreadSanitizer as well.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "property_tests/scenario.h"
#include "runtime/device_runner.h"
#include "runtime/run_context.h"
#include "runtime/tensor_access.h"
#include "sim/faults/random_stream.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/oracle/call_rules.h"

namespace svmsim {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kShared = 5;
constexpr std::uint64_t kRunsPerThread = 60;

struct Setting {
  const char* platform;
  svmrt::Policy policy;
};

// Prints a setting in test names.
std::string name_of(const ::testing::TestParamInfo<Setting>& info) {
  std::string name = std::string(info.param.platform) + "_" + svmrt::policy_name(info.param.policy);
  for (char& c : name) {
    if (c == '-' || c == ':') c = '_';
  }
  return name;
}

class ConcurrentRuns : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    const auto platforms = load_scenario_platforms(SVMSIM_FIXTURES_DIR);
    ASSERT_TRUE(platforms.has_value()) << platforms.error().message();
    const ScenarioPlatform* const platform = find_platform(*platforms, GetParam().platform);
    ASSERT_NE(platform, nullptr);
    auto made = Machine::create(platform->platform, platform->cost);
    ASSERT_TRUE(made.has_value()) << made.error();
    machine_ = std::move(*made);
    driver_.emplace(*machine_);
    rules_.emplace(*machine_);
    runner_.emplace(*driver_, svmrt::RunnerConfig{GetParam().policy, {}});
    for (DeviceAddr& base : shared_) {
      const auto allocated = runner_->device_malloc(kSharedSize);
      ASSERT_TRUE(allocated.has_value());
      base = *allocated;
    }
  }

  // Runs of one thread: in each it uses some shared tensors, in its own lane, and a tensor of its own, which it frees
  // when the run is over.
  void work(std::size_t thread) {
    RandomStream random(1, "thread " + std::to_string(thread));
    for (std::uint64_t i = 0; i < kRunsPerThread; ++i) {
      const Bytes own_size(random.next() % 3 == 0 ? 3u << 20 : 4096u);
      const auto own = runner_->device_malloc(own_size);
      if (!own) return complain("an allocation failed: " + own.error().message);
      {
        const auto run = runner_->open_run();
        if (!run) return complain("no run was opened: " + run.error().message);
        svmrt::TensorAccess access(&(*run)->api());
        if (!access.claim_child_memory(*own, own_size)) return complain("a claim was refused");
        for (const DeviceAddr base : shared_) {
          if (!access.claim_child_memory(base, kSharedSize)) return complain("a claim was refused");
        }
        if (GetParam().policy == svmrt::Policy::kRegisterAll) access.resolve_all();
        for (int step = 0; step < 6; ++step) {
          const bool use_own = random.next() % 4 == 0;
          const DeviceAddr base = use_own ? *own : shared_[random.next() % kShared];
          use(access, base + Bytes(8 * thread), random.next());
        }
        access.close();
        if (random.next() % 2 == 0) (*run)->close_host_views();
      }
      if (const auto freed = runner_->free_tensor(*own); !freed) {
        return complain("a free failed: " + freed.error().message);
      }
    }
  }

  void use(svmrt::TensorAccess& access, DeviceAddr at, std::uint64_t value) {
    std::uint64_t back = 0;
    if (!access.write(at, &value, Bytes(sizeof value)).ok()) return complain("a write failed");
    if (!access.read(at, &back, Bytes(sizeof back)).ok()) return complain("a read failed");
    if (back != value) complain("a thread read something else than it wrote");
  }

  // The first complaint is kept; EXPECT is for the main thread.
  void complain(std::string what) {
    if (!complained_.exchange(true)) complaint_ = std::move(what);
  }

  static constexpr Bytes kSharedSize{4096};
  std::unique_ptr<Machine> machine_;
  std::optional<RuntimeDriver> driver_;
  std::optional<CallRules> rules_;
  std::optional<svmrt::DeviceRunner> runner_;
  std::array<DeviceAddr, kShared> shared_;
  std::atomic<bool> complained_{false};
  std::string complaint_;
};

TEST_P(ConcurrentRuns, EachReadsItsOwnWritesAndNothingIsLeft) {
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) threads.emplace_back([this, thread] { work(thread); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(complaint_, "");
  EXPECT_EQ(runner_->waiting_threads(), 0u);
  EXPECT_EQ(runner_->live_allocations(), kShared);
  if (GetParam().policy.kind() == svmrt::Policy::Kind::kBudget) {
    EXPECT_LE(runner_->held().bytes, GetParam().policy.limit());
  }
  const auto report = runner_->finalize();
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->freed, kShared);
  EXPECT_TRUE(report->quarantined.empty());
  rules_->finish();
  for (const Violation& broken : rules_->violations()) ADD_FAILURE() << broken.rule << ": " << broken.message;
  EXPECT_TRUE(machine_->mapped_extents().empty());
  EXPECT_TRUE(machine_->live_blocks().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ConcurrentRuns,
    ::testing::Values(Setting{"a2a3", svmrt::Policy::kCached}, Setting{"a2a3", svmrt::Policy::kRebuild},
                      Setting{"a2a3", svmrt::Policy::kRegisterAll}, Setting{"a2a3", svmrt::Policy::kCopyOnly},
                      Setting{"a2a3", svmrt::Policy::budget(Bytes(8192))}, Setting{"a2a3-64k", svmrt::Policy::kCached},
                      Setting{"a2a3-nonidentity", svmrt::Policy::kRebuild},
                      Setting{"a5-map", svmrt::Policy::budget(Bytes(3u << 20))}, Setting{"a5", svmrt::Policy::kCached}),
    name_of);

}  // namespace
}  // namespace svmsim
