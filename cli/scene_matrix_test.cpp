// SPDX-License-Identifier: Apache-2.0
// Each scene on each platform under each policy: the same bytes, no rule broken, nothing left behind.
#include <gtest/gtest.h>

#include <vector>

#include "cli/commands.h"
#include "runtime/policy.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

// With budgets that hold one or two small tensors of a scene, or the last of several.
std::vector<svmrt::Policy> policies() {
  std::vector<svmrt::Policy> all(svmrt::fixed_policies().begin(), svmrt::fixed_policies().end());
  for (const std::uint64_t limit : {4u, 64u, 4096u}) all.push_back(svmrt::Policy::budget(svmrt::Bytes(limit)));
  return all;
}

class SceneMatrix : public ::testing::TestWithParam<std::string> {};

TEST_P(SceneMatrix, EveryPlatformAndPolicyGivesTheSameResultAndBreaksNoRule) {
  const Locations locations = default_locations();
  const auto platforms = fixture_names(locations, "platforms");
  ASSERT_TRUE(platforms.has_value());
  ASSERT_EQ(*platforms, (std::vector<std::string>{"a2a3", "a2a3-64k", "a2a3-nonidentity", "a2a3-vm", "a5", "a5-map",
                                                  "identity", "lenient"}));
  std::string digest;
  for (const std::string& platform : *platforms) {
    for (const svmrt::Policy policy : policies()) {
      std::string plain_text;
      for (const std::string backing : {"plain", "mmu"}) {
        RunOptions options;
        options.backing = backing;
        options.scene = GetParam();
        options.platform = platform;
        options.policy = svmrt::policy_name(policy);
        options.rounds = "2";
        const auto output = run_command(locations, options, OutputFormat::kJson);
        ASSERT_TRUE(output.has_value()) << output.error().message;
        const Json json = Json::parse(output->text);
        const std::string where = platform + " " + options.policy + " " + backing;
        EXPECT_EQ(output->exit_code, ExitCode::kFine) << where;
        EXPECT_EQ(json["violations"], Json::array()) << where;
        EXPECT_EQ(json["totals"]["map_calls"], json["totals"]["unmap_calls"]) << where;
        if (policy.kind() == svmrt::Policy::Kind::kBudget) {
          for (const Json& round : json["per_round"]) EXPECT_LE(round["bytes_held"], policy.limit().count()) << where;
        }
        if (digest.empty()) digest = json["result_digest"];
        EXPECT_EQ(json["result_digest"], digest) << where;
        // Every code, cost and address is the same: the whole document, trace digest included.
        if (plain_text.empty()) plain_text = output->text;
        EXPECT_EQ(output->text, plain_text) << where;
      }
    }
  }
}

std::string scene_test_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Small, SceneMatrix,
                         ::testing::Values("bgemm", "core_counts", "graph_chain", "matmul_chain",
                                           "paged_attention_batched", "paged_attention_batched_child_memory",
                                           "paged_attention_ragged", "paged_attention_ragged_child_memory",
                                           "paged_attention_small1", "paged_attention_small1_child_memory",
                                           "paged_attention_small2", "paged_attention_small2_child_memory",
                                           "paged_attention_unrolled", "paged_attention_unrolled_child_memory",
                                           "predicated_dispatch", "shape_slot_child_memory", "validation_child_memory",
                                           "vector_example", "vector_sum_product"),
                         scene_test_name);

INSTANTIATE_TEST_SUITE_P(Large, SceneMatrix,
                         ::testing::Values("fan_out", "paged_attention_case1", "paged_attention_case1_child_memory",
                                           "paged_attention_case2", "paged_attention_case2_child_memory",
                                           "qwen3_14b_decode", "qwen3_14b_decode_child_memory"),
                         scene_test_name);

}  // namespace
}  // namespace svmsim
