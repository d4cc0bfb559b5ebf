// SPDX-License-Identifier: Apache-2.0
// Two ways that must agree: bytes are a scenario, and one byte of its setting says which pair carries it out.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "fuzz/fixtures_folder.h"
#include "fuzz/library_side.h"
#include "fuzz/loaded_side.h"
#include "fuzz/machine_side.h"
#include "fuzz/pairs.h"
#include "fuzz/platform_file.h"
#include "fuzz/platforms_or_exit.h"
#include "fuzz/scenario_bytes.h"
#include "fuzz/target.h"
#include "property_tests/scenario_file.h"

namespace svmsim {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

// The simulated machine behind the runtime's port against the functions of the drop-in libraries, on memory of either
// kind.
std::string compare_libraries(const Scenario& scenario, BackingKind backing) {
  const ScenarioPlatform* const found = find_platform(platforms_or_exit(), scenario.platform);
  Environment environment;
  environment.platform = found->platform;
  environment.platform.reuse = scenario.reuse;
  environment.cost = found->cost;
  environment.backing = backing;
  auto machine = Machine::create(environment.platform, found->cost, {.memory = SliceUse::kRecycled});
  if (!machine) give_up(machine.error());
  const auto library = LibrarySide::create(std::move(environment));
  if (!library) give_up(library.error());
  MachineSide in_process(**machine);
  return compare_sides(scenario, in_process, "in process", **library, "the library");
}

// The same against the libraries of the build, which take what they simulate from files and variables.
std::string compare_with_loaded(const Scenario& scenario, BackingKind backing) {
  const PlatformFile platform(scenario.platform, scenario.reuse);
  const LoadedVariables variables = {{"SVMSIM_PLATFORM", platform.path()},
                                     {"SVMSIM_BACKING", std::string(backing_name(backing))},
                                     {"SVMSIM_REPORT", "-"}};
  const auto environment = read_environment(variables, fixtures_folder());
  if (!environment) give_up(environment.error());
  return compare_loaded(scenario, *environment, variables);
}

// The platform, on other hosts than its file's: bits 0 to 3.
Platform on_host(Platform platform, std::uint8_t bits) {
  if ((bits & 1) != 0) platform.host_page = Bytes(65536);
  if ((bits & 2) != 0) platform.device_page = Bytes(65536);
  if ((bits & 4) != 0) platform.host = HostKind::kVmWithoutWc;
  if ((bits & 8) != 0) {
    platform.fragmented = platform.personality == Personality::kV3 && platform.device_page < platform.host_page;
  }
  return platform;
}

std::string difference_of(std::span<const std::uint8_t> bytes, const Scenario& scenario, std::string& pair) {
  const std::uint8_t choice = bytes.size() < kRecordBytes ? 0 : bytes[kPairByte];
  switch (choice % 3) {
    case 0: {
      pair = "the driver and its rules";
      const std::uint8_t host = bytes.size() < kRecordBytes ? 0 : bytes[kPolicyByte];
      return compare_with_rules(scenario,
                                on_host(find_platform(platforms_or_exit(), scenario.platform)->platform, host));
    }
    case 1: {
      const BackingKind backing = choice / 3 % 4 == 0 ? BackingKind::kMmu : BackingKind::kPlain;
      // A process takes as long as a hundred inputs.
      if (bytes[kSlowByte] == kSlow && LoadedSide::is_possible()) {
        pair = "in process and the loaded libraries";
        return compare_with_loaded(scenario, backing);
      }
      pair = "in process and the drop-in library";
      return compare_libraries(scenario, backing);
    }
    default:
      pair = "memory mmu and plain";
      return compare_backings(scenario, platforms_or_exit());
  }
}

}  // namespace
}  // namespace svmsim

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  svmsim::prepare_input();
  svmsim::Scenario scenario = svmsim::scenario_from_bytes({data, size}, svmsim::platforms_or_exit());
  std::string pair;
  const std::string found = svmsim::difference_of({data, size}, scenario, pair);
  if (found.empty()) return 0;
  scenario.name = "found";
  std::fprintf(stderr, "%s differ: %s\nthe operations:\n%s", pair.c_str(), found.c_str(),
               svmsim::scenario_text(scenario).c_str());
  std::abort();
}
