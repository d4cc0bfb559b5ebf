// SPDX-License-Identifier: Apache-2.0
#include "cli/run_scene.h"

#include <memory>

#include "cli/host_tensors.h"
#include "cli/scene_device.h"
#include "cli/scene_session.h"
#include "sim/device/simulated_device.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/oracle/observed_callable.h"
#include "sim/oracle/oracle.h"

namespace svmsim {

namespace {

// Counts what reached the driver.
class CallCounter final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { counts_.count(record.kind, record.code); }
  [[nodiscard]] const CallCounts& counts() const { return counts_; }

 private:
  CallCounts counts_;
};

// A simulated machine with an oracle that watches it, in the order in which they must come to life.
class SimulatedGround final : public SceneGround {
 public:
  SimulatedGround(const RunSetup& setup, Machine& machine, HostTensors& tensors, svmrt::Callable& callable,
                  DeviceConfig device)
      : setup_(setup),
        machine_(machine),
        driver_(machine),
        oracle_(machine, setup.policy),
        observed_(callable, oracle_),
        device_(machine, std::move(device)) {
    machine.add_observer(counter_);
    if (setup.trace != nullptr) {
      setup.trace->set_origin(machine.slice_base());
      machine.add_observer(*setup.trace);
    }
    if (setup.observer != nullptr) machine.add_observer(*setup.observer);
    tensors.declare_dataless(
        [&](const void* base, svmrt::Bytes size) { machine.declare_host_without_data(base, size); });
  }

  [[nodiscard]] svmrt::Driver& driver() override { return driver_; }
  [[nodiscard]] svmrt::Executor& executor() override { return device_; }
  [[nodiscard]] svmrt::Callable& callable() override { return observed_; }
  [[nodiscard]] std::span<const std::byte> device_bytes(svmrt::DeviceAddr base, svmrt::Bytes size) override {
    return {machine_.device_bytes(base, size), static_cast<std::size_t>(size.count())};
  }
  void declare_device_without_data(svmrt::DeviceAddr base, svmrt::Bytes size) override {
    machine_.declare_device_without_data(base, size);
  }

  void session_ready(std::span<const svmrt::DeviceAddr> child_memory) override {
    for_each_child_memory([&](std::size_t i, const SceneTensor& tensor) {
      oracle_.name_child_memory(child_memory[i], tensor.bytes(), tensor.name);
    });
  }
  void round_begins(std::uint64_t round) override { oracle_.begin_round(round); }
  void before_bind(const svmrt::BoundRun& run) override {
    oracle_.run_began(run.timeline());
    for_each_child_memory([&](std::size_t i, const SceneTensor& tensor) {
      oracle_.claimed(run.timeline(), run.device_addresses()[i], tensor.bytes());
    });
    observed_.serve(run.timeline());
  }
  void after_bind(const svmrt::BoundRun& run) override {
    oracle_.bind_ended(run.timeline(), run.report().device_copies, run.report().bind_time);
  }
  void graph_built(const svmrt::BoundRun& run) override {
    if (setup_.on_graph) setup_.on_graph(run.graph(), machine_.slice_base());
  }
  void round_ended() override { oracle_.end_round(); }
  void finalized(const svmrt::DeviceRunner& runner, const std::vector<svmrt::QuarantinedBlock>& quarantined) override {
    oracle_.finalized(quarantined, runner.failures());
  }

  // What the machine and the oracle have to say.
  void complete(RunResult& result) const {
    static_cast<CallCounts&>(result.totals) = counter_.counts();
    result.fault_hits = machine_.fault_hits();
    result.trace_digest = machine_.trace_digest();
    const auto& broken_rules = oracle_.violations();
    result.violations.insert(result.violations.end(), broken_rules.begin(), broken_rules.end());
  }

 private:
  template <typename Visit>
  void for_each_child_memory(Visit visit) const {
    const std::vector<SceneTensor>& tensors = setup_.scene.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].residency == Residency::kChildMemory) visit(i, tensors[i]);
    }
  }

  const RunSetup& setup_;
  Machine& machine_;
  RuntimeDriver driver_;
  Oracle oracle_;
  ObservedCallable observed_;
  SimulatedDevice device_;
  CallCounter counter_;
};

}  // namespace

CliResult<RunResult> run_scene(const RunSetup& setup) {
  auto callable = load_orchestration(setup);
  if (!callable) return tl::unexpected(callable.error());
  auto device = scene_device(setup.scene, setup.platform, setup.kernels, setup.trace);
  if (!device) return tl::unexpected(device.error());
  auto machine =
      Machine::create(setup.platform, CostModel(setup.calibration.parameters), {setup.scene.backing, setup.faults});
  if (!machine) return tl::unexpected(failure(machine.error()));
  auto tensors = HostTensors::create(setup.scene, setup.seed);
  if (!tensors) return tl::unexpected(tensors.error());
  SimulatedGround ground(setup, **machine, *tensors, **callable, std::move(*device));
  auto result = run_sessions(setup, *tensors, ground);
  if (result) ground.complete(*result);
  return result;
}

}  // namespace svmsim
