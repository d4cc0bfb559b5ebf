// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/absent_symbol.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kEnd = -1;
constexpr int kLongestPath = 4096;    // PATH_MAX with its zero
constexpr long kMostBytes = 2 << 20;  // of a platform file; far above what an environment can hold

// Bytes of a regular file, one after the other, as many as a platform file may have. Any other file, and one that
// cannot be read, has none.
class RawFile {
 public:
  explicit RawFile(const char* path)
      : descriptor_(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status;
    if (descriptor_ < 0 || syscall(SYS_newfstatat, descriptor_, "", &status, AT_EMPTY_PATH) != 0) return;
    if (S_ISREG(status.st_mode)) left_ = kMostBytes;
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile() {
    if (descriptor_ >= 0) syscall(SYS_close, descriptor_);
  }

  int next() {
    if (at_ == filled_) {
      filled_ = left_ <= 0 ? 0 : syscall(SYS_read, descriptor_, buffer_, sizeof buffer_);
      left_ -= filled_;
      at_ = 0;
      if (filled_ <= 0) {
        filled_ = 0;
        return kEnd;
      }
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

 private:
  long descriptor_;
  long left_ = 0;
  long at_ = 0;
  long filled_ = 0;
  char buffer_[512];
};

// Reads `text` off the file; false at the first byte that differs, which `last` then holds.
bool follows(RawFile& file, const char* text, int& last) {
  for (; *text != '\0'; ++text) {
    last = file.next();
    if (last != static_cast<unsigned char>(*text)) return false;
  }
  return true;
}

// Places `environment` behind "NAME=" of the first such variable.
bool find_variable(RawFile& environment, const char* name_and_equals) {
  int last = 0;
  while (!follows(environment, name_and_equals, last)) {
    while (last != 0 && last != kEnd) last = environment.next();
    if (last == kEnd) return false;
  }
  return true;
}

bool omitted(const char* name) {
  RawFile environment("/proc/self/environ");
  if (!find_variable(environment, "SVMSIM_OMIT=")) return false;
  int last = ',';
  while (last == ',') {
    if (follows(environment, name, last)) {
      last = environment.next();
      if (last == ',' || last == 0 || last == kEnd) return true;
    }
    while (last != ',' && last != 0 && last != kEnd) last = environment.next();
  }
  return false;
}

class Path {
 public:
  void add(int byte) {
    if (length_ < kLongestPath - 1) text_[length_++] = static_cast<char>(byte);
  }
  void add(const char* text) {
    for (; *text != '\0'; ++text) add(static_cast<unsigned char>(*text));
  }
  const char* text() {
    text_[length_] = '\0';
    return text_;
  }

 private:
  int length_ = 0;
  char text_[kLongestPath];
};

// The file of SVMSIM_PLATFORM, as the process finds it (fixture_file.h). Without the variable there is none here:
// the default platform is not v3.
bool platform_path(Path& path) {
  RawFile environment("/proc/self/environ");
  if (!find_variable(environment, "SVMSIM_PLATFORM=")) return false;
  Path value;
  bool is_path = false;
  for (int byte = environment.next(); byte != 0 && byte != kEnd; byte = environment.next()) {
    if (byte == '/') is_path = true;
    value.add(byte);
  }
  const char* const text = value.text();
  int length = 0;
  while (text[length] != '\0') ++length;
  const char* const ending = ".toml";
  int matched = 0;
  while (matched < 5 && length > matched && text[length - 1 - matched] == ending[4 - matched]) ++matched;
  if (matched == 5) is_path = true;
  if (!is_path) path.add(SVMSIM_FIXTURES_DIR "/platforms/");
  path.add(text);
  if (!is_path) path.add(ending);
  return true;
}

int after_blanks(RawFile& file, int byte) {
  while (byte == ' ' || byte == '\t') byte = file.next();
  return byte;
}

// True when a line of the file reads: personality = "v3".
bool platform_is_v3() {
  Path path;
  if (!platform_path(path)) return false;
  RawFile file(path.text());
  int byte = file.next();
  while (byte != kEnd) {
    byte = after_blanks(file, byte);
    if (byte == 'p' && follows(file, "ersonality", byte)) {
      byte = after_blanks(file, file.next());
      if (byte == '=') {
        byte = after_blanks(file, file.next());
        const int quote = byte;
        if ((quote == '"' || quote == '\'') && follows(file, "v3", byte)) {
          byte = file.next();
          if (byte == quote) return true;
        }
      }
    }
    while (byte != '\n' && byte != kEnd) byte = file.next();
    if (byte == '\n') byte = file.next();
  }
  return false;
}

bool same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

}  // namespace

bool svmsim_symbol_is_absent(const char* name) {
  return omitted(name) || (same(name, "halMemHostGetDevPointer") && platform_is_v3());
}
