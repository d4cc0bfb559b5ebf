// SPDX-License-Identifier: Apache-2.0
#include "fuzz/text_mutator.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/check_report.h"
#include "fuzz/fixtures_folder.h"
#include "fuzz/input_format.h"
#include "fuzz/require.h"
#include "property_tests/dice.h"

namespace svmsim {

namespace {

using Lines = std::vector<std::string>;  // each with its line end, if it has one
using namespace std::string_view_literals;

constexpr std::array kValues{"0"sv,
                             "1"sv,
                             "-1"sv,
                             "2"sv,
                             "4096"sv,
                             "65535"sv,
                             "65536"sv,
                             "1073741824"sv,
                             "2147483647"sv,
                             "2147483648"sv,
                             "4294967295"sv,
                             "4294967296"sv,
                             "9223372036854775807"sv,
                             "-9223372036854775808"sv,
                             "9223372036854775808"sv,
                             "18446744073709551615"sv,
                             "0x7fffffffffffffff"sv,
                             "1.5"sv,
                             "1e308"sv,
                             "-0.0"sv,
                             "inf"sv,
                             "nan"sv,
                             "true"sv,
                             "false"sv,
                             "\"\""sv,
                             "\"\\u0000\""sv,
                             "\"\\u009b\""sv,
                             "\"\\u001b[2J\""sv,
                             "\"\\U0001f600\""sv,
                             "[]"sv,
                             "[[]]"sv,
                             "{}"sv,
                             "[1, 2]"sv,
                             "[\"a\", \"a\"]"sv,
                             "{ a = 1 }"sv,
                             "2026-12-02"sv,
                             "null"sv,
                             "'''\nx'''"sv};
constexpr std::array kCharacters{
    "\""sv,   "'"sv,      "\\"sv,           "["sv,  "]"sv,    "{"sv,        "}"sv, "="sv, ","sv, "."sv,
    "#"sv,    "\n"sv,     "\r\n"sv,         "\0"sv, "\x7f"sv, "\xc2\x9b"sv, "_"sv, ":"sv, "-"sv, "\xff"sv,
    "\x1b"sv, "\"\"\""sv, "\xef\xbb\xbf"sv, "+"sv};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// Where the value of a line is: behind a '=' or a ':', and before what ends it.
std::pair<std::size_t, std::size_t> value_of(std::string_view line, Dice& dice) {
  std::vector<std::size_t> marks;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '=' || line[i] == ':') marks.push_back(i + 1);
  }
  if (marks.empty()) return {0, 0};
  const std::size_t begin = marks[dice.below(marks.size())];
  const std::size_t end = std::min(line.find_first_of(",}\n", begin), line.size());
  return {begin, end};
}

class TextMutation {
 public:
  TextMutation(std::string_view input, std::uint64_t seed)
      : dice_(seed, 1), letter_(input.front()), lines_(lines_of(input.substr(1))) {}

  std::string run() {
    std::uint64_t steps = 1;
    while (steps < 8 && dice_.one_in(3)) ++steps;
    for (; steps > 0; --steps) step();
    return letter_ + joined(lines_);
  }

 private:
  std::size_t any() { return dice_.below(lines_.size()); }
  Lines::iterator place(std::size_t index) { return lines_.begin() + static_cast<std::ptrdiff_t>(index); }

  void step() {
    constexpr std::uint32_t kWeights[] = {4, 3, 3, 2, 8, 6, 4, 1};
    const std::size_t what = lines_.empty() ? 0 : dice_.weighted(kWeights);
    switch (what) {
      case 0:  // a line that a file of the format has
        lines_.insert(place(dice_.below(lines_.size() + 1)), shipped_line());
        break;
      case 1:
        lines_.erase(place(any()));
        break;
      case 2: {
        const std::string copy = lines_[any()];
        lines_.insert(place(any()), copy);
        break;
      }
      case 3:
        std::swap(lines_[any()], lines_[any()]);
        break;
      case 4:
        replace_value(std::string(dice_.pick(std::span<const std::string_view>(kValues))));
        break;
      case 5:
        replace_value(other_value());
        break;
      case 6:
        change_characters();
        break;
      default:
        letter_ = dice_.pick(input_formats()).letter;
        break;
    }
  }

  std::string shipped_line() {
    const std::vector<std::string>& all = shipped_inputs();
    // Mostly of this format.
    for (int tries = 0; tries < 8; ++tries) {
      const std::string& input = all[dice_.below(all.size())];
      if (input.front() != letter_ && tries < 7) continue;
      const Lines lines = lines_of(std::string_view(input).substr(1));
      if (!lines.empty()) return lines[dice_.below(lines.size())];
    }
    return "\n";
  }

  std::string other_value() {
    const std::string line = dice_.one_in(2) ? lines_[any()] : shipped_line();
    const auto [begin, end] = value_of(line, dice_);
    return line.substr(begin, end - begin);
  }

  void replace_value(const std::string& value) {
    std::string& line = lines_[any()];
    const auto [begin, end] = value_of(line, dice_);
    if (end > begin) line.replace(begin, end - begin, value.starts_with(' ') ? value : " " + value);
  }

  void change_characters() {
    std::string& line = lines_[any()];
    const std::size_t at = dice_.below(line.size() + 1);
    if (dice_.one_in(3)) line.erase(at, 1 + dice_.below(4));
    if (dice_.one_in(2)) {
      line.insert(std::min(at, line.size()), dice_.pick(std::span<const std::string_view>(kCharacters)));
    }
  }

  Dice dice_;
  char letter_;
  Lines lines_;
};

// A report, of which no file is shipped.
std::string report_text() {
  CheckReport report;
  report.cases = 10;
  report.shards = {0};
  report.judged = 10;
  report.complete = true;
  report.failure.emplace();
  report.failure->failure = {"answer", 0, "a run was opened"};
  report.failure->scenario.operations = {Operation{}};
  report.failure->file = "failing-1-0.toml";
  report.failure->reproduce = {"svmsim check --seed 1"};
  return document_text(check_json(report));
}

}  // namespace

const std::vector<std::string>& shipped_inputs() {
  static const std::vector<std::string> inputs = [] {
    namespace fs = std::filesystem;
    std::vector<std::string> read;
    for (const InputFormat& format : input_formats()) {
      std::vector<fs::path> files;
      std::error_code absent;  // of a format of which no file is shipped
      for (const auto& entry : fs::directory_iterator(fs::path(format.file()).parent_path(), absent)) {
        if (entry.path().extension() == format.ending) files.push_back(entry.path());
      }
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) {
        std::ifstream stream(file, std::ios::binary);
        read.push_back(format.letter + std::string(std::istreambuf_iterator<char>(stream), {}));
      }
    }
    read.push_back("m" + report_text());
    require(read.size() > 1, "no file in " + fixtures_folder());
    return read;
  }();
  return inputs;
}

std::string mutated_text(std::string_view input, std::uint64_t seed) {
  if (input.empty()) {
    Dice dice(seed, 2);
    return shipped_inputs()[dice.below(shipped_inputs().size())];
  }
  return TextMutation(input, seed).run();
}

std::string spliced_text(std::string_view one, std::string_view other, std::uint64_t seed) {
  Dice dice(seed, 3);
  const Lines head = lines_of(one);
  const Lines tail = lines_of(other.substr(std::min<std::size_t>(other.size(), 1)));
  const std::size_t taken = dice.below(head.size() + 1);
  const std::size_t left = dice.below(tail.size() + 1);
  return joined({head.begin(), head.begin() + static_cast<std::ptrdiff_t>(taken)}) +
         joined({tail.begin() + static_cast<std::ptrdiff_t>(left), tail.end()});
}

}  // namespace svmsim
