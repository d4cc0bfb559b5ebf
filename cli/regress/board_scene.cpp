// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/board_scene.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/host_tensors.h"
#include "cli/json_reader.h"
#include "cli/open_board.h"
#include "cli/regress/board_port.h"
#include "cli/scene_session.h"
#include "onboard/driver_clock.h"
#include "onboard/host_executor.h"
#include "sim/config/input_files.h"
#include "sim/device/digest_kernel.h"

namespace svmsim {

namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

constexpr std::size_t kMostLogLines = 20;

// A board's driver, and tasks that leave digests of what they read. What device_bytes() cannot read is zeros; the
// driver's code is kept.
class BoardGround final : public SceneGround {
 public:
  BoardGround(BoardDriver& driver, HostTensors& tensors, svmrt::Callable& callable)
      : driver_(driver),
        port_(driver),
        callable_(callable),
        executor_(driver, run_digest_kernel,
                  [this](DeviceAddr base, Bytes size) { return port_.has_data(base, size); }) {
    tensors.declare_dataless([this](const void* base, Bytes size) { port_.declare_host_without_data(base, size); });
  }

  [[nodiscard]] svmrt::Driver& driver() override { return port_; }
  [[nodiscard]] svmrt::Executor& executor() override { return executor_; }
  [[nodiscard]] svmrt::Callable& callable() override { return callable_; }
  [[nodiscard]] std::span<const std::byte> device_bytes(DeviceAddr base, Bytes size) override {
    std::vector<std::byte>& copy = copies_[base];
    copy.assign(static_cast<std::size_t>(size.count()), std::byte{0});
    const DriverCode code = driver_.copy_from_device(svmrt::kRunnerTimeline, copy.data(), base, size);
    if (code != DriverCode::kNone && unread_.empty()) {
      unread_ = fmt::format("results cannot be read: {}",
                            port_failed("", svmrt::DriverCall::kCopyFromDevice, {base, size}, code).value().message);
    }
    return copy;
  }
  void declare_device_without_data(DeviceAddr base, Bytes size) override {
    port_.declare_device_without_data(base, size);
  }
  [[nodiscard]] bool device_lost() const override { return driver_.device_lost(); }

  void complete(RunResult& result) const {
    static_cast<CallCounts&>(result.totals) = port_.counts();
    if (!unread_.empty()) result.violations.push_back({"results", -1, "", unread_});
  }

 private:
  BoardDriver& driver_;
  BoardPort port_;
  svmrt::Callable& callable_;
  HostExecutor executor_;
  std::map<DeviceAddr, std::vector<std::byte>> copies_;
  std::string unread_;
};

std::string violation_text(const Violation& violation) {
  const std::string where = violation.round < 0 ? "" : fmt::format("round {}: ", violation.round);
  return fmt::format("{}{}{}{}", where, violation.allocation, violation.allocation.empty() ? "" : ": ",
                     violation.message);
}

}  // namespace

CliResult<RunSetup> scene_setup(const BoardRequest& request) {
  RunSetup setup;
  auto platform = find_board_platform(request.locations, request.platform);
  if (!platform) return tl::unexpected(platform.error());
  setup.platform = std::move(*platform);
  auto calibration = find_calibration(request.locations, setup.platform);
  if (!calibration) return tl::unexpected(calibration.error());
  setup.calibration = std::move(*calibration);
  auto scene = find_scene(request.locations, request.scene);
  if (!scene) return tl::unexpected(scene.error());
  setup.orchestration_file = orchestration_path(request.locations, *scene);
  note_input_file(setup.orchestration_file);
  setup.scene = std::move(*scene);
  const auto read = read_run_options(request.policy, request.rounds, kMostRegressRounds, request.seed, setup);
  if (!read) return tl::unexpected(read.error());
  return setup;
}

CliResult<BoardReport> run_on_board(const BoardRequest& request) {
  auto setup = scene_setup(request);
  if (!setup) return tl::unexpected(setup.error());
  const auto libraries = find_board_libraries(request.lib, setup->platform);
  if (!libraries) return tl::unexpected(libraries.error());
  auto callable = load_orchestration(*setup);
  if (!callable) return tl::unexpected(callable.error());
  auto tensors = HostTensors::create(setup->scene, setup->seed);
  if (!tensors) return tl::unexpected(tensors.error());

  BoardReport report;
  setup->log = [&report](svmrt::LogLevel level, const std::string& line) {
    if (level <= svmrt::LogLevel::kWarn && report.log.size() < kMostLogLines) report.log.push_back(line);
  };
  const DriverClock clock = driver_clock(libraries->hal);
  report.simulated_clock = clock.simulated;
  const auto driver = open_board(*libraries, setup->platform, clock.clock, setup->log);
  if (!driver) return tl::unexpected(absent_board(*libraries, driver.error().message));
  BoardGround ground(**driver, *tensors, **callable);
  auto result = run_sessions(*setup, *tensors, ground);
  if (!result) return tl::unexpected(result.error());
  ground.complete(*result);
  report.seen = observe(*result);
  report.device_lost = (*driver)->device_lost();
  for (const Violation& violation : result->violations) report.violations.push_back(violation_text(violation));
  return report;
}

Json board_report_json(const BoardReport& report) {
  Json json;
  json["seen"] = observation_json(report.seen);
  json["simulated_clock"] = report.simulated_clock;
  json["device_lost"] = report.device_lost;
  json["violations"] = report.violations;
  json["log"] = report.log;
  return json;
}

CliResult<BoardReport> read_board_report(const Json& json) {
  JsonReader reader("report", "", json);
  BoardReport report;
  if (const Json* const seen = reader.object("seen", false); seen != nullptr) {
    JsonReader part("report", "seen.", *seen);
    report.seen = read_observation(part);
    reader.take_error_of(part);
  }
  report.simulated_clock = reader.boolean("simulated_clock");
  report.device_lost = reader.boolean("device_lost");
  report.violations = reader.texts("violations");
  report.log = reader.texts("log");
  if (reader.error()) return tl::unexpected(*reader.error());
  return report;
}

}  // namespace svmsim
