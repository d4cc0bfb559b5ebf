// SPDX-License-Identifier: Apache-2.0
// What a simulated machine is made of: a driver personality, page sizes, switches, a calibration. One TOML file in
// fixtures/platforms/ per platform. Value type, thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/units.h"
#include "sim/config/toml_reader.h"

namespace svmsim {

enum class Personality { kV2, kV3, kIdentity };
enum class HostKind { kPhysical, kVmWithoutWc };
enum class AddressReuse { kDriver, kLifo, kQuarantine };

// Words and page sizes of platform files, and of other files that name such things.
inline constexpr Choice<Personality> kPersonalityWords[] = {
    {"v2", Personality::kV2}, {"v3", Personality::kV3}, {"identity", Personality::kIdentity}};
inline constexpr Choice<Personality> kDriverWords[] = {{"v2", Personality::kV2}, {"v3", Personality::kV3}};
inline constexpr Choice<HostKind> kHostWords[] = {{"physical", HostKind::kPhysical},
                                                  {"vm_without_wc", HostKind::kVmWithoutWc}};
inline constexpr Choice<AddressReuse> kReuseWords[] = {
    {"driver", AddressReuse::kDriver}, {"lifo", AddressReuse::kLifo}, {"quarantine", AddressReuse::kQuarantine}};
inline constexpr std::uint64_t kPageSizes[] = {4096, 65536};

inline constexpr std::size_t kMostExtensions = 8;  // platforms that extend one another

struct Platform {
  std::string file;  // that it was read from
  std::string name;
  std::string description;
  Personality personality = Personality::kV2;
  svmrt::Bytes host_page{4096};
  svmrt::Bytes device_page{4096};
  svmrt::Bytes hbm{std::uint64_t{64} << 30};
  HostKind host = HostKind::kPhysical;
  AddressReuse reuse = AddressReuse::kDriver;
  bool host_map_path = true;  // false: the runner makes no register call at all
  bool non_identity = false;  // register returns another address than the device's
  bool lenient = false;       // overlap and unaligned registers are accepted
  bool fragmented = false;    // v3, 64 KiB host: blocks are not physically contiguous in host-page runs
  std::uint32_t cube_cores = 24;
  std::uint32_t vector_cores = 48;
  // How long a kernel of sim/kernels, by name, takes for one block on one core; a scene's own duration goes before it.
  std::map<std::string, svmrt::Picoseconds> kernel_durations;
  std::string calibration;     // name of a file in fixtures/calibrations/, without its extension
  std::size_t extensions = 0;  // how many platforms it extends, one through the other
};

// Reads a platform file; the error names file, line, key, value and what is allowed. Keys; name,
// description, personality, host_page and calibration are required, the others default to the values above:
//   name           letters, digits, '-' and '_'
//   description    what the platform stands for, a text
//   extends        another platform: keys that are not here are taken from it, but for the two above. A name, looked up
//                  in the folder platforms/ of `fixtures` (without such: beside this file), or a path, from this file
//   personality    "v2" (the a2a3 class), "v3" (the a5 class) or "identity" (no driver rules at all)
//   host_page      page of the host: 4096 or 65536 bytes
//   calibration    letters, digits, '-' and '_'
//   device_page    ordinary page of the device: 4096 or 65536 bytes
//   hbm_mib        device memory, 2 MiB to 8 TiB, even (whole huge pages)
//   host           "physical" or "vm_without_wc" (a virtual machine that cannot write-combine the BAR)
//   reuse          "driver" (as the driver reissues addresses), "lifo" or "quarantine" (never reissued)
//   host_map_path, non_identity, lenient   true or false; non_identity not with "identity"
//   fragmented     true only with "v3" and a host page above the device page, where alone it matters
//   cube_cores, vector_cores   1 to 1024
//   [[kernel]]     compute: a name as above, once; duration_ns: 0 to 10^12, for scenes that do not say how long it
//   takes
[[nodiscard]] ConfigResult<Platform> load_platform(const std::string& path, const std::string& fixtures = "");
// The same from memory, without fixtures; `file` is the name that errors carry.
[[nodiscard]] ConfigResult<Platform> parse_platform(std::string_view text, const std::string& file);

// Whether `fragmented` makes a difference.
[[nodiscard]] bool can_be_fragmented(const Platform& platform);

}  // namespace svmsim
