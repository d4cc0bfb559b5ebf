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
constexpr int kMostExtensions = 8;    // of a platform, as its loader takes them

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

// Bytes with a zero behind them; what is more than kSize - 1 of them is lost.
template <int kSize>
class Text {
 public:
  void clear() { length_ = 0; }
  void add(int byte) {
    if (length_ < kSize - 1) text_[length_++] = static_cast<char>(byte);
  }
  void add(const char* text) {
    for (; *text != '\0'; ++text) add(static_cast<unsigned char>(*text));
  }
  // Keeps what stands before the last slash, and that.
  void keep_folder() {
    while (length_ > 0 && text_[length_ - 1] != '/') --length_;
  }
  const char* text() {
    text_[length_] = '\0';
    return text_;
  }

 private:
  int length_ = 0;
  char text_[kSize];
};

using Path = Text<kLongestPath>;
using Word = Text<16>;  // longer than any key or value that counts

bool same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

// fixture_file.h says which arguments are paths.
bool names_a_path(const char* text) {
  while (*text != '\0' && *text != '/' && !same(text, ".toml")) ++text;
  return *text != '\0';
}

// Makes `path`, a platform's file, that of the platform that it calls `name`.
void go_to(Path& path, const char* name) {
  const bool is_path = names_a_path(name);
  if (!is_path || *name == '/') path.clear();
  path.keep_folder();
  if (!is_path) path.add(SVMSIM_FIXTURES_DIR "/platforms/");
  path.add(name);
  if (!is_path) path.add(".toml");
}

int after_blanks(RawFile& file, int byte) {
  while (byte == ' ' || byte == '\t') byte = file.next();
  return byte;
}

int hexadecimal_digit(int byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : kEnd;
}

// The character of an escape sequence, behind its backslash; kEnd for any that toml_text.h does not write.
int escaped(RawFile& file) {
  const int byte = file.next();
  if (byte == '"' || byte == '\\') return byte;
  if (byte != 'u') return kEnd;
  int character = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hexadecimal_digit(file.next());
    if (digit == kEnd) return kEnd;
    character = character * 16 + digit;
  }
  return character < 0x80 ? character : kEnd;
}

// What a quoted value holds. False when it does not end on its line. `last` holds the last byte that was read.
template <int kSize>
bool read_value(RawFile& file, int& last, Text<kSize>& value) {
  value.clear();
  last = after_blanks(file, last);
  const int quote = last;
  if (quote != '"' && quote != '\'') return false;
  for (last = file.next(); last != quote; last = file.next()) {
    if (last == '\\' && quote == '"') last = escaped(file);
    if (last == '\n' || last == kEnd) return false;
    value.add(last);
  }
  return true;
}

// What the lines of a platform file say that read KEY = "VALUE".
struct PlatformKeys {
  bool has_personality = false;
  bool is_v3 = false;
  bool extends = false;
};

// `base` takes the value of `extends`.
PlatformKeys read_platform_keys(const char* path, Path& base) {
  PlatformKeys keys;
  RawFile file(path);
  for (int byte = file.next(); byte != kEnd; byte = file.next()) {
    Word key;
    for (byte = after_blanks(file, byte); byte >= 'a' && byte <= 'z'; byte = file.next()) key.add(byte);
    byte = after_blanks(file, byte);
    if (byte == '=') {
      byte = file.next();
      Word word;
      if (same(key.text(), "personality") && read_value(file, byte, word)) {
        keys.has_personality = true;
        keys.is_v3 = same(word.text(), "v3");
      }
      if (same(key.text(), "extends") && read_value(file, byte, base)) keys.extends = true;
    }
    while (byte != '\n' && byte != kEnd) byte = file.next();
  }
  return keys;
}

// The personality of SVMSIM_PLATFORM, or else of the platform that it extends, as the process finds them
// (fixture_file.h, platform.h). Without the variable there is nothing to look at: the default platform is not v3.
bool platform_is_v3() {
  RawFile environment("/proc/self/environ");
  if (!find_variable(environment, "SVMSIM_PLATFORM=")) return false;
  Path name;
  for (int byte = environment.next(); byte != 0 && byte != kEnd; byte = environment.next()) name.add(byte);
  Path path;
  for (int files = 0; files <= kMostExtensions; ++files) {
    go_to(path, name.text());
    const PlatformKeys keys = read_platform_keys(path.text(), name);
    if (keys.has_personality || !keys.extends) return keys.is_v3;
  }
  return false;
}

}  // namespace

bool svmsim_symbol_is_absent(const char* name) {
  return omitted(name) || (same(name, "halMemHostGetDevPointer") && platform_is_v3());
}
