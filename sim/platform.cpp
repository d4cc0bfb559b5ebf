// SPDX-License-Identifier: Apache-2.0
#include "sim/platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sim/config/fixture_file.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kMaxKernelNs = 1'000'000'000'000;  // 1000 s

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

// Files of platforms, each of which extends the next one.
using Chain = std::vector<std::string>;

ConfigResult<Platform> read_platform(ConfigResult<ConfigReader> reader, Chain chain, const std::string& fixtures);

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;  // of a file that is not there
  return a == b || std::filesystem::equivalent(a, b, none);
}

// The platform that `extends` names. A mistake in its file is that file's.
ConfigResult<Platform> read_base(ConfigReader& reader, Chain chain, const std::string& fixtures) {
  namespace fs = std::filesystem;
  ConfigTable root = reader.root();
  const fs::path folder = fs::path(chain.back()).parent_path();
  std::string path = root.text("extends");
  if (names_a_path(path)) {
    path = (folder / path).string();
  } else {
    path = read_name(root, "extends");
    path = fixtures.empty() ? (folder / (path + ".toml")).string() : fixture_file(fixtures, "platforms", path);
  }
  const auto again =
      std::find_if(chain.begin(), chain.end(), [&](const std::string& file) { return same_file(file, path); });
  if (again != chain.end()) {
    root.reject("extends", fmt::format("a platform that does not extend this one in turn ({} extends {})",
                                       fmt::join(again, chain.end(), " extends "), *again));
  }
  if (chain.size() > kMostExtensions) {
    root.reject("extends", fmt::format("no more than {} platforms that extend one another", kMostExtensions));
  }
  if (reader.first_error()) return tl::unexpected(*reader.first_error());
  ConfigResult<ConfigReader> base = ConfigReader::open(path);
  if (!base && base.error().line == 0) {
    root.reject("extends", fmt::format("the name or the path of a platform ({})", base.error().message()));
    return tl::unexpected(*reader.first_error());
  }
  chain.push_back(std::move(path));
  return read_platform(std::move(base), std::move(chain), fixtures);
}

// Of the last file of the chain.
ConfigResult<Platform> read_platform(ConfigResult<ConfigReader> reader, Chain chain, const std::string& fixtures) {
  if (!reader) return tl::unexpected(std::move(reader.error()));
  ConfigTable root = reader->root();
  Platform platform;
  const bool extends = root.has("extends");
  if (extends) {
    ConfigResult<Platform> base = read_base(*reader, chain, fixtures);
    if (!base) return base;
    platform = std::move(*base);
    ++platform.extensions;
  }
  // A switch that the other keys forbid may be the base's.
  const auto refuse = [&](const std::string& key, std::string_view why) {
    if (root.has(key)) {
      root.reject(key, fmt::format("false, {}", why));
    } else {
      root.reject("extends", fmt::format("a platform without {}, or beside it {} = false, {}", key, key, why));
    }
  };
  // What has no default may be the base's.
  const auto is_due = [&](std::string_view key) { return !extends || root.has(key); };
  platform.file = chain.back();
  platform.name = read_name(root, "name");
  platform.description = root.text("description");
  if (is_due("personality")) platform.personality = root.choice("personality", kPersonalityWords);
  if (is_due("host_page")) platform.host_page = svmrt::Bytes(root.integer_choice("host_page", kPageSizes));
  if (is_due("calibration")) platform.calibration = read_name(root, "calibration");
  platform.device_page = svmrt::Bytes(root.integer_choice_or("device_page", platform.device_page.count(), kPageSizes));
  const auto hbm_mib = root.integer_or<std::uint64_t>("hbm_mib", platform.hbm.count() >> 20, 2, kMaxHbmMib);
  if (hbm_mib % 2 != 0) root.reject("hbm_mib", "an even integer from 2 to 8388608");
  platform.hbm = svmrt::Bytes(hbm_mib << 20);
  platform.host = root.choice_or("host", platform.host, kHostWords);
  platform.reuse = root.choice_or("reuse", platform.reuse, kReuseWords);
  platform.host_map_path = root.boolean_or("host_map_path", platform.host_map_path);
  platform.non_identity = root.boolean_or("non_identity", platform.non_identity);
  if (platform.non_identity && platform.personality == Personality::kIdentity) {
    refuse("non_identity", "because personality is \"identity\"");
  }
  platform.lenient = root.boolean_or("lenient", platform.lenient);
  platform.fragmented = root.boolean_or("fragmented", platform.fragmented);
  if (platform.fragmented && !can_be_fragmented(platform)) {
    refuse("fragmented", "unless personality is \"v3\" and host_page is above device_page");
  }
  platform.cube_cores = root.integer_or<std::uint32_t>("cube_cores", platform.cube_cores, 1, kMaxCores);
  platform.vector_cores = root.integer_or<std::uint32_t>("vector_cores", platform.vector_cores, 1, kMaxCores);
  std::map<std::string, svmrt::Picoseconds> durations;
  for (ConfigTable& kernel : root.tables_or_empty("kernel")) {
    const svmrt::Picoseconds duration(kernel.integer<std::uint64_t>("duration_ns", 0, kMaxKernelNs) * 1000);
    const bool first = durations.emplace(read_name(kernel, "compute"), duration).second;
    if (!first) kernel.reject("compute", "a name that appears once");
  }
  durations.merge(platform.kernel_durations);
  platform.kernel_durations = std::move(durations);
  return reader->finish(std::move(platform));
}

}  // namespace

bool can_be_fragmented(const Platform& platform) {
  return platform.personality == Personality::kV3 && platform.device_page < platform.host_page;
}

ConfigResult<Platform> load_platform(const std::string& path, const std::string& fixtures) {
  return read_platform(ConfigReader::open(path), {path}, fixtures);
}

ConfigResult<Platform> parse_platform(std::string_view text, const std::string& file) {
  return read_platform(ConfigReader::parse(text, file), {file}, "");
}

}  // namespace svmsim
