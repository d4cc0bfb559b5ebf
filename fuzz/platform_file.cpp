// SPDX-License-Identifier: Apache-2.0
#include "fuzz/platform_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "fuzz/fixtures_folder.h"
#include "property_tests/scenario.h"
#include "sim/config/fixture_file.h"

namespace svmsim {

namespace {

// Empty: there is no such file. The new keys go first, because the last lines may be of a table.
std::string changed_text(const std::string& path, AddressReuse reuse) {
  std::ifstream file(path);
  if (!file) return "";
  std::string text =
      fmt::format("hbm_mib = {}\nreuse = \"{}\"\n", kScenarioHbm.count() >> 20, word_of(kReuseWords, reuse));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("hbm_mib") && !line.starts_with("reuse")) text += line + "\n";
  }
  return text;
}

}  // namespace

PlatformFile::PlatformFile(const std::string& name, AddressReuse reuse) {
  const std::string path = fixture_file(fixtures_folder(), "platforms", name);
  const std::string text = changed_text(path, reuse);
  descriptor_ = memfd_create("platform.toml", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(text.size());
  if (!text.empty() && descriptor_ >= 0 && write(descriptor_, text.data(), text.size()) == size) return;
  std::fprintf(stderr, "%s: cannot be read, or not be copied to memory\n", path.c_str());
  std::exit(2);
}

PlatformFile::~PlatformFile() { close(descriptor_); }

std::string PlatformFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_); }

}  // namespace svmsim
