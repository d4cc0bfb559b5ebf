// SPDX-License-Identifier: Apache-2.0
#include "fuzz/loaded_side.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "fuzz/library_calls.h"
#include "fuzz/loaded_messages.h"
#include "sim/child_environment.h"
#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

// SVMSIM_LOADED_BUILD is empty when the libraries are not built with this program.
constexpr char kProgram[] = SVMSIM_LOADED_BUILD "/fuzz/loaded_calls";
constexpr char kLibraries[] = SVMSIM_LOADED_BUILD "/sim/dropin";

[[noreturn]] void give_up(const char* what, int error) {
  std::fprintf(stderr, "%s: %s: %s\n", kProgram, what, std::strerror(error));
  std::exit(2);
}

pid_t start_process(int input, int errors, const LoadedVariables& variables) {
  EnvironmentChanges changes = without_simulator_variables();
  for (const auto& [name, value] : variables) changes[name] = value;
  std::vector<std::string> words = {kProgram, kLibraries};
  std::vector<std::string> environment = environment_with(changes);
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(environment);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  pid_t process = -1;
  const int error = posix_spawn(&process, kProgram, &files, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) give_up("cannot be started", error);
  return process;
}

}  // namespace

bool LoadedSide::is_possible() { return sizeof SVMSIM_LOADED_BUILD > 1 && access(kProgram, X_OK) == 0; }

LoadedSide::LoadedSide(const LoadedVariables& variables, const Platform& platform) : platform_(platform) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) give_up("no socket", errno);
  errors_ = memfd_create("standard error", MFD_CLOEXEC);
  if (errors_ < 0) give_up("no memory file", errno);
  socket_ = ends[0];
  process_ = start_process(ends[1], errors_, variables);
  close(ends[1]);
}

LoadedSide::~LoadedSide() {
  static_cast<void>(end_process());
  close(errors_);
}

DriverState LoadedSide::state() const {
  DriverState state;
  state.now_ns = now_ns_;
  return state;
}

// There is no other machine in that process.
DeviceAddr LoadedSide::base() const { return slice_layout().first_slice(); }

DriverAnswer LoadedSide::carry_out(const DriverCall& call, std::uint64_t address) {
  DriverAnswer answer;
  if (!exchange(call, address, answer)) {
    static_cast<void>(finish());
    if (complaint_.empty()) complaint_ = "the process ended before its time";
    return answer;
  }
  if (call.kind == DriverCallKind::kDevicePointer) {
    // U5: a program on v3 finds no such function, where the driver in process answers that it is not supported.
    const bool absent = answer.code == kNoFunction;
    if (absent != (platform_.personality == Personality::kV3)) {
      complaint_ = absent ? "halMemHostGetDevPointer is absent" : "halMemHostGetDevPointer is there on v3";
    }
    if (absent) answer.code = svmrt::code_number(DriverCode::kNotSupport);
  }
  return answer;
}

bool LoadedSide::exchange(const DriverCall& call, std::uint64_t address, DriverAnswer& answer) {
  const LoadedRequest request{call, address};
  LoadedReply reply;
  if (!send_all(socket_, &request, sizeof request) || !receive_all(socket_, &reply, sizeof reply)) return false;
  answer = {reply.code, reply.result, std::vector<std::uint8_t>(reply.bytes)};
  now_ns_ = reply.now_ns;
  return receive_all(socket_, answer.bytes.data(), answer.bytes.size());
}

std::string LoadedSide::end_process() {
  if (process_ < 0) return {};
  close(socket_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("the process ended by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("the process ended with exit code {}", WEXITSTATUS(status));
}

std::string LoadedSide::finish() {
  const std::string wrong = end_process();
  std::string errors;
  char buffer[4096];
  for (off_t at = 0;;) {
    const ssize_t count = pread(errors_, buffer, sizeof buffer, at);
    if (count <= 0) break;
    errors.append(buffer, static_cast<std::size_t>(count));
    at += count;
  }
  if (!wrong.empty()) complaint_ = fmt::format("{}: {}", wrong, errors);
  return errors;
}

}  // namespace svmsim
