// SPDX-License-Identifier: Apache-2.0
// The process's standard streams: stdout belongs to the command's result alone, everything else, also what an
// orchestration prints, goes to stderr. Failing streams never end the process. Thread-safe for error lines.
#pragma once

#include <string>

namespace svmsim {

class StandardStreams {
 public:
  // Opens closed descriptors 0 to 2 on /dev/null, so that no file of the command takes their place, keeps stdout for
  // write_result and points descriptor 1 at stderr. One per process, first thing in main.
  StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;
  ~StandardStreams();

  // All of `text` to what was stdout; false when it was closed or does not take it.
  [[nodiscard]] bool write_result(const std::string& text) const;

 private:
  int result_ = -1;  // -1: stdout was closed
};

// "svmsim: TEXT" as one line on stderr, control characters escaped; lost when stderr does not take it.
void print_error_line(const std::string& text);

// What is done now, in a line of the terminal behind stderr that the next one replaces, and its end; elsewhere nothing.
void show_step(const std::string& step);
void clear_step();

}  // namespace svmsim
