// SPDX-License-Identifier: Apache-2.0
// What a scene says about its kernels, as the simulated device takes it. Pure functions, thread-safe.
#pragma once

#include "cli/cli_error.h"
#include "cli/scene/scene.h"
#include "sim/device/kernel_table.h"
#include "sim/device/simulated_device.h"
#include "sim/machine/trace_writer.h"
#include "sim/platform.h"

namespace svmsim {

// Names, what each kernel computes, and how long it takes by the scene or else the platform. The error names a kernel
// that nobody has, or whose duration nobody says.
[[nodiscard]] CliResult<KernelTable> kernel_table(const Scene& scene, const Platform& platform);

// The device that runs the scene's kernels in the given mode. The golden of the scene must be known; in real mode every
// kernel of the table must say what it computes: the error names the one that does not. With a trace (borrowed, may be
// null) each launch adds what ran on which core.
[[nodiscard]] CliResult<DeviceConfig> scene_device(const Scene& scene, const Platform& platform, KernelMode mode,
                                                   TraceWriter* trace);

}  // namespace svmsim
