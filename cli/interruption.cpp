// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

namespace svmsim {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

Interruption::Interruption() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    const bool outlives_terminal = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;  // nohup
    if (!outlives_terminal) sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  interrupted = 0;
}

bool Interruption::happened() { return interrupted != 0; }

}  // namespace svmsim
