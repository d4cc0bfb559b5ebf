// SPDX-License-Identifier: Apache-2.0
// Reads typed values from a TOML file and reports the first mistake with file, line, key, value and what is allowed.
// The caller owns the ConfigReader; tables borrow from it. Thread-compatible.
//
//   auto reader = ConfigReader::open(path);
//   if (!reader) return tl::unexpected(reader.error());
//   ConfigTable root = reader->root();
//   Thing thing;
//   thing.name = root.text("name");
//   thing.rounds = root.integer_or<std::uint32_t>("rounds", 1, 1, 1000);
//   for (ConfigTable& row : root.tables("point")) thing.points.push_back(row.integer<std::uint64_t>("bytes", 1, kMax));
//   return reader->finish(std::move(thing));
//
// Every read returns a usable value: from the first mistake on the smallest allowed one (or the default), as if nothing
// more were in the file.
// finish() then returns the error instead of the value, so nothing else needs a check. It also refuses each key of a
// visited table that no read asked for; a loader that stops half way returns `tl::unexpected(*reader->first_error())`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace svmsim {

struct ConfigError {
  std::string file;
  std::uint32_t line = 0;  // from 1; 0 when the file as a whole is meant
  std::string key;         // dotted, as in "tensor[2].shape"; empty when the file as a whole is meant
  std::string value;       // what was found, shortened to a line
  std::string allowed;     // what would have been right

  // One line: "FILE:LINE: KEY: found VALUE; allowed: ALLOWED". Control characters are escaped.
  [[nodiscard]] std::string message() const;
};

template <typename T>
using ConfigResult = tl::expected<T, ConfigError>;

// Larger files are refused unread.
inline constexpr std::uint64_t kMaxConfigBytes = std::uint64_t{2} << 20;

// An array of more tables is refused.
inline constexpr std::size_t kMaxConfigTables = 100'000;

// One allowed word of a choice() and what it stands for.
template <typename E>
struct Choice {
  std::string_view name;
  E value;
};

// The word that stands for `value`; the first one when none does.
template <typename E, std::size_t N>
[[nodiscard]] constexpr std::string_view word_of(const Choice<E> (&choices)[N], E value) {
  for (const Choice<E>& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return choices[0].name;
}

// A table of the file. Cheap to copy; valid as long as its ConfigReader (which may be moved).
class ConfigTable {
 public:
  // Dotted path of this table: "" for the root, "tensor[2]" for an element.
  [[nodiscard]] const std::string& path() const;
  // True when the key is present, whatever its type. Counts as asking for it.
  [[nodiscard]] bool has(std::string_view key);

  // Required values; the `_or` form takes a default for an absent key. Ranges include both ends.
  [[nodiscard]] std::string text(std::string_view key);  // not empty
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view fallback);
  [[nodiscard]] bool boolean(std::string_view key);
  [[nodiscard]] bool boolean_or(std::string_view key, bool fallback);
  // A decimal or an integer, finite.
  [[nodiscard]] double decimal(std::string_view key, double min, double max);
  [[nodiscard]] double decimal_or(std::string_view key, double fallback, double min, double max);

  // TOML integers end at 2^63 - 1: a larger `max` means that.
  template <std::integral T>
  [[nodiscard]] T integer(std::string_view key, T min, T max) {
    return static_cast<T>(read_integer(key, std::nullopt, clamped(min), clamped(max)));
  }
  template <std::integral T>
  [[nodiscard]] T integer_or(std::string_view key, T fallback, T min, T max) {
    return static_cast<T>(read_integer(key, clamped(fallback), clamped(min), clamped(max)));
  }
  // An integer in the range, or the text `word`, which stands for `meaning`.
  template <std::integral T>
  [[nodiscard]] T integer_or_word(std::string_view key, T min, T max, std::string_view word, T meaning) {
    const std::optional<std::int64_t> value = read_integer_or_word(key, clamped(min), clamped(max), word);
    return value ? static_cast<T>(*value) : meaning;
  }
  // An integer out of a short list, which is not empty.
  [[nodiscard]] std::uint64_t integer_choice(std::string_view key, std::span<const std::uint64_t> allowed);
  [[nodiscard]] std::uint64_t integer_choice_or(std::string_view key, std::uint64_t fallback,
                                                std::span<const std::uint64_t> allowed);

  // A word out of a table of words.
  template <typename E, std::size_t N>
  [[nodiscard]] E choice(std::string_view key, const Choice<E> (&choices)[N]) {
    const auto names = names_of(choices);
    return choices[read_choice(key, true, names).value_or(0)].value;
  }
  template <typename E, std::size_t N>
  [[nodiscard]] E choice_or(std::string_view key, E fallback, const Choice<E> (&choices)[N]) {
    const auto names = names_of(choices);
    const std::optional<std::size_t> index = read_choice(key, false, names);
    return index ? choices[*index].value : fallback;
  }

  // An array whose elements all pass integer(); an error names the element, as in "shape[1]".
  template <std::integral T>
  [[nodiscard]] std::vector<T> integers(std::string_view key, T min, T max) {
    return narrowed<T>(read_integers(key, true, clamped(min), clamped(max)));
  }
  template <std::integral T>  // empty when absent
  [[nodiscard]] std::vector<T> integers_or_empty(std::string_view key, T min, T max) {
    return narrowed<T>(read_integers(key, false, clamped(min), clamped(max)));
  }
  // An array of texts, none of them empty.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  [[nodiscard]] std::vector<std::string> texts_or_empty(std::string_view key);

  // [key], required: an absent one is an error and reads as an empty table. Ask has() first for an optional one.
  [[nodiscard]] ConfigTable table(std::string_view key);
  // [[key]], in file order.
  [[nodiscard]] std::vector<ConfigTable> tables(std::string_view key);
  [[nodiscard]] std::vector<ConfigTable> tables_or_empty(std::string_view key);

  // Records a mistake that only the caller can see, such as two keys that exclude each other. The value found is
  // filled in.
  void reject(std::string_view key, std::string allowed);

 private:
  friend class ConfigReader;
  struct Node;
  explicit ConfigTable(Node* node) : node_(node) {}

  template <std::integral T>
  static constexpr std::int64_t clamped(T value) {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    return std::cmp_greater(value, kMax) ? kMax : static_cast<std::int64_t>(value);
  }
  template <std::integral T>
  static std::vector<T> narrowed(const std::vector<std::int64_t>& values) {
    std::vector<T> result;
    result.reserve(values.size());
    for (const std::int64_t value : values) result.push_back(static_cast<T>(value));
    return result;
  }
  template <typename E, std::size_t N>
  static std::array<std::string_view, N> names_of(const Choice<E> (&choices)[N]) {
    std::array<std::string_view, N> names;
    for (std::size_t i = 0; i < N; ++i) names[i] = choices[i].name;
    return names;
  }

  std::int64_t read_integer(std::string_view key, std::optional<std::int64_t> fallback, std::int64_t min,
                            std::int64_t max);
  std::optional<std::int64_t> read_integer_or_word(std::string_view key, std::int64_t min, std::int64_t max,
                                                   std::string_view word);
  std::optional<std::size_t> read_choice(std::string_view key, bool required, std::span<const std::string_view> names);
  std::vector<std::int64_t> read_integers(std::string_view key, bool required, std::int64_t min, std::int64_t max);
  std::vector<std::string> read_texts(std::string_view key, bool required);
  std::vector<ConfigTable> read_tables(std::string_view key, bool required);

  Node* node_;
};

class ConfigReader {
 public:
  // Fails for anything but a readable regular file of at most kMaxConfigBytes that holds valid TOML.
  [[nodiscard]] static ConfigResult<ConfigReader> open(const std::string& path);
  // The same from memory; `file` is the name that errors carry.
  [[nodiscard]] static ConfigResult<ConfigReader> parse(std::string_view text, std::string file);

  ConfigReader(ConfigReader&&) noexcept;
  ~ConfigReader();

  [[nodiscard]] ConfigTable root();
  [[nodiscard]] const std::optional<ConfigError>& first_error() const;

  // The value, or the first mistake: of a read or a reject(), else the first unknown key in file order. Call it once
  // every key that may be present has been asked for.
  template <typename T>
  [[nodiscard]] ConfigResult<T> finish(T value) {
    if (std::optional<ConfigError> error = check()) return tl::unexpected(*std::move(error));
    return value;
  }

 private:
  friend class ConfigTable;
  struct Document;
  explicit ConfigReader(std::unique_ptr<Document> document);
  [[nodiscard]] std::optional<ConfigError> check() const;

  std::unique_ptr<Document> document_;
};

}  // namespace svmsim
