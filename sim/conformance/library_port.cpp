// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/library_port.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace svmsim {
namespace {

constexpr char kInterrupted[] = "an interruption";

}  // namespace

LibraryPort::LibraryPort(LibrarySetup setup, const HalSurroundings& surroundings)
    : setup_(std::move(setup)), surroundings_(surroundings) {}

LibraryPort::~LibraryPort() { end_process(); }

void LibraryPort::begin_case() {
  end_process();
  failure_.clear();
  absent_ = false;
  exit_code_.reset();
  simulated_ = false;
  library_path_.clear();
  if (setup_.interrupted && setup_.interrupted()) {
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
  if (const auto error = process_.start({setup_.host_program, setup_.library}, setup_.environment, ends[1])) {
    failure_ = *error;
  }
  close(ends[1]);
  socket_ = ends[0];
}

std::string LibraryPort::end_process() {
  const auto status = process_.end();
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (!status) return "ended unseen";
  exit_code_ = exit_code_of(*status);
  return end_text(*status);
}

HostEvent LibraryPort::wait_for(int descriptor) const {
  return process_.wait(descriptor, std::chrono::steady_clock::now() + setup_.guard, setup_.interrupted);
}

// The other side of the socket is closed, or said nonsense: its process is about to end, or it lives and is ended here.
void LibraryPort::break_off() {
  const bool ends_itself = wait_for(-1) == HostEvent::kEnded;
  const std::string end = end_process();
  failure_ = ends_itself ? "a process that " + end : "a process that broke off the conversation and went on";
}

HostAnswer LibraryPort::receive() {
  HostAnswer answer;
  const HostEvent event = wait_for(socket_);
  if (event == HostEvent::kTooLate || event == HostEvent::kInterrupted) {
    end_process();
    failure_ =
        event == HostEvent::kInterrupted ? kInterrupted : fmt::format("no answer within {} ms", setup_.guard.count());
    return answer;
  }
  // What is there is taken; after its end, nothing more comes.
  if (recv(socket_, &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer) {
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
