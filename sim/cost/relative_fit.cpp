// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/relative_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace svmsim {
namespace {

using TermRow = std::array<double, kMaxTerms>;
using TermRows = std::vector<TermRow>;
using Terms = unsigned;  // a bit set

constexpr bool has(Terms set, std::size_t term) { return (set >> term & 1U) != 0; }

// Below this a pivot of the normal equations (columns scaled to length 1) is rounding noise.
constexpr double kSingular = 1e-9;

struct Solution {
  TermRow values{};
  TermRow variances{};  // of the values, for samples of variance 1
};

// A sample's amounts divided by its time: the terms times these should add up to 1.
TermRows relative_rows(std::span<const FitSample> samples) {
  TermRows rows;
  rows.reserve(samples.size());
  for (const FitSample& sample : samples) {
    TermRow row = sample.amounts;
    for (double& amount : row) amount /= static_cast<double>(sample.time.count());
    rows.push_back(row);
  }
  return rows;
}

// The normal equations over the columns in `active`, next to them the right side and the unit matrix. Columns that are
// not active are replaced by those of the unit matrix.
using System = std::array<std::array<double, 2 * kMaxTerms + 1>, kMaxTerms>;
constexpr std::size_t kRight = kMaxTerms;
constexpr std::size_t kUnit = kMaxTerms + 1;

System normal_equations(const TermRows& rows, Terms active) {
  System system{};
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    system[i][kUnit + i] = 1;
    if (!has(active, i)) {
      system[i][i] = 1;
      continue;
    }
    for (const TermRow& row : rows) {
      for (std::size_t j = 0; j < kMaxTerms; ++j) system[i][j] += has(active, j) ? row[i] * row[j] : 0;
      system[i][kRight] += row[i];
    }
  }
  return system;
}

// Gaussian elimination with pivoting; the terms outside `active` are 0. Nothing when the columns are not independent.
std::optional<Solution> least_squares(const TermRows& rows, Terms active) {
  System system = normal_equations(rows, active);
  TermRow scale{};
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    if (!(system[i][i] > 0)) return std::nullopt;
    scale[i] = 1 / std::sqrt(system[i][i]);
  }
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    for (std::size_t j = 0; j < kMaxTerms; ++j) system[i][j] *= scale[i] * scale[j];
    system[i][kRight] *= scale[i];
  }
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < kMaxTerms; ++r) {
      if (std::abs(system[r][i]) > std::abs(system[pivot][i])) pivot = r;
    }
    if (!(std::abs(system[pivot][i]) >= kSingular)) return std::nullopt;
    std::swap(system[i], system[pivot]);
    for (std::size_t r = 0; r < kMaxTerms; ++r) {
      if (r == i) continue;
      const double factor = system[r][i] / system[i][i];
      for (std::size_t j = i; j < system[r].size(); ++j) system[r][j] -= factor * system[i][j];
    }
  }
  Solution solution;
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    solution.values[i] = system[i][kRight] / system[i][i] * scale[i];
    solution.variances[i] = system[i][kUnit + i] / system[i][i] * scale[i] * scale[i];
  }
  return solution;
}

double squared_error(const TermRows& rows, const TermRow& values) {
  double total = 0;
  for (const TermRow& row : rows) {
    double error = -1;
    for (std::size_t i = 0; i < kMaxTerms; ++i) error += row[i] * values[i];
    total += error * error;
  }
  return total;
}

// Those of `candidates` that depend on none before them.
Terms independent(const TermRows& rows, Terms candidates) {
  Terms found = 0;
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    const Terms more = found | 1U << i;
    if (has(candidates, i) && least_squares(rows, more)) found = more;
  }
  return found;
}

struct Rank {
  Terms present = 0;  // in any sample
  Terms carriers = 0;
  Terms inseparable = 0;
};

Rank rank_of(const TermRows& rows, std::size_t terms) {
  Rank rank;
  for (std::size_t i = 0; i < terms; ++i) {
    const bool present = std::any_of(rows.begin(), rows.end(), [&](const TermRow& row) { return row[i] > 0; });
    if (present) rank.present |= 1U << i;
  }
  rank.carriers = independent(rows, rank.present);
  // A term that the others can stand in for: without it as many are independent.
  for (std::size_t i = 0; i < terms; ++i) {
    const Terms others = rank.present & ~(1U << i);
    if (!has(rank.present, i)) continue;
    if (std::popcount(independent(rows, others)) == std::popcount(rank.carriers)) rank.inseparable |= 1U << i;
  }
  return rank;
}

// The best values that are not negative. There are few enough sets of non-zero terms to try them all; others than of
// the carriers only where those cannot do without a negative value, and so only if they are better by more than
// rounding.
TermRow non_negative(const TermRows& rows, const Rank& rank) {
  constexpr double kRounding = 1e-12;
  TermRow best{};
  double best_error = squared_error(rows, best);
  for (const Terms candidates : {rank.carriers, rank.present}) {
    const double margin = candidates == rank.carriers ? 0 : kRounding;
    for (Terms active = candidates; active > 0; active = (active - 1) & candidates) {
      const std::optional<Solution> solution = least_squares(rows, active);
      if (!solution) continue;
      const auto& values = solution->values;
      if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0; })) continue;
      const double error = squared_error(rows, values);
      if (error + margin < best_error) {
        best = values;
        best_error = error;
      }
    }
  }
  return best;
}

Picoseconds rounded(double picoseconds) {
  constexpr double kBeyond = 0x1p63;
  if (!(picoseconds < kBeyond)) return Picoseconds(std::numeric_limits<std::uint64_t>::max());
  return Picoseconds(static_cast<std::uint64_t>(std::llround(picoseconds)));
}

}  // namespace

RelativeFit relative_fit(std::span<const FitSample> samples, std::size_t terms) {
  const TermRows rows = relative_rows(samples);
  const Rank rank = rank_of(rows, terms);
  const TermRow values = non_negative(rows, rank);
  const auto carriers = static_cast<std::size_t>(std::popcount(rank.carriers));
  RelativeFit fit;
  const std::size_t freedom = rows.size() > carriers ? rows.size() - carriers : 1;
  fit.scatter = std::max(kLeastScatter, std::sqrt(squared_error(rows, values) / static_cast<double>(freedom)));
  const Solution full = least_squares(rows, rank.carriers).value_or(Solution{});
  fit.terms.reserve(terms);
  for (std::size_t i = 0; i < terms; ++i) {
    FittedTerm term;
    term.value = rounded(values[i]);
    if (!has(rank.present, i)) {
      term.verdict = TermVerdict::kNoSample;
    } else if (has(rank.inseparable, i)) {
      term.verdict = TermVerdict::kInseparable;
    } else {
      const double uncertainty = 2 * fit.scatter * std::sqrt(std::max(0.0, full.variances[i]));
      term.uncertainty = rounded(uncertainty);
      if (uncertainty > values[i] / 2) {
        term.verdict = TermVerdict::kScattered;
      } else if (term.value == Picoseconds(0)) {
        term.verdict = TermVerdict::kTooSmall;
      }
    }
    fit.terms.push_back(term);
  }
  return fit;
}

double fitted_time(const RelativeFit& fit, const FitSample& sample) {
  double time = 0;
  for (std::size_t i = 0; i < fit.terms.size(); ++i) {
    time += sample.amounts[i] * static_cast<double>(fit.terms[i].value.count());
  }
  return time;
}

}  // namespace svmsim
