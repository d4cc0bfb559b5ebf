// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/testing/program_run.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>

namespace svmsim {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

std::string content(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  return text;
}

Variables environment_with(const Variables& variables) {
  Variables all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    const bool ours = text.starts_with("SVMSIM_") || text.starts_with("ASCEND_RT_VISIBLE_DEVICES=");
    if (!ours) all.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  all["LD_LIBRARY_PATH"] = SVMSIM_DROPIN_DIR;
  all["SVMSIM_PLATFORM"] = small_v2();
  // Sanitizers would turn a signal into an exit code, and end a child that forked with threads.
  all["ASAN_OPTIONS"] = "handle_segv=0";
  all["TSAN_OPTIONS"] = "handle_segv=0 die_after_fork=0";
  for (const auto& [name, value] : variables) all[name] = value;
  return all;
}

}  // namespace

ProgramResult run_program(const std::string& name, const std::vector<std::string>& arguments,
                          const Variables& variables) {
  const TemporaryFile out(std::tmpfile());
  const TemporaryFile err(std::tmpfile());
  const std::string program = std::string(SVMSIM_DROPIN_DIR "/dropin_") + name;
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> entries;
  for (const auto& [variable, value] : environment_with(variables)) entries.push_back(variable + "=" + value);
  std::vector<char*> envp;
  envp.reserve(entries.size() + 1);
  for (std::string& entry : entries) envp.push_back(entry.data());
  envp.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(out.get()), STDOUT_FILENO);
    dup2(fileno(err.get()), STDERR_FILENO);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProgramResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.output = content(out.get());
  result.errors = content(err.get());
  return result;
}

std::string small_v2() { return SVMSIM_DROPIN_PLATFORMS_DIR "/small.toml"; }
std::string small_v3() { return SVMSIM_DROPIN_PLATFORMS_DIR "/small_v3.toml"; }

std::string new_path(const std::string& name) {
  std::string folder = testing::TempDir() + "svmsim-dropin-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder + "/" + name;
}

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace svmsim
