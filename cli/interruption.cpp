// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

namespace svmsim {

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

Interruption::Interruption() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool Interruption::happened() { return interrupted != 0; }

}  // namespace svmsim
