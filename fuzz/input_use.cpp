// SPDX-License-Identifier: Apache-2.0
#include "fuzz/input_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/scene/tensor_data.h"
#include "cli/scene_device.h"
#include "fuzz/fixtures_folder.h"
#include "fuzz/require.h"
#include "property_tests/scenario_code.h"
#include "property_tests/scenario_file.h"
#include "sim/conformance/in_process_port.h"
#include "sim/conformance/runner.h"
#include "sim/cost/calibration_fit.h"
#include "sim/cost/calibration_text.h"
#include "sim/cost/sweep.h"
#include "sim/driver/hal_flags.h"
#include "sim/driver/recording_backing.h"
#include "sim/faults/fault_injector.h"
#include "sim/kernels/golden.h"
#include "sim/output/json_document.h"

namespace svmsim {

namespace {

using Wrong = std::optional<CliError>;

// P1: where device memory of v2 lies. The others get the same.
constexpr AddressLayout kLayout{DeviceAddr(0x12c000000000), Bytes(0x180000000000 - 0x12c000000000)};

void require_clean(const RecordingBacking& backing) {
  require(backing.misuse().empty(), "the driver " + (backing.misuse().empty() ? "" : backing.misuse().front()));
  require(backing.mapped_bytes() == Bytes(0), "a closed device has mappings");
  require(backing.populated_bytes() == Bytes(0), "a closed device has memory");
}

void drive(const Platform& platform) {
  RecordingBacking backing;
  const auto driver = make_hal_driver(platform, kLayout, backing);
  const std::uint64_t kind_flags[] = {kAllocHbm, kAllocHbm | kAllocHuge};
  for (const std::uint64_t flags : kind_flags) {
    for (const std::uint64_t size :
         {std::uint64_t{1}, std::uint64_t{65537}, std::uint64_t{3} << 20, std::uint64_t{1} << 30}) {
      const AllocOutcome block = driver->mem_alloc(size, flags);
      if (block.code != DriverCode::kNone) continue;
      const RegisterOutcome mapping = driver->host_register(block.address, size, kDevSvmMapHost, 0);
      require(mapping.code != DriverCode::kNone || mapping.walk.host_pages > 0 ||
                  platform.personality == Personality::kIdentity,
              "a mapping without pages");
      if (mapping.code == DriverCode::kNone && size != 65537) {
        require(driver->host_unregister(block.address, 0).code == DriverCode::kNone, "a mapping that does not end");
      }
    }
  }
  driver->device_close();
  require_clean(backing);
}

void sweep(const Platform& platform, const Calibration& calibration) {
  for (const MapCostRow& row : cost_sweep(platform, calibration, default_sweep_sizes()).map_rows) {
    require(row.pair_cost.has_value() == row.reason.empty(),
            fmt::format("{} bytes: no cost and no reason, or both", row.bytes.count()));
  }
  for (const Assumption& assumption : platform_assumptions(platform, calibration)) {
    require(!assumption.parameter.empty() && !assumption.text.empty(), "an assumption of nothing");
  }
}

// Loaded once.
const Platform& shipped_platform() {
  static const Platform platform = [] {
    auto loaded = load_platform(fixtures_folder() + "/platforms/a2a3.toml");
    require(loaded.has_value(), loaded ? "" : loaded.error().message());
    return *loaded;
  }();
  return platform;
}

// Nothing for a tensor whose file of data changed since.
std::optional<std::vector<std::byte>> first_bytes(const SceneTensor& tensor) {
  std::vector<std::byte> bytes(tensor.bytes().count());
  if (!fill_tensor(tensor, 1, bytes)) return std::nullopt;
  std::vector<std::byte> again(bytes.size());
  require(fill_tensor(tensor, 1, again) && again == bytes, "tensor " + tensor.name + ": other bytes the second time");
  return bytes;
}

void compute_golden(const Scene& scene, const std::vector<std::vector<std::byte>>& bytes) {
  const GoldenFunction golden = scene.golden ? find_golden(scene.golden->name) : nullptr;
  if (golden == nullptr) return;
  std::vector<GoldenTensor> tensors;
  std::vector<std::uint64_t> scalars;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    tensors.push_back({scene.tensors[i].shape, scene.tensors[i].dtype, bytes[i]});
  }
  for (const SceneScalar& scalar : scene.scalars) scalars.push_back(scalar.bits);
  const auto outputs = golden(tensors, scalars);
  require(outputs || !outputs.error().empty(), "a golden refused without a reason");
  if (!outputs) return;
  for (const auto& [index, expected] : *outputs) {
    require(index < scene.tensors.size() && expected.size() == scene.tensors[index].elements(),
            "a golden of other elements than its tensor");
  }
}

}  // namespace

Wrong use(const Platform& platform) {
  drive(platform);
  const auto calibration = load_calibration_of(platform, fixtures_folder());
  if (!calibration) return cli_error(calibration.error());
  sweep(platform, *calibration);
  return std::nullopt;
}

Wrong use(const Calibration& calibration) {
  const auto fitted = fit_calibration(calibration);
  require(fitted || !fitted.error().empty(), "a fit refused without a reason");
  Platform platform = shipped_platform();
  sweep(platform, calibration);
  platform.personality = calibration.personality;
  platform.host_page = calibration.host_page;
  platform.device_page = calibration.device_page;
  sweep(platform, calibration);
  const CostModel model(calibration.parameters);
  require(model.register_cost({1, 1}) <= model.register_cost({2, 2}), "two pages are cheaper to map than one");
  const auto to_device = CopyDirection::kToDevice;
  require(model.copy_cost(to_device, Bytes(1)) <= model.copy_cost(to_device, Bytes(std::uint64_t{1} << 46)),
          "more bytes are cheaper to copy");
  return std::nullopt;
}

Wrong use_points(const Calibration& points) {
  const auto fitted = fit_calibration(leave_one_out(points));
  if (!fitted) {
    require(!fitted.error().empty(), "a fit refused without a reason");
    return std::nullopt;
  }
  for (const TermReport& term : fitted->terms) {
    require(term.determined == term.reason.empty(), term.name + ": determined and a reason why not, or neither");
  }
  const Calibration named = named_calibration(*fitted, "fuzzed");
  const auto read = parse_calibration(calibration_text(named), "written.toml");
  require(read.has_value(), read ? "" : "a written calibration is refused: " + read.error().message());
  require(read->parameters == named.parameters, "a written calibration has other parameters");
  require(calibration_text(*read) == calibration_text(named), "a written calibration is another one");
  return std::nullopt;
}

Wrong use(const FaultPlan& plan) {
  constexpr int kCalls = 200;
  FaultInjector one(plan);
  FaultInjector other(plan);
  std::uint64_t failed = 0;
  for (int i = 0; i < kCalls; ++i) {
    const auto kind = static_cast<CallKind>(i % 8);
    const std::optional<std::uint64_t> offset =
        kind == CallKind::kAllocate ? std::nullopt : std::optional<std::uint64_t>(static_cast<std::uint64_t>(i) * 4096);
    const DriverCode code = one.next_call(kind, offset);
    require(other.next_call(kind, offset) == code, "the same plan fails other calls");
    const bool planned =
        std::any_of(plan.faults.begin(), plan.faults.end(), [&](const Fault& fault) { return fault.code == code; });
    require(code == DriverCode::kNone || planned, "a call fails with a code of no fault");
    failed += code == DriverCode::kNone ? 0 : 1;
  }
  std::uint64_t hits = 0;
  for (const std::uint64_t of_fault : one.hits()) hits += of_fault;
  require(failed <= hits && failed == one.failed_calls(), "failed calls are counted wrong");
  return std::nullopt;
}

Wrong use(const Scene& scene) {
  // One with a golden is meant to be run with real kernels.
  const KernelMode mode = scene.golden ? KernelMode::kReal : KernelMode::kDigest;
  const auto device = scene_device(scene, shipped_platform(), mode, nullptr);
  if (!device) return device.error();
  constexpr std::uint64_t kMostBytes = 1 << 14;  // more take too long to compute
  std::uint64_t bytes = 0;
  for (const SceneTensor& tensor : scene.tensors) bytes += tensor.bytes().count();
  if (bytes > kMostBytes) return std::nullopt;
  std::vector<std::vector<std::byte>> filled;
  for (const SceneTensor& tensor : scene.tensors) {
    auto first = first_bytes(tensor);
    if (!first) return std::nullopt;
    filled.push_back(*std::move(first));
  }
  compute_golden(scene, filled);
  return std::nullopt;
}

Wrong use(const ConformanceScript& script) {
  Platform platform = shipped_platform();
  platform.personality = script.personality;
  if (script.needs.host_page) platform.host_page = Bytes(*script.needs.host_page);
  if (script.needs.device_page) platform.device_page = Bytes(*script.needs.device_page);
  if (script.needs.host) platform.host = *script.needs.host;
  if (script.needs.fragmented) platform.fragmented = *script.needs.fragmented;
  RecordingBacking backing;
  {
    InProcessPort port(platform, kLayout, backing);
    const auto outcomes = run_script(script, port);
    require(outcomes.size() == script.cases.size(), "a case without an outcome");
    for (const CaseOutcome& outcome : outcomes) require(!outcome.message().empty(), "an outcome that says nothing");
  }
  require_clean(backing);
  return std::nullopt;
}

Wrong use(const Scenario& scenario) {
  const auto again = parse_scenario(scenario_text(scenario), "written");
  require(again.has_value(), again ? "" : "a scenario that was written cannot be read: " + again.error().message());
  require(*again == scenario, "a scenario that was written and read is another");
  require(!scenario_code(scenario).empty(), "a scenario without code");
  return std::nullopt;
}

Wrong use(const CheckReport& report) {
  const std::string text = document_text(check_json(report));
  const auto again = parse_check_report(text, "written");
  require(again.has_value(), again ? "" : "a report that was written cannot be read: " + again.error().message);
  require(document_text(check_json(*again)) == text, "a report that was written and read is another");
  require(!check_text(report).empty(), "a report without text");
  const auto twice = merged(report, *again, "written");
  require(!twice && twice.error().key == "shard.indices", "a report is added to itself");
  return std::nullopt;
}

}  // namespace svmsim
