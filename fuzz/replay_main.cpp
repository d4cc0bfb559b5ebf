// SPDX-License-Identifier: Apache-2.0
// An engine that needs no compiler of its own: replays files, or makes inputs blindly with the target's mutator. An
// input that fails ends the process, as it does under any engine; its name stands on stderr before what it says.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "sim/faults/random_stream.h"

namespace {

namespace fs = std::filesystem;

// The files of folders, in order of path.
std::vector<fs::path> inputs_of(const std::vector<std::string>& arguments) {
  std::vector<fs::path> found;
  for (const std::string& argument : arguments) {
    if (!fs::is_directory(argument)) {
      found.emplace_back(argument);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argument)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  std::fprintf(stderr, "%s\n", path.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return true;
}

// Walks: each input is a mutation of the one before, and every so often begins anew.
void walk(std::uint64_t inputs, unsigned seed) {
  constexpr std::uint64_t kSteps = 64;
  constexpr std::size_t kMost = 4096;
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0; i < inputs; ++i) {
    if (i % kSteps == 0) bytes.clear();
    const std::size_t size = bytes.size();
    bytes.resize(kMost);
    bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, kMost, seed + static_cast<unsigned>(i)));
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace

// One byte is replaced, inserted or taken out; which, depends on how often this was called.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  static svmsim::RandomStream stream(1, "bytes");
  const std::uint64_t word = stream.next();
  const std::size_t at = (word >> 16) % (size + 1);
  if (word % 3 == 0 && size < most) {
    std::copy_backward(data + at, data + size, data + size + 1);
    data[at] = static_cast<std::uint8_t>(word >> 8);
    return size + 1;
  }
  if (at == size) return size;
  if (word % 3 == 1) {
    std::copy(data + at + 1, data + size, data + at);
    return size - 1;
  }
  data[at] = static_cast<std::uint8_t>(word >> 8);
  return size;
}

int main(int argc, char** argv) {
  CLI::App app("Replays the inputs of a fuzz target. Ends with 0 when none fails; one that fails aborts the process.");
  std::vector<std::string> paths;
  std::uint64_t walked = 0;
  unsigned seed = 1;
  app.add_option("PATH", paths, "files, and folders of files");
  app.add_option("--walk", walked, "also make this many inputs with the target's mutator, without any feedback");
  app.add_option("--seed", seed, "of the walk (default: 1)");
  CLI11_PARSE(app, argc, argv);
  std::uint64_t replayed = 0;
  for (const fs::path& path : inputs_of(paths)) {
    if (!replay(path)) return 2;
    ++replayed;
  }
  walk(walked, seed);
  std::printf("%llu inputs replayed, %llu walked from seed %u\n", static_cast<unsigned long long>(replayed),
              static_cast<unsigned long long>(walked), seed);
}
