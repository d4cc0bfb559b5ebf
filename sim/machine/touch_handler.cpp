// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/touch_handler.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <optional>

#include "sim/descriptor.h"
#include "sim/machine/touch_report.h"

namespace svmsim {

namespace {

// As many as machines fit into a process; one more is simply not explained.
std::array<std::atomic<const TouchWatch*>, 32> watches{};
struct sigaction previous_action {};

// Somebody sent the signal; no address was touched.
bool was_sent(const siginfo_t& info) { return info.si_code <= 0; }

// Hands the signal to whoever would have got it. With the default action back in place, the touch is repeated on return
// and ends the process as a SIGSEGV does, whether it is ignored or not; a signal that was sent has to be sent again.
void pass_on(int signal, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_IGN && was_sent(*info)) {
    return;
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    std::signal(signal, SIG_DFL);
    if (was_sent(*info)) raise(signal);
  } else {
    previous_action.sa_handler(signal);
  }
}

void on_segv(int signal, siginfo_t* info, void* context) {
  for (const auto& slot : watches) {
    const TouchWatch* const watch = was_sent(*info) ? nullptr : slot.load();
    if (watch != nullptr && watch->report(reinterpret_cast<std::uint64_t>(info->si_addr))) break;
  }
  pass_on(signal, info, context);
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_segv;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous_action);
}

}  // namespace

TouchWatch::TouchWatch(const TouchRanges& ranges, const MappingHistory& history) : ranges_(ranges), history_(history) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  for (auto& slot : watches) {
    const TouchWatch* none = nullptr;
    if (slot.compare_exchange_strong(none, this)) return;
  }
}

TouchWatch::~TouchWatch() {
  for (auto& slot : watches) {
    const TouchWatch* self = this;
    slot.compare_exchange_strong(self, nullptr);
  }
}

bool TouchWatch::report(std::uint64_t host_address) const {
  Touch touch;
  touch.host_address = host_address;
  touch.slice_base = ranges_.slice_base;
  touch.in_forked_child = !owner_.is_this();
  if (host_address - ranges_.view_base < ranges_.size.count()) {
    touch.device_address = ranges_.slice_base + svmrt::Bytes(host_address - ranges_.view_base);
  } else if (host_address - ranges_.slice_base.value() < ranges_.size.count()) {
    touch.device_address = svmrt::DeviceAddr(host_address);
    touch.range = TouchedRange::kRawDevice;
  } else {
    return false;
  }
  const auto history = history_.at(touch.device_address);
  std::array<char, 1024> text;
  const std::size_t length = describe_touch(touch, history ? &*history : nullptr, text);
  static_cast<void>(write_all(STDERR_FILENO, {text.data(), length}));
  return true;
}

}  // namespace svmsim
