// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/platform_keys.h"

namespace svmsim {
namespace {

// Of two that explain as much the first is taken.
constexpr PlatformKeyValue kKeyValues[] = {
    {"host_page", "4096", [](Platform& platform) { platform.host_page = svmrt::Bytes(4096); }},
    {"host_page", "65536", [](Platform& platform) { platform.host_page = svmrt::Bytes(65536); }},
    {"host", "\"physical\"", [](Platform& platform) { platform.host = HostKind::kPhysical; }},
    {"host", "\"vm_without_wc\"", [](Platform& platform) { platform.host = HostKind::kVmWithoutWc; }},
    {"device_page", "4096", [](Platform& platform) { platform.device_page = svmrt::Bytes(4096); }},
    {"device_page", "65536", [](Platform& platform) { platform.device_page = svmrt::Bytes(65536); }},
    {"personality", "\"v2\"", [](Platform& platform) { platform.personality = Personality::kV2; }},
    {"personality", "\"v3\"", [](Platform& platform) { platform.personality = Personality::kV3; }},
    {"non_identity", "false", [](Platform& platform) { platform.non_identity = false; }},
    {"non_identity", "true", [](Platform& platform) { platform.non_identity = true; }},
    {"lenient", "false", [](Platform& platform) { platform.lenient = false; }},
    {"lenient", "true", [](Platform& platform) { platform.lenient = true; }},
    {"fragmented", "false", [](Platform& platform) { platform.fragmented = false; }},
    {"fragmented", "true", [](Platform& platform) { platform.fragmented = true; }},
    {"reuse", "\"driver\"", [](Platform& platform) { platform.reuse = AddressReuse::kDriver; }},
    {"reuse", "\"lifo\"", [](Platform& platform) { platform.reuse = AddressReuse::kLifo; }},
    {"reuse", "\"quarantine\"", [](Platform& platform) { platform.reuse = AddressReuse::kQuarantine; }},
};

}  // namespace

std::span<const PlatformKeyValue> platform_key_values() { return kKeyValues; }

}  // namespace svmsim
