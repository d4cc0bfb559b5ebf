// SPDX-License-Identifier: Apache-2.0
// The files that svmsim reads: the first byte is the format, the rest is the text. Whatever it says, svmsim reads it in
// bounded time and memory, and an error names the file and the key or line.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/input_format.h"
#include "fuzz/require.h"
#include "fuzz/target.h"
#include "fuzz/text_mutator.h"

namespace svmsim {
namespace {

// Recursion over what a file nests ends here, not after 8 MiB.
constexpr rlim_t kStackBytes = rlim_t{1} << 20;

void limit_stack() {
  static const bool done = [] {
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, kStackBytes);
    return setrlimit(RLIMIT_STACK, &limit) == 0;
  }();
  require(done, "the stack cannot be limited");
}

// C0, DEL and C1, the latter as UTF-8.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 'x');
    if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && 0x80 <= next && next < 0xa0)) return true;
  }
  return false;
}

// A number between two colons behind the file's name, as in "f.toml:3: ".
bool names_a_line(const CliError& error) {
  const std::string_view rest = std::string_view(error.message).substr(error.file.size());
  return rest.size() > 1 && rest[0] == ':' && '1' <= rest[1] && rest[1] <= '9';
}

void check_error(const CliError& error, const std::string& folder) {
  constexpr std::size_t kLongest = 8 << 10;
  const auto check = [&](bool holds, const char* what) {
    require(holds,
            fmt::format("an error {}: key '{}', message: {}", what, error.key, error.message.substr(0, kLongest)));
  };
  check(error.exit_code == ExitCode::kBadInput, "that is none of bad input");
  // Of the file, or of one beside it that it names.
  check(error.file.starts_with(folder), "of no file");
  check(error.message.starts_with(error.file), "that does not name the file");
  check(!error.key.empty() || names_a_line(error), "without key and line");
  check(error.key.empty() || error.message.find(error.key) != std::string::npos, "that does not name the key");
  check(!error.allowed.empty(), "that does not say what is allowed");
  check(!has_control_character(error.message), "with a control character");
  check(error.message.size() <= kLongest, "that is too long to read");
  // Fails for a text that is not UTF-8.
  const Json document = Json::parse(document_text(error_document(error)), nullptr, false);
  check(document.is_object() && document.at("error").at("message") == error.message, "that is another in JSON");
}

std::string text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

std::size_t put(const std::string& text, std::uint8_t* to, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::copy_n(text.begin(), size, to);
  return size;
}

}  // namespace
}  // namespace svmsim

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  svmsim::limit_stack();
  const svmsim::InputFormat& format = svmsim::input_format(size > 0 ? data[0] : 0);
  const std::string file = format.file();
  const std::string text = size > 0 ? svmsim::text_of(data + 1, size - 1) : std::string();
  const auto error = format.read(text, file);
  if (error) svmsim::check_error(*error, file.substr(0, file.rfind('/')));
  return 0;
}

// Half of the time the engine changes bytes, with its dictionary if it has one.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (size > 0 && seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  return svmsim::put(svmsim::mutated_text(svmsim::text_of(data, size), seed), data, most);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t most, unsigned seed) {
  const auto text = svmsim::spliced_text(svmsim::text_of(one, one_size), svmsim::text_of(other, other_size), seed);
  return svmsim::put(text, out, most);
}
