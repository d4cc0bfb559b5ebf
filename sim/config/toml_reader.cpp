// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_reader.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "sim/config/nesting_limit.h"
#include "sim/config/printable.h"
#include "sim/config/text_file.h"

namespace svmsim {
namespace {

constexpr std::size_t kShownBytes = 80;
constexpr std::size_t kShownPathBytes = 200;

std::string shown(std::string_view text) { return printable(text, kShownBytes); }

std::string described(const toml::node* node) {
  if (node == nullptr) return "nothing";
  if (const auto* value = node->as_string()) return fmt::format("\"{}\"", shown(value->get()));
  if (const auto* value = node->as_integer()) return fmt::format("{}", value->get());
  if (const auto* value = node->as_floating_point()) {
    const std::string digits = fmt::format("{}", value->get());
    // A decimal without a fraction must not look like the integer that it is not.
    return digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0" : digits;
  }
  if (const auto* value = node->as_boolean()) return value->get() ? "true" : "false";
  if (const auto* array = node->as_array()) return fmt::format("an array of {}", array->size());
  if (node->is_table()) return "a table";
  return "a date or time";
}

std::string integer_range(std::int64_t min, std::int64_t max) {
  return fmt::format("an integer from {} to {}", min, max);
}

std::uint32_t line_of(const toml::node& node) { return node.source().begin.line; }

ConfigError file_error(const std::string& path, std::string value, std::string allowed) {
  return ConfigError{path, 0, "", std::move(value), std::move(allowed)};
}

}  // namespace

// One visited table and the keys that were asked of it.
struct ConfigTable::Node {
  ConfigReader::Document* document;
  const toml::table* table;
  std::string path;
  std::set<std::string, std::less<>> asked;

  std::string key_path(std::string_view key) const {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }
  // After a mistake nothing is there any more, and nothing is noted: what is read is thrown away.
  const toml::node* ask(std::string_view key);
  // As ask(), but an absent required key is a mistake.
  const toml::node* ask(std::string_view key, bool required, std::string_view allowed);
  void mistake(std::string_view key, const toml::node* found, std::string allowed);
};

struct ConfigReader::Document {
  std::string file;
  toml::table root;
  std::deque<ConfigTable::Node> visited;  // in order of the first visit; elements stay in place
  std::map<const toml::table*, ConfigTable::Node*> by_table;
  toml::table empty;  // stands for a missing required table
  std::optional<ConfigError> error;

  ConfigTable visit(const toml::table& table, std::string path) {
    ConfigTable::Node*& node = by_table[&table];
    if (node == nullptr) node = &visited.emplace_back(ConfigTable::Node{this, &table, std::move(path), {}});
    return ConfigTable(node);
  }
};

void ConfigTable::Node::mistake(std::string_view key, const toml::node* found, std::string allowed) {
  if (document->error) return;
  ConfigError error{document->file, found != nullptr ? line_of(*found) : line_of(*table),
                    printable(key_path(key), kShownPathBytes), described(found), std::move(allowed)};
  if (found == nullptr) {
    // A misspelt key shows here as a missing one, so say what is there instead.
    std::vector<std::string_view> present;
    for (const auto& [name, value] : *table) {
      if (!asked.contains(name.str())) present.push_back(name.str());
    }
    if (!present.empty()) error.value += fmt::format(" (keys here not asked for yet: {})", printable_list(present));
  }
  document->error = std::move(error);
}

const toml::node* ConfigTable::Node::ask(std::string_view key) {
  if (document->error) return nullptr;
  if (!asked.contains(key)) asked.emplace(key);
  return table->get(key);
}

const toml::node* ConfigTable::Node::ask(std::string_view key, bool required, std::string_view allowed) {
  const toml::node* found = ask(key);
  if (found == nullptr && required) mistake(key, nullptr, fmt::format("{} (required)", allowed));
  return found;
}

std::string ConfigError::message() const {
  std::string where = line == 0 ? file : fmt::format("{}:{}", file, line);
  if (!key.empty()) where += ": " + key;
  return printable(fmt::format("{}: found {}; allowed: {}", where, value, allowed));
}

const std::string& ConfigTable::path() const { return node_->path; }

bool ConfigTable::has(std::string_view key) { return node_->ask(key) != nullptr; }

std::string ConfigTable::text(std::string_view key) {
  constexpr std::string_view kAllowed = "a text that is not empty";
  const toml::node* found = node_->ask(key, true, kAllowed);
  if (found == nullptr) return {};
  const auto* value = found->as_string();
  if (value != nullptr && !value->get().empty()) return value->get();
  node_->mistake(key, found, std::string(kAllowed));
  return {};
}

std::string ConfigTable::text_or(std::string_view key, std::string_view fallback) {
  const toml::node* found = node_->ask(key);
  if (found == nullptr) return std::string(fallback);
  if (const auto* value = found->as_string()) return value->get();
  node_->mistake(key, found, "a text");
  return std::string(fallback);
}

bool ConfigTable::boolean(std::string_view key) {
  const toml::node* found = node_->ask(key, true, "true or false");
  return found != nullptr && boolean_or(key, false);
}

bool ConfigTable::boolean_or(std::string_view key, bool fallback) {
  const toml::node* found = node_->ask(key);
  if (found == nullptr) return fallback;
  if (const auto* value = found->as_boolean()) return value->get();
  node_->mistake(key, found, "true or false");
  return fallback;
}

double ConfigTable::decimal(std::string_view key, double min, double max) {
  if (node_->ask(key, true, fmt::format("a number from {} to {}", min, max)) == nullptr) return min;
  return decimal_or(key, min, min, max);
}

double ConfigTable::decimal_or(std::string_view key, double fallback, double min, double max) {
  const toml::node* found = node_->ask(key);
  if (found == nullptr) return fallback;
  std::optional<double> value;
  if (const auto* floating = found->as_floating_point()) value = floating->get();
  if (const auto* integer = found->as_integer()) value = static_cast<double>(integer->get());
  // False for a NaN too.
  if (value && std::isfinite(*value) && *value >= min && *value <= max) return *value;
  node_->mistake(key, found, fmt::format("a number from {} to {}", min, max));
  return fallback;
}

std::int64_t ConfigTable::read_integer(std::string_view key, std::optional<std::int64_t> fallback, std::int64_t min,
                                       std::int64_t max) {
  const toml::node* found = node_->ask(key, !fallback, integer_range(min, max));
  if (found != nullptr) {
    const auto* value = found->as_integer();
    if (value != nullptr && value->get() >= min && value->get() <= max) return value->get();
    node_->mistake(key, found, integer_range(min, max));
  }
  return fallback.value_or(min);
}

std::optional<std::int64_t> ConfigTable::read_integer_or_word(std::string_view key, std::int64_t min, std::int64_t max,
                                                              std::string_view word) {
  const std::string allowed = fmt::format("{} or \"{}\"", integer_range(min, max), word);
  const toml::node* found = node_->ask(key, true, allowed);
  if (found == nullptr) return min;
  if (const auto* text = found->as_string(); text != nullptr && text->get() == word) return std::nullopt;
  const auto* value = found->as_integer();
  if (value != nullptr && value->get() >= min && value->get() <= max) return value->get();
  node_->mistake(key, found, allowed);
  return min;
}

std::uint64_t ConfigTable::integer_choice(std::string_view key, std::span<const std::uint64_t> allowed) {
  if (node_->ask(key, true, fmt::format("one of {}", fmt::join(allowed, ", "))) == nullptr) return allowed[0];
  return integer_choice_or(key, allowed[0], allowed);
}

std::uint64_t ConfigTable::integer_choice_or(std::string_view key, std::uint64_t fallback,
                                             std::span<const std::uint64_t> allowed) {
  const toml::node* found = node_->ask(key);
  if (found == nullptr) return fallback;
  if (const auto* value = found->as_integer(); value != nullptr && value->get() >= 0) {
    const auto number = static_cast<std::uint64_t>(value->get());
    if (std::find(allowed.begin(), allowed.end(), number) != allowed.end()) return number;
  }
  node_->mistake(key, found, fmt::format("one of {}", fmt::join(allowed, ", ")));
  return fallback;
}

std::optional<std::size_t> ConfigTable::read_choice(std::string_view key, bool required,
                                                    std::span<const std::string_view> names) {
  const std::string allowed = fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
  const toml::node* found = node_->ask(key, required, allowed);
  if (found == nullptr) return std::nullopt;
  if (const auto* value = found->as_string()) {
    const auto match = std::find(names.begin(), names.end(), value->get());
    if (match != names.end()) return static_cast<std::size_t>(match - names.begin());
  }
  node_->mistake(key, found, allowed);
  return std::nullopt;
}

std::vector<std::int64_t> ConfigTable::read_integers(std::string_view key, bool required, std::int64_t min,
                                                     std::int64_t max) {
  const std::string allowed = "an array of which each element is " + integer_range(min, max);
  const toml::node* found = node_->ask(key, required, allowed);
  if (found == nullptr) return {};
  const auto* array = found->as_array();
  if (array == nullptr) {
    node_->mistake(key, found, allowed);
    return {};
  }
  std::vector<std::int64_t> values;
  values.reserve(array->size());
  for (const toml::node& element : *array) {
    const auto* value = element.as_integer();
    if (value == nullptr || value->get() < min || value->get() > max) {
      node_->mistake(fmt::format("{}[{}]", key, values.size()), &element, integer_range(min, max));
      return {};
    }
    values.push_back(value->get());
  }
  return values;
}

std::vector<std::string> ConfigTable::read_texts(std::string_view key, bool required) {
  const toml::node* found = node_->ask(key, required, "an array of texts");
  if (found == nullptr) return {};
  const auto* array = found->as_array();
  if (array == nullptr) {
    node_->mistake(key, found, "an array of texts");
    return {};
  }
  std::vector<std::string> values;
  for (const toml::node& element : *array) {
    const auto* value = element.as_string();
    if (value == nullptr || value->get().empty()) {
      node_->mistake(fmt::format("{}[{}]", key, values.size()), &element, "a text that is not empty");
      return {};
    }
    values.push_back(value->get());
  }
  return values;
}

std::vector<std::string> ConfigTable::texts(std::string_view key) { return read_texts(key, true); }

std::vector<std::string> ConfigTable::texts_or_empty(std::string_view key) { return read_texts(key, false); }

ConfigTable ConfigTable::table(std::string_view key) {
  const toml::node* found = node_->ask(key, true, "a table");
  const toml::table* table = found != nullptr ? found->as_table() : nullptr;
  if (found != nullptr && table == nullptr) node_->mistake(key, found, "a table");
  return node_->document->visit(table != nullptr ? *table : node_->document->empty, node_->key_path(key));
}

std::vector<ConfigTable> ConfigTable::read_tables(std::string_view key, bool required) {
  constexpr std::string_view kAllowed = "an array of tables";
  const toml::node* found = node_->ask(key, required, kAllowed);
  if (found == nullptr) return {};
  const auto* array = found->as_array();
  if (array == nullptr) {
    node_->mistake(key, found, std::string(kAllowed));
    return {};
  }
  if (array->size() > kMaxConfigTables) {
    node_->mistake(key, found, fmt::format("at most {} tables", kMaxConfigTables));
    return {};
  }
  std::vector<ConfigTable> result;
  for (const toml::node& element : *array) {
    const std::string name = fmt::format("{}[{}]", key, result.size());
    const auto* table = element.as_table();
    if (table == nullptr) {
      node_->mistake(name, &element, "a table");
      return {};
    }
    result.push_back(node_->document->visit(*table, node_->key_path(name)));
  }
  return result;
}

std::vector<ConfigTable> ConfigTable::tables(std::string_view key) { return read_tables(key, true); }

std::vector<ConfigTable> ConfigTable::tables_or_empty(std::string_view key) { return read_tables(key, false); }

void ConfigTable::reject(std::string_view key, std::string allowed) {
  node_->mistake(key, node_->ask(key), std::move(allowed));
}

ConfigReader::ConfigReader(std::unique_ptr<Document> document) : document_(std::move(document)) {}
ConfigReader::ConfigReader(ConfigReader&&) noexcept = default;
ConfigReader::~ConfigReader() = default;

ConfigResult<ConfigReader> ConfigReader::open(const std::string& path) {
  auto text = read_text_file(path, "TOML file", kMaxConfigBytes);
  if (!text) return tl::unexpected(ConfigError{path, 0, "", text.error().found, text.error().allowed});
  return parse(*text, path);
}

ConfigResult<ConfigReader> ConfigReader::parse(std::string_view text, std::string file) {
  if (const std::optional<std::uint32_t> line = line_of_excessive_nesting(text)) {
    return tl::unexpected(
        ConfigError{std::move(file), *line, "", "deeper nesting",
                    fmt::format("at most {} open brackets and {} parts in a key", kMaxTomlBrackets, kMaxTomlKeyParts)});
  }
  auto document = std::make_unique<Document>();
  document->file = std::move(file);
  try {
    document->root = toml::parse(text, document->file);
  } catch (const toml::parse_error& failure) {
    return tl::unexpected(
        ConfigError{document->file, failure.source().begin.line, "",
                    fmt::format("invalid TOML ({})", printable(failure.description(), kShownPathBytes)), "TOML 1.0"});
  } catch (const std::bad_alloc&) {
    return tl::unexpected(file_error(document->file, "more values than fit in memory", "a smaller file"));
  }
  return ConfigReader(std::move(document));
}

ConfigTable ConfigReader::root() { return document_->visit(document_->root, ""); }

const std::optional<ConfigError>& ConfigReader::first_error() const { return document_->error; }

std::optional<ConfigError> ConfigReader::check() const {
  if (document_->error) return document_->error;
  const ConfigTable::Node* where = nullptr;
  const toml::key* unknown = nullptr;  // the first in the file
  for (const ConfigTable::Node& node : document_->visited) {
    for (const auto& [key, value] : *node.table) {
      if (unknown != nullptr && unknown->source().begin.line <= key.source().begin.line) continue;
      if (node.asked.contains(key.str())) continue;
      where = &node;
      unknown = &key;
    }
  }
  if (unknown == nullptr) return std::nullopt;
  return ConfigError{document_->file, unknown->source().begin.line,
                     printable(where->key_path(unknown->str()), kShownPathBytes),
                     fmt::format("an unknown key with the value {}", described(where->table->get(unknown->str()))),
                     fmt::format("the keys {}", printable_list(where->asked))};
}

}  // namespace svmsim
