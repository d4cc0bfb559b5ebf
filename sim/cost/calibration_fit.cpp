// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_fit.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace svmsim {
namespace {

// One sample: how much of each term it holds, divided by its time. The terms times these should add up to 1.
template <std::size_t N>
using Row = std::array<double, N>;

// Below this a pivot of the normal equations (columns scaled to length 1) is rounding noise.
constexpr double kSingular = 1e-9;

// Gaussian elimination with pivoting of the normal equations over the columns in `active` (a bit set); the other
// terms are 0. Nothing when the columns are not independent.
template <std::size_t N>
std::optional<Row<N>> least_squares(const std::vector<Row<N>>& rows, unsigned active) {
  std::array<std::array<double, N + 1>, N> normal{};
  for (std::size_t i = 0; i < N; ++i) {
    if ((active >> i & 1U) == 0) {
      normal[i][i] = 1;
      continue;
    }
    for (const Row<N>& row : rows) {
      for (std::size_t j = 0; j < N; ++j) normal[i][j] += (active >> j & 1U) != 0 ? row[i] * row[j] : 0;
      normal[i][N] += row[i];
    }
  }
  std::array<double, N> scale{};
  for (std::size_t i = 0; i < N; ++i) {
    if (normal[i][i] <= 0) return std::nullopt;
    scale[i] = 1 / std::sqrt(normal[i][i]);
  }
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) normal[i][j] *= scale[i] * scale[j];
    normal[i][N] *= scale[i];
  }
  for (std::size_t i = 0; i < N; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < N; ++r) {
      if (std::abs(normal[r][i]) > std::abs(normal[pivot][i])) pivot = r;
    }
    if (std::abs(normal[pivot][i]) < kSingular) return std::nullopt;
    std::swap(normal[i], normal[pivot]);
    for (std::size_t r = 0; r < N; ++r) {
      if (r == i) continue;
      const double factor = normal[r][i] / normal[i][i];
      for (std::size_t j = i; j <= N; ++j) normal[r][j] -= factor * normal[i][j];
    }
  }
  Row<N> terms{};
  for (std::size_t i = 0; i < N; ++i) terms[i] = normal[i][N] / normal[i][i] * scale[i];
  return terms;
}

template <std::size_t N>
double squared_error(const std::vector<Row<N>>& rows, const Row<N>& terms) {
  double total = 0;
  for (const Row<N>& row : rows) {
    double error = -1;
    for (std::size_t i = 0; i < N; ++i) error += row[i] * terms[i];
    total += error * error;
  }
  return total;
}

// The best terms that are not negative. With N unknowns there are few enough sets of non-zero ones to try them all.
// Nothing when the rows do not determine all N.
template <std::size_t N>
std::optional<std::array<Picoseconds, N>> non_negative_fit(const std::vector<Row<N>>& rows) {
  constexpr unsigned kAll = (1U << N) - 1;
  if (!least_squares(rows, kAll)) return std::nullopt;
  std::optional<Row<N>> best;
  double best_error = 0;
  for (unsigned active = kAll; active > 0; --active) {
    const std::optional<Row<N>> terms = least_squares(rows, active);
    if (!terms) continue;
    bool negative = false;
    for (const double term : *terms) negative = negative || term < 0;
    if (negative) continue;
    const double error = squared_error(rows, *terms);
    if (!best || error < best_error) {
      best = terms;
      best_error = error;
    }
  }
  std::array<Picoseconds, N> rounded;
  for (std::size_t i = 0; i < N; ++i) rounded[i] = Picoseconds(static_cast<std::uint64_t>(std::llround((*best)[i])));
  return rounded;
}

double as_double(Picoseconds time) { return static_cast<double>(time.count()); }

// Only shown to people, never fed back into a time.
double residual_percent(Picoseconds model, Picoseconds median) {
  return std::round((as_double(model) / as_double(median) - 1) * 1e4) / 1e2;
}

tl::expected<MapTerms, std::string> fit_calls(const std::vector<MapPoint>& points, MeasuredCall MapPoint::*call) {
  std::vector<MapSample> samples;
  samples.reserve(points.size());
  for (const MapPoint& point : points) samples.push_back({point.walk, (point.*call).median});
  return fit_map_terms(samples);
}

}  // namespace

tl::expected<MapTerms, std::string> fit_map_terms(std::span<const MapSample> samples) {
  std::vector<Row<3>> rows;
  for (const MapSample& sample : samples) {
    const double time = as_double(sample.time);
    rows.push_back({1 / time, static_cast<double>(sample.walk.allocation_pages) / time,
                    static_cast<double>(sample.walk.host_pages) / time});
  }
  const auto terms = non_negative_fit(rows);
  if (!terms) {
    return tl::unexpected<std::string>(
        "the map points do not determine the three terms: measure ordinary and huge pages, two sizes of either");
  }
  return MapTerms{(*terms)[0], (*terms)[1], (*terms)[2]};
}

tl::expected<CopyTerms, std::string> fit_copy_terms(std::span<const CopySample> samples) {
  std::vector<Row<2>> rows;
  for (const CopySample& sample : samples) {
    const double time = as_double(sample.time);
    rows.push_back({1 / time, static_cast<double>(sample.bytes.count()) / (1 << 20) / time});
  }
  const auto terms = non_negative_fit(rows);
  if (!terms) {
    return tl::unexpected<std::string>("the copy points do not determine the two terms: measure two sizes");
  }
  return CopyTerms{(*terms)[0], (*terms)[1]};
}

tl::expected<Calibration, std::string> refit(Calibration calibration) {
  if (!calibration.map_points.empty()) {
    calibration.map_measured = true;
    const auto register_terms = fit_calls(calibration.map_points, &MapPoint::register_call);
    if (!register_terms) return tl::unexpected(register_terms.error());
    const auto unregister_terms = fit_calls(calibration.map_points, &MapPoint::unregister_call);
    if (!unregister_terms) return tl::unexpected(unregister_terms.error());
    calibration.parameters.register_to_host = *register_terms;
    calibration.parameters.unregister_from_host = *unregister_terms;
  }
  if (!calibration.copy_points.empty()) {
    std::vector<CopySample> samples;
    for (const CopyPoint& point : calibration.copy_points) samples.push_back({point.bytes, point.call.median});
    const auto terms = fit_copy_terms(samples);
    if (!terms) return tl::unexpected(terms.error());
    calibration.parameters.copy_from_device = *terms;
    calibration.parameters.copy_to_device = *terms;
  }
  const CostModel model(calibration.parameters);
  for (MapPoint& point : calibration.map_points) {
    MeasuredCall& map = point.register_call;
    MeasuredCall& unmap = point.unregister_call;
    map.residual_percent = residual_percent(model.register_cost(point.walk), map.median);
    unmap.residual_percent = residual_percent(model.unregister_cost(point.walk), unmap.median);
  }
  for (CopyPoint& point : calibration.copy_points) {
    point.call.residual_percent = residual_percent(model.copy_cost(point.direction, point.bytes), point.call.median);
  }
  return calibration;
}

}  // namespace svmsim
