// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/library_port.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace svmsim {
namespace {

constexpr char kInterrupted[] = "an interruption";

std::string end_text(int status) {
  if (WIFEXITED(status)) return fmt::format("a process that ended with exit code {}", WEXITSTATUS(status));
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return fmt::format("a process that died of SIG{}", name == nullptr ? std::to_string(WTERMSIG(status)) : name);
}

}  // namespace

LibraryPort::LibraryPort(LibrarySetup setup, const HalSurroundings& surroundings)
    : setup_(std::move(setup)), surroundings_(surroundings) {}

LibraryPort::~LibraryPort() { end_process(); }

void LibraryPort::begin_case() {
  end_process();
  failure_.clear();
  absent_ = false;
  simulated_ = false;
  library_path_.clear();
  if (interrupted()) {
    failure_ = kInterrupted;
    return;
  }
  start_process();
  if (!failure_.empty()) return;
  const HostAnswer loaded = receive();
  absent_ = loaded.absent;
  library_path_ = loaded.library;
  simulated_ = loaded.simulated;
}

void LibraryPort::start_process() {
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    failure_ = fmt::format("no socket: {}", std::strerror(errno));
    return;
  }
  std::vector<std::string> arguments{setup_.host_program, setup_.library};
  std::vector<std::string> environment = environment_with(setup_.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Also where both are the same descriptor, dup2 here clears close-on-exec.
  posix_spawn_file_actions_adddup2(&actions, ends[1], kHostSocket);
  const int error = posix_spawn(&process_, setup_.host_program.c_str(), &actions, nullptr,
                                pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  if (error != 0) {
    process_ = -1;
    failure_ = fmt::format("no process: {}: {}", setup_.host_program, std::strerror(error));
  }
}

int LibraryPort::end_process() {
  int status = 0;
  if (process_ > 0) {
    kill(process_, SIGKILL);  // changes nothing about one that died before
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (socket_ >= 0) close(socket_);
  process_ = -1;
  socket_ = -1;
  return status;
}

// In short waits: a signal that came just before one of them does not end it.
bool LibraryPort::wait_for(int descriptor) const {
  constexpr std::chrono::milliseconds kShort{100};
  pollfd ready{descriptor, POLLIN, 0};
  for (auto left = setup_.guard; left.count() > 0 && !interrupted(); left -= kShort) {
    if (poll(&ready, 1, static_cast<int>(std::min(left, kShort).count())) > 0) return true;
  }
  return false;
}

// The other side of the socket is closed, or said nonsense: its process is about to end, or it lives and is ended here.
void LibraryPort::break_off() {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  const bool ends_itself = process < 0 || wait_for(process);
  if (process >= 0) close(process);
  const std::string text = end_text(end_process());
  failure_ = ends_itself ? text : "a process that broke off the conversation and went on";
}

HostAnswer LibraryPort::receive() {
  HostAnswer answer;
  if (!wait_for(socket_)) {
    end_process();
    failure_ = interrupted() ? kInterrupted : fmt::format("no answer within {} ms", setup_.guard.count());
    return answer;
  }
  if (recv(socket_, &answer, sizeof answer, 0) != sizeof answer) {
    break_off();
    return {};
  }
  if (answer.failure[0] != '\0') failure_ = answer.failure;
  return answer;
}

HostAnswer LibraryPort::ask(const HostRequest& request) {
  HostAnswer none;
  none.output = request.output;
  if (!failure_.empty()) return none;
  if (send(socket_, &request, sizeof request, MSG_NOSIGNAL) != sizeof request) {
    break_off();
    return none;
  }
  const HostAnswer answer = receive();
  return failure_.empty() ? answer : none;
}

std::int32_t LibraryPort::ask_for(HostRequest request, std::uint64_t* output) {
  request.null_out = output == nullptr;
  if (output != nullptr) request.output = *output;
  const HostAnswer answer = ask(request);
  if (output != nullptr) *output = answer.output;
  return answer.code;
}

bool LibraryPort::has(HalSymbol symbol) {
  HostRequest request;
  request.symbol = static_cast<std::uint32_t>(symbol);
  return ask(request).code != 0;
}

std::string LibraryPort::reopen_device() {
  HostRequest request;
  request.call = HostCall::kReopenDevice;
  return ask(request).no_runtime;
}

std::string LibraryPort::ask_for_text(HostCall call) {
  HostRequest request;
  request.call = call;
  const HostAnswer answer = ask(request);
  return {answer.text, strnlen(answer.text, sizeof answer.text)};
}

std::string LibraryPort::driver_version() { return ask_for_text(HostCall::kDriverVersion); }

std::string LibraryPort::soc_name() { return ask_for_text(HostCall::kSocName); }

std::uint64_t LibraryPort::host_memory() {
  HostRequest request;
  request.call = HostCall::kHostMemory;
  return ask(request).output;
}

std::int32_t LibraryPort::mem_alloc(std::uint64_t* address, std::uint64_t size, std::uint64_t flag) {
  HostRequest request;
  request.call = HostCall::kMemAlloc;
  request.size = size;
  request.flag = flag;
  return ask_for(request, address);
}

std::int32_t LibraryPort::mem_free(std::uint64_t address) {
  HostRequest request;
  request.call = HostCall::kMemFree;
  request.address = address;
  return ask(request).code;
}

std::int32_t LibraryPort::host_register(std::uint64_t source, std::uint64_t size, std::uint32_t flag,
                                        std::uint32_t device_id, std::uint64_t* host) {
  HostRequest request;
  request.call = HostCall::kHostRegister;
  request.address = source;
  request.size = size;
  request.flag = flag;
  request.device_id = device_id;
  return ask_for(request, host);
}

std::int32_t LibraryPort::host_unregister(std::uint64_t source, std::uint32_t device_id) {
  HostRequest request;
  request.call = HostCall::kHostUnregister;
  request.address = source;
  request.device_id = device_id;
  return ask(request).code;
}

std::int32_t LibraryPort::host_unregister_ex(std::uint64_t source, std::uint32_t device_id, std::uint32_t flag) {
  HostRequest request;
  request.call = HostCall::kHostUnregisterEx;
  request.address = source;
  request.device_id = device_id;
  request.flag = flag;
  return ask(request).code;
}

bool LibraryPort::support_feature(std::uint32_t device_id, std::int32_t type) {
  HostRequest request;
  request.call = HostCall::kSupportFeature;
  request.device_id = device_id;
  request.type = type;
  return ask(request).code != 0;
}

std::int32_t LibraryPort::mem_host_get_dev_pointer(std::uint64_t host, std::uint32_t device_id,
                                                   std::uint64_t* address) {
  HostRequest request;
  request.call = HostCall::kMemHostGetDevPointer;
  request.address = host;
  request.device_id = device_id;
  return ask_for(request, address);
}

std::int32_t LibraryPort::mem_ctl(std::int32_t type, const MemCtlFeatures* in, MemCtlFeatures* out) {
  HostRequest request;
  request.call = HostCall::kMemCtl;
  request.type = type;
  request.null_in = in == nullptr;
  request.null_out = out == nullptr;
  if (in != nullptr) {
    request.flag = in->mask;
    request.device_id = in->device_id;
  }
  if (out != nullptr) request.output = out->mask;
  const HostAnswer answer = ask(request);
  if (out != nullptr) *out = MemCtlFeatures{answer.output, answer.device_id};
  return answer.code;
}

}  // namespace svmsim
