// SPDX-License-Identifier: Apache-2.0
#include "cli/scene_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/kernels/golden.h"
#include "sim/kernels/kernel.h"

namespace svmsim {

namespace {

CliError kernel_error(const Scene& scene, const SceneKernel& kernel, std::string_view key, const std::string& value,
                      const std::string& allowed) {
  return cli_error(ConfigError{scene.file, 0, fmt::format("kernel '{}', {}", kernel.name, key), value, allowed});
}

std::string one_of(const std::vector<std::string>& names) { return fmt::format("one of {}", fmt::join(names, ", ")); }

}  // namespace

CliResult<KernelTable> kernel_table(const Scene& scene, const Platform& platform) {
  KernelTable table;
  for (const SceneKernel& kernel : scene.kernels) {
    KernelFunction compute = nullptr;
    if (!kernel.compute.empty()) {
      compute = find_kernel(kernel.compute);
      if (compute == nullptr) {
        return tl::unexpected(
            kernel_error(scene, kernel, "compute", fmt::format("'{}'", kernel.compute), one_of(kernel_names())));
      }
    }
    const auto of_platform = platform.kernel_durations.find(kernel.compute);
    if (!kernel.duration && of_platform == platform.kernel_durations.end()) {
      const std::string allowed =
          fmt::format("a duration, in the scene or for \"{}\" in platform '{}'", kernel.compute, platform.name);
      return tl::unexpected(kernel_error(scene, kernel, "duration_ns", "nothing", allowed));
    }
    table.by_function[kernel.func_id] = {kernel.name, kernel.duration ? *kernel.duration : of_platform->second,
                                         compute};
  }
  return table;
}

CliResult<DeviceConfig> scene_device(const Scene& scene, const Platform& platform, KernelMode mode,
                                     TraceWriter* trace) {
  auto table = kernel_table(scene, platform);
  if (!table) return tl::unexpected(table.error());
  if (scene.golden && find_golden(scene.golden->name) == nullptr) {
    return tl::unexpected(cli_error(
        ConfigError{scene.file, 0, "golden.name", fmt::format("'{}'", scene.golden->name), one_of(golden_names())}));
  }
  if (mode == KernelMode::kReal) {
    for (const SceneKernel& kernel : scene.kernels) {
      if (kernel.compute.empty()) {
        return tl::unexpected(
            kernel_error(scene, kernel, "compute", "nothing, and --kernels real needs it", one_of(kernel_names())));
      }
    }
  }
  DeviceConfig config{std::move(*table), mode, {}};
  if (trace != nullptr) {
    config.on_launched = [trace, kernels = config.kernels](svmrt::Picoseconds begin, std::span<const CoreSpan> spans) {
      for (const CoreSpan& span : spans) {
        trace->add_core_span({span.kind == CoreKind::kCube ? "cube" : "vector", span.core,
                              kernels.name_of(span.function), span.task, span.block, begin + span.begin,
                              span.end - span.begin});
      }
    };
  }
  return config;
}

}  // namespace svmsim
