// SPDX-License-Identifier: Apache-2.0
#include "property_tests/campaign.h"

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "property_tests/isolation.h"
#include "property_tests/shrinks.h"

namespace svmsim {

namespace {

// Cases judged between two questions to the caller, and by one child process.
constexpr std::size_t kBatch = 50;

BatchResult judge_cases(const CampaignOptions& options, const std::vector<std::uint64_t>& indices, const Drawer& draw,
                        const Judge& judge) {
  return options.isolated ? judge_batch_isolated(indices, draw, judge, options.hang_seconds)
                          : judge_batch(indices, draw, judge);
}

// The same for scenarios that are there already.
BatchResult judge_scenarios(const CampaignOptions& options, const std::vector<Scenario>& scenarios,
                            const Judge& judge) {
  std::vector<std::uint64_t> indices(scenarios.size());
  std::iota(indices.begin(), indices.end(), std::uint64_t{0});
  return judge_cases(
      options, indices, [&](std::uint64_t index) { return scenarios[index]; }, judge);
}

// The next cases of this shard from `next` on, at most a batch; `next` moves behind them.
std::vector<std::uint64_t> next_batch(const CampaignOptions& options, std::uint64_t& next) {
  std::vector<std::uint64_t> indices;
  for (; next < options.first + options.cases && indices.size() < kBatch; ++next) {
    if (next % options.shard.count == options.shard.index) indices.push_back(next);
  }
  return indices;
}

}  // namespace

CampaignFailure shrink(std::uint64_t index, const Scenario& failing, const Failure& failure, const Judge& judge,
                       const CampaignOptions& options) {
  CampaignFailure smallest{index, failing, failing, failure};
  // What comes after the failure had no part in it.
  Scenario until_failure = failing;
  if (failure.operation < failing.operations.size()) until_failure.operations.resize(failure.operation + 1);
  if (options.most_trials > 0) {
    ++smallest.trials;
    if (BatchResult result = judge_scenarios(options, {until_failure}, judge); result.failure) {
      smallest.shrunk = until_failure;
      smallest.failure = std::move(*result.failure);
      smallest.reproduced = true;
    }
  }
  if (smallest.failure.property == "hang") return smallest;  // each trial could take as long again
  rc::Shrinkable<Scenario> current = shrinkable_of(smallest.shrunk);
  rc::Seq<rc::Shrinkable<Scenario>> variants = current.shrinks();
  std::vector<rc::Shrinkable<Scenario>> batch;  // as many as one child process may judge
  for (;;) {
    while (batch.size() < kBatch && smallest.trials + batch.size() < options.most_trials) {
      auto variant = variants.next();
      if (!variant) break;
      batch.push_back(std::move(*variant));
    }
    if (batch.empty()) return smallest;
    std::vector<Scenario> scenarios;
    scenarios.reserve(batch.size());
    for (const rc::Shrinkable<Scenario>& variant : batch) scenarios.push_back(variant.value());
    BatchResult result = judge_scenarios(options, scenarios, judge);
    if (result.judged == 0) return smallest;  // the machine starts no process
    smallest.trials += result.judged;
    const std::size_t last = result.judged - 1;
    // After others in the same process it may have failed because of them.
    if (result.failure && last > 0) {
      if (smallest.trials == options.most_trials) return smallest;
      result.failure = judge_scenarios(options, {scenarios[last]}, judge).failure;
      ++smallest.trials;
    }
    if (!result.failure) {
      batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(result.judged));
      continue;
    }
    smallest.reproduced = true;
    smallest.shrunk = std::move(scenarios[last]);
    smallest.failure = std::move(*result.failure);
    current = std::move(batch[last]);
    variants = current.shrinks();
    batch.clear();
  }
}

CampaignResult run_campaign(const CampaignOptions& options, const Drawer& draw, const Judge& judge,
                            const std::function<bool(const CampaignResult&)>& go_on) {
  CampaignResult result;
  std::uint64_t next = options.first;
  for (;;) {
    const std::vector<std::uint64_t> indices = next_batch(options, next);
    if (indices.empty()) return result;
    BatchResult batch = judge_cases(options, indices, draw, judge);
    result.cases += batch.judged;
    result.operations += batch.operations;
    result.coverage += batch.coverage;
    result.digest += batch.digest;
    result.error = std::move(batch.error);
    if (!result.error.empty()) return result;
    if (batch.failure) {
      const std::uint64_t index = indices[batch.judged - 1];
      result.failure = shrink(index, draw(index), *batch.failure, judge, options);
      return result;
    }
    if (go_on && !go_on(result)) return result;
  }
}

}  // namespace svmsim
