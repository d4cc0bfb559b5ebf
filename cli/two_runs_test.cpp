// SPDX-License-Identifier: Apache-2.0
// Two runs in flight on one runner over each simulated platform, of which one reads what the other's tasks write: what
// each of them sees, under the eyes of the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "cli/locations.h"
#include "runtime/run/bind.h"
#include "sim/device/simulated_device.h"
#include "sim/kernels/kernel.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/oracle/observed_callable.h"
#include "sim/oracle/oracle.h"

namespace svmsim {
namespace {

using svmrt::BoundRun;

// Reads element 0 of its argument; with `adds`, then submits a task that adds 1 to each element.
class Program final : public svmrt::Callable {
 public:
  Program(bool reads, bool adds) : reads_(reads), adds_(adds) {}
  svmrt::Result<std::int32_t> expected_arg_count(const ChipTaskArgs&) override { return 1; }
  svmrt::Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override {
    const ChipTensor& tensor = args.tensor(0).ref();
    const std::uint32_t first = 0;
    if (reads_) value = from_u64<float>(ops.get_tensor_data(context, &tensor, 1, &first));
    if (!adds_) return {};
    MixedKernels kernels;
    kernels.aiv0_kernel_id = 0;
    CoreTaskArgs task;
    task.add_inout(tensor);
    task.add_scalar(to_u64(1.0F));
    (void)ops.submit(context, "rt_submit_aiv_task", &kernels, &task);
    return {};
  }
  float value = -1;

 private:
  bool reads_;
  bool adds_;
};

struct World {
  World(const Platform& platform, const Calibration& calibration, svmrt::Policy policy)
      : machine(std::move(*Machine::create(platform, CostModel(calibration.parameters), {}))),
        driver(*machine),
        oracle(*machine, policy),
        runner(driver, {policy, {}}),
        device(*machine, device_config()) {
    table = runner.device_malloc(svmrt::Bytes(16)).value();
    const float zeros[4] = {};
    EXPECT_EQ(driver.copy_to_device(svmrt::kRunnerTimeline, table, zeros, svmrt::Bytes(16)), svmrt::DriverCode::kNone);
    oracle.name_child_memory(table, svmrt::Bytes(16), "table");
  }
  static DeviceConfig device_config() {
    DeviceConfig config;
    config.mode = KernelMode::kReal;
    config.kernels.by_function[0] = {"add", svmrt::Picoseconds(1000), find_kernel("vector_add_scalar")};
    return config;
  }

  std::unique_ptr<Machine> machine;
  RuntimeDriver driver;
  Oracle oracle;
  svmrt::DeviceRunner runner;
  SimulatedDevice device;
  svmrt::DeviceAddr table;
};

// A run of a program whose one argument is the table.
class ObservedRun {
 public:
  ObservedRun(World& world, Program& program, svmrt::Direction direction)
      : world_(world),
        observed_(program, world.oracle),
        argument_{"table", {4}, DataType::FLOAT32, direction, svmrt::Residency::kChildMemory, nullptr} {
    svmrt::RunRequest request;
    request.tensors = {&argument_, 1};
    request.child_memory = {&world.table, 1};
    request.callable = &observed_;
    run_ = std::move(*BoundRun::open(world.runner, request));
  }
  svmrt::Result<void> bind() {
    world_.oracle.run_began(run_->timeline());
    world_.oracle.claimed(run_->timeline(), world_.table, svmrt::Bytes(16));
    observed_.serve(run_->timeline());
    auto bound = run_->bind();
    world_.oracle.bind_ended(run_->timeline(), run_->report().device_copies, run_->report().bind_time);
    return bound;
  }
  svmrt::Result<void> execute() { return run_->execute(world_.device); }
  [[nodiscard]] svmrt::RunNumber number() const { return run_->number(); }

 private:
  World& world_;
  ObservedCallable observed_;
  svmrt::TensorArgument argument_;
  std::unique_ptr<BoundRun> run_;
};

class TwoRuns : public ::testing::TestWithParam<const char*> {
 protected:
  // On the platform, under each policy; then nothing is left and no rule was broken.
  template <typename Body>
  void in_each_world(Body body) {
    const Locations locations = default_locations();
    const auto platform = find_platform(locations, GetParam());
    const auto calibration = find_calibration(locations, *platform);
    for (const svmrt::Policy policy : svmrt::fixed_policies()) {
      World world(*platform, *calibration, policy);
      body(world);
      const auto finalized = world.runner.finalize();
      ASSERT_TRUE(finalized) << svmrt::policy_name(policy);
      world.oracle.finalized(finalized->quarantined, world.runner.failures());
      for (const Violation& violation : world.oracle.violations()) {
        ADD_FAILURE() << svmrt::policy_name(policy) << ": " << violation.rule << ": " << violation.message;
      }
    }
  }
};

TEST_P(TwoRuns, TheReaderThatComesSecondWaitsForTheProducer) {
  in_each_world([](World& world) {
    Program adding(false, true);
    ObservedRun producer(world, adding, svmrt::Direction::kInout);
    ASSERT_TRUE(producer.bind());
    Program reading(true, false);
    for (int attempt = 0; attempt < 2; ++attempt) {
      ObservedRun early(world, reading, svmrt::Direction::kIn);
      const auto bound = early.bind();
      ASSERT_FALSE(bound);
      EXPECT_EQ(bound.error().code, svmrt::ErrorCode::kDeferred);
      EXPECT_EQ(bound.error().after_run, producer.number());
    }
    ASSERT_TRUE(producer.execute());
    ObservedRun late(world, reading, svmrt::Direction::kIn);
    ASSERT_TRUE(late.bind());
    EXPECT_EQ(reading.value, 1.0F);
  });
}

TEST_P(TwoRuns, TheReaderThatComesFirstSeesTheBytesBeforeTheProducer) {
  in_each_world([](World& world) {
    Program reading(true, false);
    ObservedRun reader(world, reading, svmrt::Direction::kIn);
    ASSERT_TRUE(reader.bind());
    EXPECT_EQ(reading.value, 0.0F);
    Program adding(false, true);
    ObservedRun producer(world, adding, svmrt::Direction::kInout);
    ASSERT_TRUE(producer.bind());
    ASSERT_TRUE(producer.execute());
    ASSERT_TRUE(reader.execute());
    EXPECT_EQ(reading.value, 0.0F);
  });
}

TEST_P(TwoRuns, TwoThatReadAndWriteTheSameBytesGoOneAfterTheOther) {
  in_each_world([](World& world) {
    Program first_program(true, true);
    Program second_program(true, true);
    ObservedRun first(world, first_program, svmrt::Direction::kInout);
    ASSERT_TRUE(first.bind());
    {
      ObservedRun second(world, second_program, svmrt::Direction::kInout);
      const auto bound = second.bind();
      ASSERT_FALSE(bound);
      EXPECT_EQ(bound.error().code, svmrt::ErrorCode::kDeferred);
      ASSERT_TRUE(first.execute());
    }
    ObservedRun retried(world, second_program, svmrt::Direction::kInout);
    ASSERT_TRUE(retried.bind());
    EXPECT_EQ(second_program.value, 1.0F);
    ASSERT_TRUE(retried.execute());
    float element = 0;
    EXPECT_EQ(world.driver.copy_from_device(svmrt::kRunnerTimeline, &element, world.table, svmrt::Bytes(4)),
              svmrt::DriverCode::kNone);
    EXPECT_EQ(element, 2.0F);
  });
}

INSTANTIATE_TEST_SUITE_P(Platforms, TwoRuns,
                         ::testing::Values("a2a3", "a2a3-64k", "a2a3-nonidentity", "a2a3-vm", "a5", "a5-map",
                                           "identity", "lenient"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace svmsim
