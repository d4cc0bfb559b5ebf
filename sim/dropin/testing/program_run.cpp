// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/testing/program_run.h"

#include <deque>
#include <fstream>
#include <iterator>

#include "sim/testing/temporary_folder.h"

namespace svmsim {

ChildResult run_program(const std::string& name, const std::vector<std::string>& arguments,
                        const EnvironmentChanges& variables) {
  std::vector<std::string> words{SVMSIM_DROPIN_DIR "/dropin_" + name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  EnvironmentChanges changes = without_simulator_variables();
  changes["LD_LIBRARY_PATH"] = SVMSIM_DROPIN_DIR;
  changes["SVMSIM_PLATFORM"] = small_v2();
  // Sanitizers would turn a signal into an exit code, and end a child that forked with threads.
  changes["ASAN_OPTIONS"] = "handle_segv=0";
  changes["TSAN_OPTIONS"] = "handle_segv=0 die_after_fork=0";
  for (const auto& [variable, value] : variables) changes[variable] = value;
  return run_child(std::move(words), changes);
}

std::string small_v2() { return SVMSIM_DROPIN_PLATFORMS_DIR "/small.toml"; }
std::string small_v3() { return SVMSIM_DROPIN_PLATFORMS_DIR "/small_v3.toml"; }

std::string new_path(const std::string& name) {
  static std::deque<TemporaryFolder> folders;
  return folders.emplace_back().file(name);
}

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace svmsim
