// SPDX-License-Identifier: Apache-2.0
#include "property_tests/campaign.h"

#include <vector>

#include "property_tests/isolation.h"
#include "property_tests/shrinks.h"

namespace svmsim {

namespace {

// Cases judged between two questions to the caller, and by one child process.
constexpr std::size_t kBatch = 50;

// A judge that survives what its scenario does to the process.
Judge isolated(const Judge& judge, unsigned hang_seconds) {
  return [judge, hang_seconds](const Scenario& scenario) {
    BatchResult batch = judge_batch_isolated(
        {0}, [&](std::uint64_t) { return scenario; }, judge, hang_seconds);
    ScenarioResult result;
    result.failure = std::move(batch.failure);
    result.error = std::move(batch.error);
    return result;
  };
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
                       std::uint64_t most_trials) {
  CampaignFailure smallest{index, failing, failing, failure};
  // What comes after the failure had no part in it.
  Scenario until_failure = failing;
  if (failure.operation < failing.operations.size()) until_failure.operations.resize(failure.operation + 1);
  if (most_trials > 0) {
    ++smallest.trials;
    if (ScenarioResult result = judge(until_failure); result.failure) {
      smallest.shrunk = until_failure;
      smallest.failure = std::move(*result.failure);
      smallest.reproduced = true;
    }
  }
  if (smallest.failure.property == "hang") return smallest;  // each trial could take as long again
  rc::Shrinkable<Scenario> current = shrinkable_of(smallest.shrunk);
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    rc::Seq<rc::Shrinkable<Scenario>> variants = current.shrinks();
    while (!shrunk && smallest.trials < most_trials) {
      const auto variant = variants.next();
      if (!variant) break;
      ++smallest.trials;
      ScenarioResult result = judge(variant->value());
      if (!result.failure) continue;
      smallest.reproduced = true;
      smallest.shrunk = variant->value();
      smallest.failure = std::move(*result.failure);
      current = *variant;
      shrunk = true;
    }
  }
  return smallest;
}

CampaignResult run_campaign(const CampaignOptions& options, const Drawer& draw, const Judge& judge,
                            const std::function<bool(const CampaignResult&)>& go_on) {
  CampaignResult result;
  std::uint64_t next = options.first;
  for (;;) {
    const std::vector<std::uint64_t> indices = next_batch(options, next);
    if (indices.empty()) return result;
    BatchResult batch = options.isolated ? judge_batch_isolated(indices, draw, judge, options.hang_seconds)
                                         : judge_batch(indices, draw, judge);
    result.cases += batch.judged;
    result.operations += batch.operations;
    result.coverage += batch.coverage;
    result.digest += batch.digest;
    result.error = std::move(batch.error);
    if (!result.error.empty()) return result;
    if (batch.failure) {
      const std::uint64_t index = indices[batch.judged - 1];
      const Judge trial = options.isolated ? isolated(judge, options.hang_seconds) : judge;
      result.failure = shrink(index, draw(index), *batch.failure, trial, options.most_trials);
      return result;
    }
    if (go_on && !go_on(result)) return result;
  }
}

}  // namespace svmsim
