// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace svmsim {
namespace {

constexpr std::array<std::string_view, 3> kMapTerms = {"call", "allocation_page", "host_page"};
constexpr std::array<std::string_view, 2> kCopyTerms = {"latency", "mib"};

// Points that are fitted together.
struct Group {
  std::size_t terms = 0;
  std::vector<FitSample> samples;
  std::vector<int> kinds;            // of each sample: a page kind, a direction
  std::vector<MeasuredCall*> calls;  // of each sample; null for one that only helps to fit
};

double as_double(Picoseconds time) { return static_cast<double>(time.count()); }

double percent_off(double model, Picoseconds median) {
  constexpr double kNoMinus = 0.0;  // added to a minus zero
  return std::round((model / as_double(median) - 1) * 1e4) / 1e2 + kNoMinus;
}

Group map_group(std::vector<MapPoint>& points, MeasuredCall MapPoint::*call) {
  Group group;
  group.terms = kMapTerms.size();
  for (MapPoint& point : points) {
    group.samples.push_back(map_sample(point.walk, (point.*call).median));
    group.kinds.push_back(static_cast<int>(point.page_kind));
    group.calls.push_back(&(point.*call));
  }
  return group;
}

// The points of one direction, or with `all` of both, of which those of `direction` are judged.
enum class CopyPoints { kOwn, kAll };

Group copy_group(std::vector<CopyPoint>& points, CopyDirection direction, CopyPoints which) {
  Group group;
  group.terms = kCopyTerms.size();
  for (CopyPoint& point : points) {
    if (which == CopyPoints::kOwn && point.direction != direction) continue;
    group.samples.push_back(copy_sample(point.bytes, point.call.median));
    group.kinds.push_back(static_cast<int>(point.direction));
    group.calls.push_back(point.direction == direction ? &point.call : nullptr);
  }
  return group;
}

Group view_group(std::vector<ViewPoint>& points, ViewAccess access) {
  Group group;
  group.terms = 1;
  for (ViewPoint& point : points) {
    if (point.access != access) continue;
    group.samples.push_back({{static_cast<double>(point.accesses)}, point.call.median});
    group.kinds.push_back(0);
    group.calls.push_back(&point.call);
  }
  return group;
}

RelativeFit fit_of(const Group& group) { return relative_fit(group.samples, group.terms); }

bool all_determined(const RelativeFit& fit) {
  return std::all_of(fit.terms.begin(), fit.terms.end(),
                     [](const FittedTerm& term) { return term.verdict == TermVerdict::kDetermined; });
}

CopyPoints points_for(std::vector<CopyPoint>& points, CopyDirection direction) {
  return all_determined(fit_of(copy_group(points, direction, CopyPoints::kOwn))) ? CopyPoints::kOwn : CopyPoints::kAll;
}

std::string reason_of(const RelativeFit& fit, std::size_t index, std::span<const std::string_view> names) {
  const FittedTerm& term = fit.terms[index];
  std::vector<std::string_view> others;
  switch (term.verdict) {
    case TermVerdict::kDetermined:
      return {};
    case TermVerdict::kNoSample:
      return "no point measures it";
    case TermVerdict::kInseparable:
      for (std::size_t i = 0; i < fit.terms.size(); ++i) {
        if (i != index && fit.terms[i].verdict == TermVerdict::kInseparable) others.push_back(names[i]);
      }
      return fmt::format("no point tells it apart from {}", fmt::join(others, " and "));
    case TermVerdict::kScattered:
      return fmt::format("the scatter of the points leaves it anywhere from {:.0f} to {:.0f} ps",
                         std::max(0.0, as_double(term.value) - as_double(term.uncertainty)),
                         as_double(term.value) + as_double(term.uncertainty));
    case TermVerdict::kTooSmall:
      return "it is below half a picosecond, and 0 here";
  }
  return {};
}

// Adds the terms of one call to `reports` under `call`; `names` is empty for a call of one term.
void report(std::vector<TermReport>& reports, std::string_view call, const RelativeFit& fit,
            std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < fit.terms.size(); ++i) {
    const FittedTerm& term = fit.terms[i];
    std::string name = names.empty() ? std::string(call) : fmt::format("{}.{}", call, names[i]);
    reports.push_back({std::move(name), term.value, term.uncertainty, term.verdict == TermVerdict::kDetermined,
                       reason_of(fit, i, names)});
  }
}

// A parameter of which no kind of point exists.
void report_unmeasured(std::vector<TermReport>& reports, std::string_view name, Picoseconds value) {
  reports.push_back({std::string(name), value, Picoseconds(0), false, "no point measures it"});
}

void fit_map(Calibration& calibration, std::vector<TermReport>& reports) {
  const auto fit_call = [&](std::string_view name, MeasuredCall MapPoint::*call, MapTerms& terms) {
    RelativeFit fit = fit_of(map_group(calibration.map_points, call));
    if (calibration.map_points.empty()) {
      fit.terms[0].value = terms.call;
      fit.terms[1].value = terms.allocation_page;
      fit.terms[2].value = terms.host_page;
    }
    terms = {fit.terms[0].value, fit.terms[1].value, fit.terms[2].value};
    report(reports, name, fit, kMapTerms);
  };
  fit_call("register", &MapPoint::register_call, calibration.parameters.register_to_host);
  fit_call("unregister", &MapPoint::unregister_call, calibration.parameters.unregister_from_host);
  calibration.map_measured = calibration.map_measured || !calibration.map_points.empty();
}

void fit_copies(Calibration& calibration, std::vector<TermReport>& reports) {
  std::vector<CopyPoint>& points = calibration.copy_points;
  const auto fit_direction = [&](std::string_view name, CopyDirection direction, CopyTerms& terms) {
    const Group own_points = copy_group(points, direction, CopyPoints::kOwn);
    const RelativeFit fit = fit_of(own_points);
    const RelativeFit shared = fit_of(copy_group(points, direction, points_for(points, direction)));
    std::vector<TermReport> own;
    report(own, name, fit, kCopyTerms);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i].value = points.empty() ? (i == 0 ? terms.latency : terms.mib) : shared.terms[i].value;
      own[i].uncertainty = shared.terms[i].uncertainty;
      if (own[i].determined || own_points.samples.size() == points.size()) continue;
      own[i].reason += own_points.samples.empty() ? "; as in the other direction" : "; fitted to both directions";
    }
    terms = {own[0].value, own[1].value};
    reports.insert(reports.end(), own.begin(), own.end());
  };
  fit_direction("copy_from_device", CopyDirection::kFromDevice, calibration.parameters.copy_from_device);
  fit_direction("copy_to_device", CopyDirection::kToDevice, calibration.parameters.copy_to_device);
}

// No kind of point is for setting memory: it is taken to cost what a copy does.
void assume_set_memory(Calibration& calibration, std::vector<TermReport>& reports) {
  CostParameters& parameters = calibration.parameters;
  std::string reason = "no point measures it";
  if (!calibration.copy_points.empty()) {
    parameters.set_memory = parameters.copy_from_device;
    reason += "; as copy_from_device";
  }
  reports.push_back({"set_memory.latency", parameters.set_memory.latency, Picoseconds(0), false, reason});
  reports.push_back({"set_memory.mib", parameters.set_memory.mib, Picoseconds(0), false, reason});
}

void fit_views(Calibration& calibration, std::vector<TermReport>& reports) {
  const auto fit_access = [&](std::string_view name, ViewAccess access, Picoseconds& price) {
    const Group group = view_group(calibration.view_points, access);
    RelativeFit fit = fit_of(group);
    if (group.samples.empty()) fit.terms[0].value = price;
    price = fit.terms[0].value;
    report(reports, name, fit, {});
  };
  fit_access("view_load", ViewAccess::kLoad, calibration.parameters.view_load);
  fit_access("view_store", ViewAccess::kStore, calibration.parameters.view_store);
}

// True when each kind of sample has two sizes without the sample `left_out`.
bool keeps_two_sizes(const Group& group, std::size_t left_out) {
  struct Sizes {
    const FitSample* first = nullptr;
    bool second = false;
  };
  std::map<int, Sizes> kinds;
  for (std::size_t i = 0; i < group.samples.size(); ++i) {
    Sizes& sizes = kinds[group.kinds[i]];
    const FitSample& sample = group.samples[i];
    if (i == left_out) continue;
    if (sizes.first == nullptr) sizes.first = &sample;
    sizes.second = sizes.second || sample.amounts != sizes.first->amounts;
  }
  return std::all_of(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.second.second; });
}

// True when `fit` leaves nothing open that `full` does not.
bool as_many_determined(const RelativeFit& fit, const RelativeFit& full) {
  const auto open = [](const FittedTerm& term) {
    return term.verdict == TermVerdict::kNoSample || term.verdict == TermVerdict::kInseparable;
  };
  for (std::size_t i = 0; i < fit.terms.size(); ++i) {
    if (open(fit.terms[i]) && !open(full.terms[i])) return false;
  }
  return true;
}

void leave_one_out(const Group& group) {
  const RelativeFit full = fit_of(group);
  for (std::size_t i = 0; i < group.samples.size(); ++i) {
    if (group.calls[i] == nullptr || !keeps_two_sizes(group, i)) continue;
    Group rest = group;
    rest.samples.erase(rest.samples.begin() + static_cast<std::ptrdiff_t>(i));
    const RelativeFit fit = fit_of(rest);
    if (!as_many_determined(fit, full)) continue;
    const FitSample& left_out = group.samples[i];
    group.calls[i]->left_out_percent = percent_off(fitted_time(fit, left_out), left_out.time);
  }
}

}  // namespace

FitSample map_sample(PageWalk walk, Picoseconds time) {
  return {{1, static_cast<double>(walk.allocation_pages), static_cast<double>(walk.host_pages)}, time};
}

FitSample copy_sample(Bytes bytes, Picoseconds time) {
  return {{1, static_cast<double>(bytes.count()) / (1 << 20)}, time};
}

tl::expected<FittedCalibration, std::string> fit_calibration(Calibration calibration) {
  FittedCalibration fitted;
  fit_map(calibration, fitted.terms);
  fit_copies(calibration, fitted.terms);
  assume_set_memory(calibration, fitted.terms);
  const CostParameters& parameters = calibration.parameters;
  report_unmeasured(fitted.terms, "allocate", parameters.allocate);
  report_unmeasured(fitted.terms, "free", parameters.free);
  fit_views(calibration, fitted.terms);
  report_unmeasured(fitted.terms, "launch", parameters.launch);
  for (const TermReport& term : fitted.terms) {
    if (term.value <= kMaxParameter) continue;
    return tl::unexpected(fmt::format("the points make {} cost more than {} ps, the most that a calibration holds",
                                      term.name, kMaxParameter.count()));
  }
  fitted.calibration = with_residuals(std::move(calibration));
  return fitted;
}

Calibration leave_one_out(Calibration calibration) {
  leave_one_out(map_group(calibration.map_points, &MapPoint::register_call));
  leave_one_out(map_group(calibration.map_points, &MapPoint::unregister_call));
  for (const CopyDirection direction : {CopyDirection::kFromDevice, CopyDirection::kToDevice}) {
    leave_one_out(copy_group(calibration.copy_points, direction, points_for(calibration.copy_points, direction)));
  }
  leave_one_out(view_group(calibration.view_points, ViewAccess::kLoad));
  leave_one_out(view_group(calibration.view_points, ViewAccess::kStore));
  return calibration;
}

Calibration with_residuals(Calibration calibration) {
  const CostModel model(calibration.parameters);
  const auto judge = [](MeasuredCall& call, Picoseconds modelled) {
    call.residual_percent = percent_off(as_double(modelled), call.median);
  };
  for (MapPoint& point : calibration.map_points) {
    judge(point.register_call, model.register_cost(point.walk));
    judge(point.unregister_call, model.unregister_cost(point.walk));
  }
  for (CopyPoint& point : calibration.copy_points) judge(point.call, model.copy_cost(point.direction, point.bytes));
  for (ViewPoint& point : calibration.view_points) {
    const bool load = point.access == ViewAccess::kLoad;
    judge(point.call, model.view_access_cost(load ? point.accesses : 0, load ? 0 : point.accesses));
  }
  return calibration;
}

}  // namespace svmsim
