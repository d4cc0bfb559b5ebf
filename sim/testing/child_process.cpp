// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

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

}  // namespace svmsim
