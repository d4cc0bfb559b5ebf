// SPDX-License-Identifier: Apache-2.0
// Begin and end of libsvmsim_process.so. The report is due when the program has done its last call and its exit
// status is known. A destructor of this library runs after all that the program registered; on_exit() tells the
// status. Which comes first depends on whether the program was linked with the libraries or loaded them later, so
// the second of the two finishes.
#include <pthread.h>

#include <cstdlib>
#include <optional>

#include "sim/dropin/process.h"

namespace {

struct End {
  std::optional<int> status;
  bool destructor_ran = false;
};
constinit End end;

void finish_if_last() {
  if (end.status && end.destructor_ran) svmsim::Process::instance().finish(*end.status);
}

void note_status(int status, void* /*nothing*/) {
  end.status = status & 0xff;
  finish_if_last();
}

void before_fork() { svmsim::Process::instance().before_fork(); }
void after_fork() { svmsim::Process::instance().after_fork(); }

__attribute__((constructor)) void library_begins() {
  on_exit(note_status, nullptr);
  pthread_atfork(before_fork, after_fork, after_fork);
}

__attribute__((destructor)) void library_ends() {
  end.destructor_ran = true;
  finish_if_last();
}

}  // namespace
