// SPDX-License-Identifier: Apache-2.0
#include "cli/run_setup.h"

#include "cli/option_value.h"

namespace svmsim {

CliResult<void> read_run_options(const std::string& policy, const std::string& rounds, std::uint64_t most_rounds,
                                 const std::string& seed, RunSetup& setup) {
  const auto how = policy_option(policy);
  if (!how) return tl::unexpected(how.error());
  setup.policy = *how;
  const auto how_often = integer_option("--rounds", rounds, 1, most_rounds);
  if (!how_often) return tl::unexpected(how_often.error());
  setup.rounds = *how_often;
  const auto first = integer_option("--seed", seed, 0, UINT64_MAX);
  if (!first) return tl::unexpected(first.error());
  setup.seed = *first;
  return {};
}

}  // namespace svmsim
