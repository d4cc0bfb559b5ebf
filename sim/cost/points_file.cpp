// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/points_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/config/printable.h"
#include "sim/config/text_file.h"
#include "sim/cost/csv_row.h"
#include "sim/driver/page_walk.h"

namespace svmsim {
namespace {

constexpr std::size_t kMostText = 500;  // bytes of a text of the source

struct RowKind {
  std::string_view name;
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional;
};

const std::vector<RowKind>& row_kinds() {
  static const std::vector<std::string_view> spread = {"min", "p99"};
  static const std::vector<RowKind> kinds = {
      {"map",
       {"bytes", "page_kind", "pages", "register_median", "unregister_median"},
       {"register_min", "register_p99", "unregister_min", "unregister_p99"}},
      {"d2h", {"bytes", "median"}, spread},
      {"h2d", {"bytes", "median"}, spread},
      {"load", {"accesses", "median"}, spread},
      {"store", {"accesses", "median"}, spread},
      {"source", {}, {"device_page", "host_page", "personality", "what", "where", "when", "driver", "method"}},
  };
  return kinds;
}

Bytes page(CsvRow& row, std::string_view column) {
  const std::uint64_t value = row.integer(column, kPageSizes[0], kPageSizes[1]);
  if (value != kPageSizes[0] && value != kPageSizes[1]) row.reject(column, "one of 4096, 65536");
  return Bytes(value);
}

MeasuredCall call(CsvRow& row, const std::string& prefix) {
  const auto time = [&](const std::string& column) { return row.microseconds(prefix + column, kMaxPointNanoseconds); };
  MeasuredCall call;
  call.median = time("median");
  if (row.has(prefix + "min")) call.min = time("min");
  if (row.has(prefix + "p99")) call.p99 = time("p99");
  if (call.min && *call.min > call.median) row.reject(prefix + "min", "at most the median");
  if (call.p99 && *call.p99 < call.median) row.reject(prefix + "p99", "at least the median");
  return call;
}

void read_source(CsvRow& row, Calibration& points) {
  if (row.has("device_page")) points.device_page = page(row, "device_page");
  if (row.has("host_page")) points.host_page = page(row, "host_page");
  if (row.has("personality")) points.personality = row.word("personality", kDriverWords);
  const std::pair<std::string_view, std::string*> texts[] = {{"what", &points.source.what},
                                                             {"where", &points.source.where},
                                                             {"when", &points.source.when},
                                                             {"driver", &points.source.driver},
                                                             {"method", &points.source.method}};
  for (const auto& [column, text] : texts) {
    if (row.has(column)) *text = printable(row.text(column), kMostText);
  }
}

void read_map(CsvRow& row, Calibration& points) {
  MapPoint point;
  point.bytes = Bytes(row.integer("bytes", 1, kMaxPointBytes));
  point.page_kind = row.word("page_kind", kPageKindWords);
  point.walk = page_walk(point.bytes, point.page_kind, points.device_page, points.host_page);
  if (row.integer("pages", 1, kMaxPointBytes) != point.walk.allocation_pages) {
    row.reject("pages", fmt::format("{}, the pages of this kind in that many bytes", point.walk.allocation_pages));
  }
  point.register_call = call(row, "register_");
  point.unregister_call = call(row, "unregister_");
  points.map_points.push_back(point);
}

void read_point(std::string_view kind, CsvRow& row, Calibration& points) {
  if (kind == "source") return;  // read before
  if (kind == "map") return read_map(row, points);
  if (kind == "d2h" || kind == "h2d") {
    const CopyDirection direction = kind == "d2h" ? CopyDirection::kFromDevice : CopyDirection::kToDevice;
    points.copy_points.push_back({direction, Bytes(row.integer("bytes", 1, kMaxPointBytes)), call(row, "")});
    return;
  }
  const ViewAccess access = kind == "load" ? ViewAccess::kLoad : ViewAccess::kStore;
  points.view_points.push_back({access, row.integer("accesses", 1, kMaxPointBytes), call(row, "")});
}

class PointsReader {
 public:
  PointsReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    points_.source = {fmt::format("the points of {}", printable(std::filesystem::path(file).filename().string())),
                      "not stated", "not stated", "not stated", "not stated"};
  }

  ConfigResult<Calibration> read() {
    if (auto mistake = split()) return tl::unexpected(std::move(*mistake));
    // The source first, wherever it stands: the walk of each mapping depends on its pages.
    for (Line& line : lines_) {
      if (line.kind->name != "source") continue;
      read_source(line.row, points_);
      if (line.row.mistake()) return tl::unexpected(at(line.number, *line.row.mistake()));
    }
    for (Line& line : lines_) {
      read_point(line.kind->name, line.row, points_);
      if (line.row.mistake()) return tl::unexpected(at(line.number, *line.row.mistake()));
    }
    if (points_.map_points.empty() && points_.copy_points.empty() && points_.view_points.empty()) {
      return tl::unexpected(at(0, {"", 0, "kind", "no point", "rows of " + allowed_kinds()}));
    }
    return std::move(points_);
  }

 private:
  struct Line {
    std::uint32_t number;
    const RowKind* kind;
    CsvRow row;
  };

  static std::string allowed_kinds() {
    std::vector<std::string_view> names;
    for (const RowKind& kind : row_kinds()) names.push_back(kind.name);
    return fmt::format("'{}'", fmt::join(names, "', '"));
  }
  ConfigError at(std::uint32_t line, ConfigError mistake) const {
    mistake.file = file_;
    mistake.line = line;
    return mistake;
  }

  std::optional<ConfigError> split() {
    std::uint32_t number = 0;
    for (std::string_view rest = text_; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = csv_trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++number;
      if (line.empty() || line.front() == '#') continue;
      const std::vector<std::string_view> fields = csv_fields(line);
      auto mistake = fields[0] == "kind" ? read_header(fields) : read_row(number, fields);
      if (mistake) return at(number, std::move(*mistake));
    }
    return std::nullopt;
  }

  std::optional<ConfigError> read_header(const std::vector<std::string_view>& fields) {
    columns_.clear();
    for (const std::string_view field : fields) {
      const bool known =
          columns_.empty() || std::any_of(row_kinds().begin(), row_kinds().end(), [&](const RowKind& kind) {
            const auto among = [&](const auto& names) {
              return std::find(names.begin(), names.end(), field) != names.end();
            };
            return among(kind.required) || among(kind.optional);
          });
      if (!known) return ConfigError{"", 0, "", csv_quoted(field), "a column of " + allowed_kinds()};
      if (std::find(columns_.begin(), columns_.end(), field) != columns_.end()) {
        return ConfigError{"", 0, "", csv_quoted(field), "each column once"};
      }
      columns_.emplace_back(field);
    }
    return std::nullopt;
  }

  std::optional<ConfigError> read_row(std::uint32_t number, const std::vector<std::string_view>& fields) {
    const auto kind = std::find_if(row_kinds().begin(), row_kinds().end(),
                                   [&](const RowKind& known) { return known.name == fields[0]; });
    if (kind == row_kinds().end()) {
      return ConfigError{"", 0, "kind", csv_quoted(fields[0]), "'kind', " + allowed_kinds()};
    }
    if (auto mistake = check_columns(*kind)) return mistake;
    if (fields.size() != columns_.size()) {
      return ConfigError{"", 0, "", fmt::format("{} fields", fields.size()),
                         fmt::format("{}, as many as columns", columns_.size())};
    }
    CsvRow row(columns_, fields);
    const std::string identity =
        fmt::format("{},{},{}", kind->name, row.text("page_kind"),
                    number_or_text(row.text(kind->name == "load" || kind->name == "store" ? "accesses" : "bytes")));
    const auto [first, is_new] = first_lines_.emplace(identity, number);
    if (!is_new) {
      return ConfigError{"", 0, "", fmt::format("the {} of line {} again", what_repeats(*kind), first->second),
                         kind->name == "source" ? "one source" : "one point of a kind and size"};
    }
    if (lines_.size() == kMaxPoints) {
      return ConfigError{"", 0, "", "a further row", fmt::format("at most {} rows", kMaxPoints)};
    }
    lines_.push_back({number, &*kind, std::move(row)});
    return std::nullopt;
  }

  static std::string_view what_repeats(const RowKind& kind) { return kind.name == "source" ? "source" : "point"; }
  // 064 is 64.
  static std::string number_or_text(std::string_view text) {
    const auto number = csv_integer(text, 0, kMaxPointBytes);
    return number ? std::to_string(*number) : std::string(text);
  }

  // Every column belongs to the kind, and none is missing.
  std::optional<ConfigError> check_columns(const RowKind& kind) const {
    const auto among = [](const auto& names, std::string_view name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (columns_.empty()) {
      return ConfigError{"", 0, "kind", csv_quoted(kind.name), "a line of columns first: 'kind,...'"};
    }
    const std::string allowed = fmt::format(
        "{}{}{}", kind.required.empty() ? "" : fmt::format("the columns {}", fmt::join(kind.required, ", ")),
        kind.required.empty() ? "the columns " : ", and perhaps ", fmt::join(kind.optional, ", "));
    for (const std::string_view column : kind.required) {
      if (among(columns_, column)) continue;
      return ConfigError{"", 0, std::string(column), fmt::format("no such column above this '{}'", kind.name), allowed};
    }
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (among(kind.required, columns_[i]) || among(kind.optional, columns_[i])) continue;
      return ConfigError{"", 0, columns_[i], fmt::format("this column above a '{}'", kind.name), allowed};
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::string file_;
  std::vector<std::string> columns_;  // of the latest header; empty before it
  std::vector<Line> lines_;
  std::map<std::string, std::uint32_t> first_lines_;
  Calibration points_;
};

}  // namespace

ConfigResult<Calibration> load_points(const std::string& path) {
  const auto text = read_text_file(path, "CSV file", kMaxConfigBytes);
  if (!text) return tl::unexpected(ConfigError{path, 0, "", text.error().found, text.error().allowed});
  return parse_points(*text, path);
}

ConfigResult<Calibration> parse_points(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // with which spreadsheets begin a file in UTF-8
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return PointsReader(text, file).read();
}

}  // namespace svmsim
