// SPDX-License-Identifier: Apache-2.0
#include "sim/platform.h"

#include <algorithm>
#include <utility>

namespace svmsim {
namespace {

constexpr std::uint64_t kMaxKernelNs = 1'000'000'000'000;  // 1000 s
constexpr Choice<Personality> kPersonalities[] = {
    {"v2", Personality::kV2}, {"v3", Personality::kV3}, {"identity", Personality::kIdentity}};
constexpr Choice<HostKind> kHosts[] = {{"physical", HostKind::kPhysical}, {"vm_without_wc", HostKind::kVmWithoutWc}};
constexpr Choice<AddressReuse> kReuses[] = {
    {"driver", AddressReuse::kDriver}, {"lifo", AddressReuse::kLifo}, {"quarantine", AddressReuse::kQuarantine}};
constexpr std::uint64_t kPages[] = {4096, 65536};

// The v2 driver refuses an allocation of 8 TiB; no device comes near it.
constexpr std::uint64_t kMaxHbmMib = std::uint64_t{8} << 20;
constexpr std::uint32_t kMaxCores = 1024;

// A name becomes part of a path, so it has no dots and no slashes.
std::string read_name(ConfigTable& table, std::string_view key) {
  std::string name = table.text(key);
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!plain) table.reject(key, "letters, digits, '-' and '_'");
  return name;
}

ConfigResult<Platform> read_platform(ConfigResult<ConfigReader> reader, const std::string& file) {
  if (!reader) return tl::unexpected(std::move(reader.error()));
  ConfigTable root = reader->root();
  Platform platform;
  platform.file = file;
  platform.name = read_name(root, "name");
  platform.description = root.text("description");
  platform.personality = root.choice("personality", kPersonalities);
  platform.host_page = svmrt::Bytes(root.integer_choice("host_page", kPages));
  platform.calibration = read_name(root, "calibration");
  platform.device_page = svmrt::Bytes(root.integer_choice_or("device_page", platform.device_page.count(), kPages));
  const auto hbm_mib = root.integer_or<std::uint64_t>("hbm_mib", platform.hbm.count() >> 20, 2, kMaxHbmMib);
  if (hbm_mib % 2 != 0) root.reject("hbm_mib", "an even integer from 2 to 8388608");
  platform.hbm = svmrt::Bytes(hbm_mib << 20);
  platform.host = root.choice_or("host", platform.host, kHosts);
  platform.reuse = root.choice_or("reuse", platform.reuse, kReuses);
  platform.host_map_path = root.boolean_or("host_map_path", platform.host_map_path);
  platform.non_identity = root.boolean_or("non_identity", platform.non_identity);
  if (platform.non_identity && platform.personality == Personality::kIdentity) {
    root.reject("non_identity", "false, because personality is \"identity\"");
  }
  platform.lenient = root.boolean_or("lenient", platform.lenient);
  platform.fragmented = root.boolean_or("fragmented", platform.fragmented);
  const bool can_fragment = platform.personality == Personality::kV3 && platform.device_page < platform.host_page;
  if (platform.fragmented && !can_fragment) {
    root.reject("fragmented", "false, unless personality is \"v3\" and host_page is above device_page");
  }
  platform.cube_cores = root.integer_or<std::uint32_t>("cube_cores", platform.cube_cores, 1, kMaxCores);
  platform.vector_cores = root.integer_or<std::uint32_t>("vector_cores", platform.vector_cores, 1, kMaxCores);
  for (ConfigTable& kernel : root.tables_or_empty("kernel")) {
    const svmrt::Picoseconds duration(kernel.integer<std::uint64_t>("duration_ns", 0, kMaxKernelNs) * 1000);
    const bool first = platform.kernel_durations.emplace(read_name(kernel, "compute"), duration).second;
    if (!first) kernel.reject("compute", "a name that appears once");
  }
  return reader->finish(std::move(platform));
}

}  // namespace

ConfigResult<Platform> load_platform(const std::string& path) { return read_platform(ConfigReader::open(path), path); }

ConfigResult<Platform> parse_platform(std::string_view text, const std::string& file) {
  return read_platform(ConfigReader::parse(text, file), file);
}

}  // namespace svmsim
