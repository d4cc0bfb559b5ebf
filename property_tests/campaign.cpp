// SPDX-License-Identifier: Apache-2.0
#include "property_tests/campaign.h"

#include <algorithm>
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

std::vector<std::uint64_t> own_cases(const CampaignOptions& options) {
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = options.first; i < options.first + options.cases; ++i) {
    if (i % options.shard.count == options.shard.index) indices.push_back(i);
  }
  return indices;
}

}  // namespace

CampaignFailure shrink(std::uint64_t index, const Scenario& failing, const Failure& failure, const Judge& judge,
                       std::uint64_t most_trials) {
  CampaignFailure smallest{index, failing, failing, failure, 0};
  if (failure.property == "hang") return smallest;  // each trial could take as long again
  // What comes after the failure had no part in it.
  Scenario until_failure = failing;
  if (failure.operation < failing.operations.size()) until_failure.operations.resize(failure.operation + 1);
  if (most_trials > 0) {
    ++smallest.trials;
    if (ScenarioResult result = judge(until_failure); result.failure) {
      smallest.shrunk = until_failure;
      smallest.failure = std::move(*result.failure);
    }
  }
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
  const std::vector<std::uint64_t> indices = own_cases(options);
  for (std::size_t begin = 0; begin < indices.size(); begin += kBatch) {
    const auto from = indices.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto length = static_cast<std::ptrdiff_t>(std::min(kBatch, indices.size() - begin));
    const std::vector<std::uint64_t> batch_indices(from, from + length);
    BatchResult batch = options.isolated ? judge_batch_isolated(batch_indices, draw, judge, options.hang_seconds)
                                         : judge_batch(batch_indices, draw, judge);
    result.cases += batch.judged;
    result.operations += batch.operations;
    result.coverage += batch.coverage;
    result.digest += batch.digest;
    result.error = std::move(batch.error);
    if (!result.error.empty()) return result;
    if (batch.failure) {
      const std::uint64_t index = batch_indices[batch.judged - 1];
      const Judge trial = options.isolated ? isolated(judge, options.hang_seconds) : judge;
      result.failure = shrink(index, draw(index), *batch.failure, trial, options.most_trials);
      return result;
    }
    if (go_on && !go_on(result)) return result;
  }
  return result;
}

}  // namespace svmsim
