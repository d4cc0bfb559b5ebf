// SPDX-License-Identifier: Apache-2.0
// The C layer of libdrvdsmi_host.so. Its prototype is in public use; the codes are assumptions.
#include <cstring>

#include "sim/driver/hal_flags.h"
#include "sim/dropin/implementation.h"
#include "sim/dropin/out_pointer.h"
#include "sim/dropin/process.h"

using namespace svmsim;

std::int32_t svmsim_dsmi_get_version(std::int32_t device_id, char* text, std::uint32_t length, std::uint32_t* written) {
  using svmrt::DriverCode;
  const auto answer = [&](const Simulation& simulation) {
    const std::string& version = simulation.environment().version;
    // A negative id is a large one.
    if (static_cast<std::uint32_t>(device_id) >= kDeviceIdLimit) return DriverCode::kInvalidDevice;
    if (text == nullptr || !is_writable(written, sizeof *written)) return DriverCode::kInvalidValue;
    if (length <= version.size()) return DriverCode::kParaError;
    if (!is_writable(text, version.size() + 1)) return DriverCode::kInvalidValue;
    std::memcpy(text, version.c_str(), version.size() + 1);
    put(written, static_cast<std::uint32_t>(version.size()));
    return DriverCode::kNone;
  };
  return svmrt::code_number(Process::instance().call(answer, answer));
}
