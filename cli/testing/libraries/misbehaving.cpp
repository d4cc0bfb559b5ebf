// SPDX-License-Identifier: Apache-2.0
// A board's library that is loaded, and then does what FAKE_DEED says. Before that it locks the file FAKE_LOCK, if
// there is one, for as long as any of its processes lives, and writes a byte to it.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void hang() {
  while (true) pause();
}

// A child that lives on, in this group or in one of its own.
void leave_a_child(bool in_group) {
  if (fork() != 0) return;
  if (!in_group) {
    setsid();
    alarm(20);  // nobody ends it
  }
  hang();
}

// Into each pipe but the standard streams.
void babble() {
  for (int descriptor = STDERR_FILENO + 1; descriptor < 1024; ++descriptor) {
    struct stat found {};
    if (fstat(descriptor, &found) == 0 && S_ISFIFO(found.st_mode) && write(descriptor, "hello", 5) != 5) std::abort();
  }
}

[[gnu::constructor]] void act() {
  const std::string_view lock = variable("FAKE_LOCK");
  if (!lock.empty()) {
    const int file = open(lock.data(), O_RDWR | O_CREAT, 0600);
    if (flock(file, LOCK_EX) != 0 || write(file, "x", 1) != 1) std::abort();
  }
  const std::string_view deed = variable("FAKE_DEED");
  if (deed == "exit 0") _exit(0);
  if (deed == "exit 2") _exit(2);
  if (deed == "exit 7") _exit(7);
  if (deed == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would make an exit code of it
    raise(SIGSEGV);
  }
  if (deed == "close") {  // goes on, as a library without a driver's functions
    for (int descriptor = STDERR_FILENO + 1; descriptor < 64; ++descriptor) close(descriptor);
    return;
  }
  if (deed == "babble") {
    babble();
    _exit(0);
  }
  if (deed == "hang") hang();
  if (deed == "family") {
    leave_a_child(true);
    hang();
  }
  if (deed == "interrupt") {
    kill(getppid(), SIGTERM);
    hang();
  }
  leave_a_child(deed == "child");
  _exit(7);
}

}  // namespace
