// SPDX-License-Identifier: Apache-2.0
// Writes scenario files as inputs of fuzz_lifetime: what a fuzzer begins with, and how a scenario becomes a regression.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/platforms_or_exit.h"
#include "fuzz/scenario_bytes.h"
#include "property_tests/scenario_file.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  CLI::App app("Writes scenario files (*.toml) as inputs of fuzz_lifetime, one FOLDER/NAME each.");
  std::string folder;
  std::vector<std::string> files;
  app.add_option("FOLDER", folder, "where to; is made")->required();
  app.add_option("FILE", files, "scenario files")->required();
  CLI11_PARSE(app, argc, argv);
  fs::create_directories(folder);
  std::size_t written = 0;
  for (const std::string& file : files) {
    const auto scenario = svmsim::load_scenario(file);
    if (!scenario) {
      std::fprintf(stderr, "%s\n", scenario.error().message().c_str());
      return 2;
    }
    const auto bytes = svmsim::bytes_from_scenario(*scenario, svmsim::platforms_or_exit());
    if (!bytes) {
      std::fprintf(stderr,
                   "%s: left out, bytes cannot say it (a number far from every landmark, over %zu operations, mmu)\n",
                   file.c_str(), svmsim::kMostFuzzedOperations);
      continue;
    }
    const fs::path to = fs::path(folder) / fs::path(file).stem();
    std::ofstream out(to, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
    if (!out.flush()) {
      std::fprintf(stderr, "%s: cannot be written\n", to.c_str());
      return 2;
    }
    ++written;
  }
  std::printf("%zu of %zu scenarios written to %s\n", written, files.size(), folder.c_str());
}
