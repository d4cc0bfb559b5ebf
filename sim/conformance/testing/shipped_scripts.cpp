// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/testing/shipped_scripts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace svmsim {

const std::vector<std::string>& shipped_script_names() {
  static const std::vector<std::string> names = {
      "v2_64k_device",     "v2_64k_device_4k_host", "v2_64k_host",       "v2_allocate",   "v2_free",
      "v2_giant",          "v2_host_memory",        "v2_register",       "v2_unregister", "v2_vm",
      "v3_64k_contiguous", "v3_64k_host",           "v3_64k_fragmented", "v3_allocate",   "v3_free",
      "v3_giant",          "v3_host_memory",        "v3_register",       "v3_unregister", "v3_vm",
  };
  return names;
}

ConformanceScript shipped_script(const std::string& name) {
  auto script = load_conformance_script(SVMSIM_FIXTURES_DIR "/conformance/" + name + ".toml");
  if (!script) {
    ADD_FAILURE() << script.error().message();
    return {};
  }
  return *std::move(script);
}

const std::vector<ConformanceScript>& shipped_scripts() {
  static const std::vector<ConformanceScript> scripts = [] {
    std::vector<ConformanceScript> all;
    all.reserve(shipped_script_names().size());
    for (const std::string& name : shipped_script_names()) all.push_back(shipped_script(name));
    return all;
  }();
  return scripts;
}

Platform platform_for(const ConformanceScript& script) {
  Platform platform;
  platform.name = script.name;
  platform.description = "What script " + script.name + " needs";
  platform.personality = script.personality;
  platform.calibration = script.personality == Personality::kV3 ? "a5-unmeasured" : "a2a3-cann9";
  const ScriptNeeds& needs = script.needs;
  if (needs.host_page) platform.host_page = svmrt::Bytes(*needs.host_page);
  if (needs.device_page) platform.device_page = svmrt::Bytes(*needs.device_page);
  if (needs.host) platform.host = *needs.host;
  if (needs.fragmented) platform.fragmented = *needs.fragmented;
  return platform;
}

std::string platform_file_text(const Platform& platform) {
  return fmt::format(
      "name = \"{}\"\ndescription = \"{}\"\npersonality = \"{}\"\nhost_page = {}\ndevice_page = {}\nhost = \"{}\"\n"
      "calibration = \"{}\"\n{}",
      platform.name, platform.description, platform.personality == Personality::kV3 ? "v3" : "v2",
      platform.host_page.count(), platform.device_page.count(),
      platform.host == HostKind::kPhysical ? "physical" : "vm_without_wc", platform.calibration,
      platform.fragmented ? "fragmented = true\n" : "");
}

}  // namespace svmsim
