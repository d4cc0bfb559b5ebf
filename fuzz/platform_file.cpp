// SPDX-License-Identifier: Apache-2.0
#include "fuzz/platform_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "fuzz/fixtures_folder.h"
#include "property_tests/scenario.h"
#include "sim/config/fixture_file.h"
#include "sim/config/toml_text.h"

namespace svmsim {

PlatformFile::PlatformFile(const std::string& name, AddressReuse reuse) {
  const std::string path = fixture_file(fixtures_folder(), "platforms", name);
  const std::string text =
      fmt::format("name = {0}\ndescription = {0}\nextends = {1}\nhbm_mib = {2}\nreuse = \"{3}\"\n", toml_quoted(name),
                  toml_quoted(path), kScenarioHbm.count() >> 20, word_of(kReuseWords, reuse));
  descriptor_ = memfd_create("platform.toml", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(text.size());
  if (descriptor_ >= 0 && write(descriptor_, text.data(), text.size()) == size) return;
  std::fprintf(stderr, "no memory for a platform file that extends %s\n", path.c_str());
  std::exit(2);
}

PlatformFile::~PlatformFile() { close(descriptor_); }

std::string PlatformFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_); }

}  // namespace svmsim
