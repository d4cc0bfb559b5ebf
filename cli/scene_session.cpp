// SPDX-License-Identifier: Apache-2.0
#include "cli/scene_session.h"

#include <fmt/format.h>

#include "runtime/run/session.h"

namespace svmsim {

namespace {

CliError orchestration_error(const RunSetup& setup, const std::string& message) {
  return {ExitCode::kBadInput,
          setup.orchestration_file,
          "orchestration",
          setup.scene.orchestration,
          "a shared object that exports the orchestration's entry points",
          message};
}

class SceneSessions {
 public:
  SceneSessions(const RunSetup& setup, HostTensors& tensors, SceneGround& ground)
      : setup_(setup),
        tensors_(tensors),
        ground_(ground),
        outputs_(setup.scene, tensors,
                 [&ground](svmrt::DeviceAddr base, svmrt::Bytes size) { return ground.device_bytes(base, size); }) {}

  CliResult<RunResult> run() {
    svmrt::DeviceRunner runner(ground_.driver(), {setup_.policy, setup_.log});
    attempt(runner);
    if (setup_.again && !unfit_ && !refused_) {
      if (auto refilled = tensors_.refill(); !refilled) return tl::unexpected(refilled.error());
      attempt_ = &result_.again.emplace();
      attempt(runner);
      const bool both = result_.status == 0 && result_.again->status == 0;
      if (both && result_.again->result_digest != result_.result_digest) {
        result_.violations.push_back({"rounds", -1, "", "the second attempt's results differ from those of the first"});
      }
    }
    finalize(runner);
    if (refused_) return tl::unexpected(*refused_);
    if (unfit_) return tl::unexpected(orchestration_error(setup_, result_.error));
    result_.golden = outputs_.golden();
    return std::move(result_);
  }

 private:
  void attempt(svmrt::DeviceRunner& runner) {
    svmrt::Session session(runner, ground_.executor(), ground_.callable(), session_config());
    if (auto ready = session.set_up(); !ready) {
      fail(ready.error());
    } else {
      run_rounds(session);
      if (attempt_->status == 0) {
        attempt_->result_digest = outputs_.result_digest();
        attempt_->outputs_digest = outputs_.outputs_digest();
      }
    }
    if (ground_.device_lost()) runner.device_lost();
    if (auto torn_down = session.tear_down(); !torn_down) fail(torn_down.error());
    result_.totals.upload_time += session.upload_time();
  }

  svmrt::SessionConfig session_config() {
    svmrt::SessionConfig config;
    config.tensors = tensors_.arguments();
    for (const SceneScalar& scalar : setup_.scene.scalars) config.scalars.push_back(scalar.bits);
    config.heap_size = setup_.scene.heap;
    config.orchestrator.task_window = setup_.scene.task_window;
    config.orchestrator.cluster_count = static_cast<std::int32_t>(setup_.platform.cube_cores);
    config.orchestrator.aiv_count = static_cast<std::int32_t>(setup_.platform.vector_cores);
    config.orchestrator.log = orchestration_log();
    config.before_bind = [this](const svmrt::BoundRun& run) { ground_.before_bind(run); };
    config.after_bind = [this](const svmrt::BoundRun& run) {
      ground_.after_bind(run);
      declare_dataless(run.device_addresses());
      if (attempt_ == &result_ && attempt_->rounds.empty()) ground_.graph_built(run);
    };
    return config;
  }

  // What the orchestration logs, and the runtime about it, goes where the runtime's own log goes.
  svmrt::OrchestrationLog orchestration_log() {
    if (!setup_.log) return {};
    return [this](Pto2LogLevel level, std::string_view message) {
      constexpr svmrt::LogLevel kLevels[] = {svmrt::LogLevel::kError, svmrt::LogLevel::kWarn, svmrt::LogLevel::kInfo,
                                             svmrt::LogLevel::kInfo, svmrt::LogLevel::kDebug};
      setup_.log(kLevels[static_cast<std::size_t>(level)], fmt::format("orchestration: {}", message));
    };
  }

  void declare_dataless(std::span<const DeviceAddr> addresses) {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const SceneTensor& tensor = setup_.scene.tensors[i];
      if (!tensor.has_data() && !addresses[i].is_null()) {
        ground_.declare_device_without_data(addresses[i], tensor.bytes());
      }
    }
  }

  void run_rounds(svmrt::Session& session) {
    declare_dataless(session.child_memory());
    tensors_.drop_child_memory();
    ground_.session_ready(session.child_memory());
    outputs_.begin(session.child_memory());
    if (setup_.scene.golden && setup_.kernels == KernelMode::kReal) {
      if (refuse(outputs_.expect_golden())) return;
    }
    for (std::uint64_t round = 0; round < setup_.rounds; ++round) {
      if (setup_.before_round) setup_.before_round(round);
      // An orchestration that set elements of a staged tensor left them in the host buffer.
      const bool inputs_written = round > 0 && attempt_->rounds.back().staged_writes > 0;
      const auto what = inputs_written ? HostTensors::Restore::kAll : HostTensors::Restore::kOutputs;
      if (refuse(tensors_.restore(what))) return;
      ground_.round_begins(round);
      const svmrt::RoundOutcome outcome = session.run_round();
      ground_.round_ended();
      add_round(outcome.report);
      if (outcome.error) {
        fail(*outcome.error);
        return;
      }
      for (Violation& violation : outputs_.check_round(round)) result_.violations.push_back(std::move(violation));
    }
  }

  void add_round(const svmrt::RunReport& report) {
    attempt_->rounds.push_back(report);
    result_.totals.copy_time += report.copy_time;
    result_.totals.upload_time += report.upload_time + report.push_time;
    result_.totals.device_copies += report.device_copies;
    result_.totals.accesses += report.accesses;
  }

  // Keeps what ends the run without a result.
  bool refuse(CliResult<void> outcome) {
    if (!outcome) refused_ = outcome.error();
    return !outcome;
  }

  void finalize(svmrt::DeviceRunner& runner) {
    const auto finalized = runner.finalize();
    if (finalized) {
      result_.quarantined = finalized->quarantined;
    } else {
      fail(finalized.error());
    }
    ground_.finalized(runner, result_.quarantined);
    result_.totals.map_time = runner.totals().map_time;
    result_.totals.unmap_time = runner.totals().unmap_time;
  }

  // Keeps the first failure of an attempt.
  void fail(const svmrt::Error& error) {
    if (attempt_->status != 0) return;
    unfit_ = error.code == svmrt::ErrorCode::kInvalidArgument;
    attempt_->orch_error_code = error.orchestration_code;
    if (error.code == svmrt::ErrorCode::kOrchestration) {
      attempt_->status = -error.orchestration_code;
      attempt_->error = error.message;  // says itself that the run failed, and with which code
      return;
    }
    attempt_->status = error.driver_code == DriverCode::kNone ? -1 : svmrt::code_number(error.driver_code);
    attempt_->error =
        unfit_ ? error.message : fmt::format("run failed with code {}: {}", attempt_->status, error.message);
  }

  const RunSetup& setup_;
  RunResult result_;
  Attempt* attempt_ = &result_;  // the one that is under way
  HostTensors& tensors_;
  SceneGround& ground_;
  SessionOutputs outputs_;
  std::optional<CliError> refused_;
  bool unfit_ = false;  // the scene does not fit its orchestration
};

}  // namespace

CliResult<RunResult> run_sessions(const RunSetup& setup, HostTensors& tensors, SceneGround& ground) {
  return SceneSessions(setup, tensors, ground).run();
}

CliResult<std::unique_ptr<svmrt::Callable>> load_orchestration(const RunSetup& setup) {
  auto callable = svmrt::SharedObjectCallable::load(setup.orchestration_file);
  if (!callable) return tl::unexpected(orchestration_error(setup, callable.error().message));
  return std::unique_ptr<svmrt::Callable>(std::move(*callable));
}

}  // namespace svmsim
