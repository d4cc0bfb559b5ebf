// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

std::string name_of(std::string_view entry) { return std::string(entry.substr(0, entry.find('='))); }

// "NAME=value" texts.
std::vector<std::string> environment_with(const EnvironmentChanges& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!changes.contains(name_of(*entry))) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : changes) {
    if (value) all.push_back(name + "=" + *value);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildResult run_child(std::vector<std::string> words, const EnvironmentChanges& changes) {
  const TemporaryFile out(std::tmpfile());
  const TemporaryFile err(std::tmpfile());
  std::vector<std::string> environment = environment_with(changes);
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(environment);
  const pid_t child = out && err ? fork() : -1;
  if (child == 0) {
    dup2(fileno(out.get()), STDOUT_FILENO);
    dup2(fileno(err.get()), STDERR_FILENO);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  ChildResult result;
  if (child < 0) {
    ADD_FAILURE() << "no child process for " << words.front();
    return result;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.output = content(out.get());
  result.errors = content(err.get());
  return result;
}

EnvironmentChanges without_simulator_variables() {
  EnvironmentChanges changes{{"ASCEND_RT_VISIBLE_DEVICES", std::nullopt}};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("SVMSIM_")) changes[name_of(*entry)] = std::nullopt;
  }
  return changes;
}

}  // namespace svmsim
