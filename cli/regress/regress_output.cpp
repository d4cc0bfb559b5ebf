// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/regress_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/config/printable.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

constexpr std::size_t kMostShown = 8;  // differences of a scene in the table; a document has all

const char* verdict(const SceneRegression& scene) {
  if (!scene.failure.empty()) return "failed";
  if (!scene.differences.empty()) return "deviates";
  return scene.baseline_differences.empty() ? "agrees" : "not as the baseline";
}

// Thousandths, rounded to the nearest; nothing where there is nothing to divide by.
std::optional<std::uint64_t> thousandths(const Phase& phase) {
  const std::uint64_t simulated = phase.simulated.count();
  if (!phase.comparable || simulated == 0) return std::nullopt;
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (phase.board.count() > kExact) return phase.board.count() / (std::max<std::uint64_t>(simulated / 1000, 1));
  return (phase.board.count() * 1000 + simulated / 2) / simulated;
}

std::string ratio_text(const Phase& phase) {
  const auto ratio = thousandths(phase);
  return ratio ? fmt::format("{}.{:03}", *ratio / 1000, *ratio % 1000) : "-";
}

Json differences_json(const std::vector<Mismatch>& differences) {
  Json list = Json::array();
  for (const Mismatch& difference : differences) {
    Json json;
    json["what"] = difference.what;
    json["expected"] = difference.expected;
    json["seen"] = difference.seen;
    list.push_back(json);
  }
  return list;
}

Json scene_json(const SceneRegression& scene) {
  Json json;
  json["scene"] = scene.scene;
  json["verdict"] = verdict(scene);
  json["failure"] = scene.failure.empty() ? Json(nullptr) : Json(scene.failure);
  json["differences"] = differences_json(scene.differences);
  json["baseline_differences"] = differences_json(scene.baseline_differences);
  json["counts"] = Json::object();
  if (scene.seen) {
    for (const auto& [name, count] : scene.seen->counts) json["counts"][name] = count;
  }
  json["phases"] = Json::array();
  for (const Phase& phase : scene.phases) {
    const auto ratio = thousandths(phase);
    Json row;
    row["phase"] = phase.name;
    row["simulated_ns"] = nanoseconds(phase.simulated);
    row["board_ns"] = nanoseconds(phase.board);
    row["ratio"] = ratio ? Json(static_cast<double>(*ratio) / 1000) : Json(nullptr);
    json["phases"].push_back(row);
  }
  json["log"] = scene.log;
  return json;
}

std::string clock_line(const std::optional<bool>& simulated) {
  if (!simulated) return "";
  return fmt::format("times by the {} clock, as a multiple of the simulated time\n",
                     *simulated ? "simulated driver's own" : "system's");
}

void add_row(TextTable& table, const SceneRegression& scene) {
  std::vector<std::string> cells{scene.scene};
  for (const char* const name : {"map_calls", "map_refused", "unmap_calls", "devcopy"}) {
    const std::uint64_t* const count =
        scene.seen ? find_named(scene.seen->counts, std::string("totals.") + name) : nullptr;
    cells.push_back(count == nullptr ? "-" : count_text(*count));
  }
  for (const char* const name : {"bind", "map", "unmap", "copy", "upload"}) {
    const auto phase =
        std::find_if(scene.phases.begin(), scene.phases.end(), [&](const Phase& one) { return one.name == name; });
    cells.push_back(phase == scene.phases.end() ? "-" : ratio_text(*phase));
  }
  cells.emplace_back(verdict(scene));
  table.add(std::move(cells));
}

std::string differences_text(const std::vector<Mismatch>& differences, const char* expected_by) {
  std::string text;
  for (std::size_t i = 0; i < std::min(differences.size(), kMostShown); ++i) {
    const Mismatch& one = differences[i];
    text +=
        fmt::format("  {}: {} {}, the board {}\n", one.what, expected_by, printable(one.expected), printable(one.seen));
  }
  if (differences.size() > kMostShown) {
    text += fmt::format("  {} more; --json has all\n", differences.size() - kMostShown);
  }
  return text;
}

std::string details(const SceneRegression& scene) {
  if (scene.passes()) return "";
  std::string text = fmt::format("\n{}:\n", scene.scene);
  if (!scene.failure.empty()) text += fmt::format("  {}\n", printable(scene.failure));
  text += differences_text(scene.differences, "simulated");
  text += differences_text(scene.baseline_differences, "baseline");
  for (const std::string& line : scene.log) text += fmt::format("  log: {}\n", printable(line));
  return text;
}

}  // namespace

bool RegressReport::passes() const {
  return !updated && scenes.size() == asked &&
         std::all_of(scenes.begin(), scenes.end(), [](const SceneRegression& scene) { return scene.passes(); });
}

Json regress_json(const RegressReport& report) {
  Json json;
  json["library"] = report.library;
  json["platform"] = report.setup.platform;
  json["policy"] = report.setup.policy;
  json["rounds"] = report.setup.rounds;
  json["seed"] = report.setup.seed;
  json["clock"] = report.simulated_clock ? Json(clock_name(*report.simulated_clock)) : Json(nullptr);
  json["scenes"] = Json::array();
  for (const SceneRegression& scene : report.scenes) json["scenes"].push_back(scene_json(scene));
  json["not_run"] = report.asked - report.scenes.size();
  json["baseline"] = report.baseline ? Json(*report.baseline) : Json(nullptr);
  json["tolerance_percent"] = report.tolerance_percent;
  json["updated"] = report.updated;
  json["passes"] = report.passes();
  return json;
}

std::string regress_text(const RegressReport& report) {
  std::string text =
      fmt::format("{} as {}, policy {}, {} rounds, seed {}\n{}\n", printable(report.library), report.setup.platform,
                  report.setup.policy, report.setup.rounds, report.setup.seed, clock_line(report.simulated_clock));
  TextTable table(
      {"scene", "maps", "refused", "unmaps", "devcopy", "bind", "map", "unmap", "copy", "upload", "result"});
  std::size_t passed = 0;
  std::string below;
  for (const SceneRegression& scene : report.scenes) {
    add_row(table, scene);
    below += details(scene);
    passed += scene.passes() ? 1 : 0;
  }
  text += table.text() + below;
  text += fmt::format("\n{} of {} scenes agree in bytes and counts", passed, report.asked);
  if (report.scenes.size() < report.asked) {
    text += fmt::format(", {} were not run", report.asked - report.scenes.size());
  }
  text += "\n";
  if (report.updated) {
    text += fmt::format("wrote {}; nothing was compared with it, so this is no pass\n", printable(*report.baseline));
  } else if (report.baseline) {
    text += fmt::format("compared with {}, times with {} % of tolerance\n", printable(*report.baseline),
                        report.tolerance_percent);
  }
  return text;
}

}  // namespace svmsim
