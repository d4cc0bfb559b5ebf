// SPDX-License-Identifier: Apache-2.0
// Scenes whose kernels compute: every platform and policy gives the golden's result, staged or in device memory, bit
// for bit the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "cli/commands.h"
#include "cli/testing/scratch_folder.h"
#include "runtime/policy.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

using ::testing::HasSubstr;

RunOptions real(const std::string& scene) {
  RunOptions options;
  options.scene = scene;
  options.kernels = "real";
  return options;
}

Json run(const RunOptions& options, ExitCode expected = ExitCode::kFine) {
  const auto output = run_command(default_locations(), options, OutputFormat::kJson);
  if (!output) {
    ADD_FAILURE() << output.error().message;
    return {};
  }
  EXPECT_EQ(output->exit_code, expected) << output->text;
  return Json::parse(output->text);
}

std::string refusal(const RunOptions& options) {
  const auto output = run_command(default_locations(), options, OutputFormat::kJson);
  if (output) return "ran";
  EXPECT_EQ(output.error().exit_code, ExitCode::kBadInput);
  return output.error().message;
}

class RealKernels : public ::testing::TestWithParam<const char*> {};

TEST_P(RealKernels, EveryPlatformAndPolicyGivesTheGoldenAndTheSameBits) {
  std::vector<svmrt::Policy> policies(svmrt::fixed_policies().begin(), svmrt::fixed_policies().end());
  policies.push_back(svmrt::Policy::budget(svmrt::Bytes(64)));
  std::vector<std::string> scenes = {GetParam()};
  const std::string resident = scenes[0] + "_child_memory";
  const auto names = fixture_names(default_locations(), "scenes");
  if (std::find(names->begin(), names->end(), resident) != names->end()) scenes.push_back(resident);
  const auto platforms = fixture_names(default_locations(), "platforms");
  std::string digest;
  for (const std::string& scene : scenes) {
    for (const std::string& platform : *platforms) {
      for (const svmrt::Policy policy : policies) {
        RunOptions options = real(scene);
        options.platform = platform;
        options.policy = svmrt::policy_name(policy);
        options.rounds = "5";
        const Json json = run(options);
        const std::string where = scene + " " + platform + " " + options.policy;
        ASSERT_TRUE(json.contains("golden")) << where;
        EXPECT_TRUE(json["golden"]["within"]) << where;
        EXPECT_EQ(json["violations"], Json::array()) << where;
        // Nothing is left behind: every mapping is gone, and the oracle's I8 looked for the rest.
        EXPECT_EQ(json["totals"]["map_calls"], json["totals"]["unmap_calls"]) << where;
        if (digest.empty()) digest = json["outputs_digest"];
        EXPECT_EQ(json["outputs_digest"], digest) << where;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, RealKernels,
                         ::testing::Values("bgemm", "graph_chain", "matmul_chain", "paged_attention_batched",
                                           "paged_attention_ragged", "paged_attention_small1", "paged_attention_small2",
                                           "paged_attention_unrolled", "vector_example", "vector_sum_product"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(RealKernelModes, PagedAttentionIsTheSameHoweverItIsCutIntoTasks) {
  // Per sequence the same operations in the same order.
  EXPECT_EQ(run(real("paged_attention_batched"))["outputs_digest"],
            run(real("paged_attention_ragged"))["outputs_digest"]);
}

TEST(RealKernelModes, APredicateThatDoesNotHoldLeavesItsTaskOut) {
  const ScratchFolder folder;
  const auto outputs = [&](const char* shift) {
    std::string text = text_of(default_locations().fixtures + "/scenes/predicated_dispatch.toml");
    const std::string value = "value = 1.0";
    text.replace(text.find(value), value.size(), std::string("value = ") + shift);
    std::ofstream(folder / "scene.toml") << text;
    RunOptions options = real(folder / "scene.toml");
    options.trace = folder / "trace.jsonl";
    run(options);
    // Which kernels ran, by the trace.
    std::ifstream trace(folder / "trace.jsonl");
    std::vector<std::string> kernels;
    for (std::string line; std::getline(trace, line);) {
      const Json event = Json::parse(line);
      if (event.contains("kernel")) kernels.push_back(event["kernel"].get<std::string>() + event["task"].dump());
    }
    return kernels;
  };
  EXPECT_EQ(outputs("1.0"), (std::vector<std::string>{"shift0", "accumulate1", "double3"}));
  EXPECT_EQ(outputs("0.0"), (std::vector<std::string>{"shift0", "accumulate2", "double3"}));
  EXPECT_EQ(outputs("-1.0"), (std::vector<std::string>{"shift0", "accumulate2", "double3"}));
}

TEST(RealKernelModes, OtherModesCompareNothingAndNoneLeavesTheOutputs) {
  RunOptions options = real("vector_sum_product");
  options.kernels = "digest";
  const Json digest = run(options);
  EXPECT_FALSE(digest.contains("golden"));
  EXPECT_FALSE(digest.contains("kernels"));
  options.kernels = "none";
  const Json none = run(options);
  EXPECT_EQ(none["kernels"], "none");
  EXPECT_FALSE(none.contains("golden"));
  EXPECT_NE(none["result_digest"], digest["result_digest"]);
  EXPECT_EQ(none["per_round"], digest["per_round"]);  // what tasks compute costs nothing
  options.kernels = "fake";
  EXPECT_THAT(refusal(options), HasSubstr("--kernels: found 'fake'; allowed: real, digest, none"));
}

// vector_sum_product with a line of its scene replaced.
std::string changed_scene(const ScratchFolder& folder, const std::string& from, const std::string& to) {
  std::string text = text_of(default_locations().fixtures + "/scenes/vector_sum_product.toml");
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::ofstream(folder / "changed.toml") << text;
  return folder / "changed.toml";
}

TEST(RealKernelModes, AResultFarFromTheGoldenIsAViolation) {
  const ScratchFolder folder;
  const Json json = run(real(changed_scene(folder, "\"vector_add\"", "\"vector_mul\"")), ExitCode::kFailed);
  ASSERT_EQ(json["violations"].size(), 1u);
  EXPECT_EQ(json["violations"][0]["rule"], "golden");
  EXPECT_EQ(json["violations"][0]["round"], 0);
  EXPECT_EQ(json["violations"][0]["allocation"], "out");
  EXPECT_THAT(json["violations"][0]["message"].get<std::string>(), HasSubstr("where vector_sum_product expects"));
  EXPECT_FALSE(json["golden"]["within"]);
}

TEST(RealKernelModes, WhatTheSceneDoesNotSayOrSaysWrongIsNamed) {
  const ScratchFolder folder;
  EXPECT_THAT(
      refusal(real(changed_scene(folder, "compute = \"vector_add\"\n", ""))),
      HasSubstr("changed.toml: kernel 'add', compute: found nothing, and --kernels real needs it; allowed: one of "));
  EXPECT_THAT(refusal(real(changed_scene(folder, "\"vector_add\"", "\"vector_sub\""))),
              HasSubstr("changed.toml: kernel 'add', compute: found 'vector_sub'; allowed: one of "));
  EXPECT_THAT(refusal(real(changed_scene(folder, "[golden]\nname = \"vector_sum_product\"", "[golden]\nname = \"x\""))),
              HasSubstr("changed.toml: golden.name: found 'x'; allowed: one of bgemm, matmul_chain"));
  EXPECT_THAT(
      refusal(real(changed_scene(folder, "[golden]\nname = \"vector_sum_product\"", "[golden]\nname = \"bgemm\""))),
      HasSubstr("changed.toml: golden 'bgemm': tensor 0 is FLOAT32 [4, 1024]; allowed: "));
  EXPECT_THAT(refusal(real(changed_scene(folder, "data = \"seeded\"", "data = \"none\""))),
              HasSubstr("changed.toml: golden 'vector_sum_product': tensor 'a' has data = \"none\""));
}

TEST(RealKernelModes, DurationsComeFromTheSceneOrElseThePlatform) {
  const ScratchFolder folder;
  const std::string text = text_of(default_locations().fixtures + "/platforms/a2a3.toml");
  std::ofstream(folder / "timed.toml")
      << text << "\n[[kernel]]\ncompute = \"vector_mul\"\nduration_ns = 5_000\n\n[[kernel]]\ncompute = \"vector_add\"\n"
      << "duration_ns = 999_000\n";
  const std::string said = "name = \"multiply\"\ncore = \"vector\"\nduration_ns = 2_000\n";
  RunOptions options = real(changed_scene(folder, said, "name = \"multiply\"\ncore = \"vector\"\n"));
  EXPECT_THAT(
      refusal(options),
      HasSubstr("changed.toml: kernel 'multiply', duration_ns: found nothing; allowed: a duration, in the scene or "
                "for \"vector_mul\" in platform 'a2a3'"));
  options.platform = folder / "timed.toml";
  // The sum and the two shifts, of which two run side by side, take 2 us each, as the scene says; the product takes 5.
  options.trace = folder / "trace.jsonl";
  run(options);
  std::ifstream trace(folder / "trace.jsonl");
  std::vector<std::pair<std::string, double>> costs;
  for (std::string line; std::getline(trace, line);) {
    const Json event = Json::parse(line);
    if (event.contains("kernel")) costs.emplace_back(event["kernel"], event["cost_ns"]);
  }
  EXPECT_EQ(costs, (std::vector<std::pair<std::string, double>>{
                       {"add", 2000}, {"add_scalar", 2000}, {"add_scalar", 2000}, {"multiply", 5000}}));
}

TEST(RealKernelModes, Float16IsWithinTheBoundOfItsRounding) {
  const ScratchFolder folder;
  std::string text = text_of(default_locations().fixtures + "/scenes/paged_attention_ragged.toml");
  for (std::size_t at = 0; (at = text.find("bfloat16\"", at)) != std::string::npos;) text.replace(at, 8, "float16");
  const std::string tolerance = "absolute = 2e-3";
  text.replace(text.find(tolerance), tolerance.size(), "absolute = 2.5e-4");  // 2^-12, as values are below 0.5
  std::ofstream(folder / "half.toml") << text;
  EXPECT_TRUE(run(real(folder / "half.toml"))["golden"]["within"]);
}

TEST(RealKernelModes, AKernelThatCannotTakeItsArgumentsFailsTheRun) {
  const ScratchFolder folder;
  const Json json = run(real(changed_scene(folder, "\"vector_add\"", "\"matmul\"")), ExitCode::kFailed);
  EXPECT_EQ(json["status"], -1);
  EXPECT_EQ(json["result_digest"], "0000000000000000");
}

}  // namespace
}  // namespace svmsim
