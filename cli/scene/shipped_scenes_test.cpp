// SPDX-License-Identifier: Apache-2.0
// The scenes that ship: which there are, and that their tensors have exactly the sizes of the published workloads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/scene/scene.h"

namespace svmsim {
namespace {

const std::string kSceneFolder = std::string(SVMSIM_FIXTURES_DIR) + "/scenes/";

const std::vector<std::string> kShipped = {
    "bgemm",
    "core_counts",
    "fan_out",
    "graph_chain",
    "matmul_chain",
    "paged_attention_batched",
    "paged_attention_batched_child_memory",
    "paged_attention_case1",
    "paged_attention_case1_child_memory",
    "paged_attention_case2",
    "paged_attention_case2_child_memory",
    "paged_attention_ragged",
    "paged_attention_ragged_child_memory",
    "paged_attention_small1",
    "paged_attention_small1_child_memory",
    "paged_attention_small2",
    "paged_attention_small2_child_memory",
    "paged_attention_unrolled",
    "paged_attention_unrolled_child_memory",
    "predicated_dispatch",
    "qwen3_14b_decode",
    "qwen3_14b_decode_child_memory",
    "shape_slot_child_memory",
    "validation_child_memory",
    "vector_example",
    "vector_sum_product",
};

Scene shipped_scene(const std::string& name) {
  ConfigResult<Scene> scene = load_scene(kSceneFolder + name + ".toml");
  if (!scene) {
    ADD_FAILURE() << scene.error().message();
    return {};
  }
  return *std::move(scene);
}

using NamedBytes = std::vector<std::pair<std::string, std::uint64_t>>;

NamedBytes sizes_of(const Scene& scene) {
  NamedBytes sizes;
  for (const SceneTensor& tensor : scene.tensors) sizes.emplace_back(tensor.name, tensor.bytes().count());
  return sizes;
}

std::vector<std::string> resident_in(const Scene& scene) {
  std::vector<std::string> names;
  for (const SceneTensor& tensor : scene.tensors) {
    if (tensor.residency == Residency::kChildMemory) names.push_back(tensor.name);
  }
  return names;
}

std::vector<std::string> written_in(const Scene& scene) {
  std::vector<std::string> names;
  for (const SceneTensor& tensor : scene.tensors) {
    if (tensor.direction != Direction::kIn) names.push_back(tensor.name);
  }
  return names;
}

NamedBytes paged_attention_sizes(std::uint64_t query, std::uint64_t cache, std::uint64_t block_table,
                                 std::uint64_t context_lens, std::uint64_t out) {
  return {{"query", query},
          {"key_cache", cache},
          {"value_cache", cache},
          {"block_table", block_table},
          {"context_lens", context_lens},
          {"out", out}};
}

TEST(ShippedScenes, FolderHoldsExactlyTheListedScenes) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kSceneFolder)) {
    EXPECT_EQ(entry.path().extension(), ".toml") << entry.path();
    found.push_back(entry.path().stem().string());
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, kShipped);
}

TEST(ShippedScenes, EachLoadsUnderItsFileNameForOneRoundOnPlainBacking) {
  for (const std::string& name : kShipped) {
    const Scene scene = shipped_scene(name);
    EXPECT_EQ(scene.name, name);
    EXPECT_FALSE(scene.description.empty()) << name;
    EXPECT_EQ(scene.rounds, 1u) << name;
    EXPECT_EQ(scene.backing, BackingKind::kPlain) << name;
    EXPECT_FALSE(scene.kernels.empty()) << name;
  }
}

TEST(ShippedScenes, EachOrchestrationHasASource) {
  for (const std::string& name : kShipped) {
    const std::string source =
        std::string(SVMSIM_FIXTURES_DIR) + "/orchestrations/" + shipped_scene(name).orchestration + ".cpp";
    EXPECT_TRUE(std::filesystem::exists(source)) << source;
  }
}

TEST(ShippedScenes, PagedAttentionTensorsHaveThePublishedSizes) {
  EXPECT_EQ(sizes_of(shipped_scene("paged_attention_case1")),
            paged_attention_sizes(1048576, 536870912, 262144, 1024, 2097152));
  EXPECT_EQ(sizes_of(shipped_scene("paged_attention_case2")),
            paged_attention_sizes(1048576, 134217728, 131072, 256, 2097152));
  EXPECT_EQ(sizes_of(shipped_scene("paged_attention_small1")), paged_attention_sizes(512, 512, 64, 4, 1024));
  EXPECT_EQ(sizes_of(shipped_scene("paged_attention_small2")), paged_attention_sizes(512, 2048, 64, 4, 1024));
}

TEST(ShippedScenes, PagedAttentionReadsOneTableEntryPerBlockInUse) {
  const std::map<std::string, std::uint64_t> published = {
      {"case1", 16384}, {"case2", 8192}, {"small1", 1}, {"small2", 4}};
  for (const auto& [name, reads] : published) {
    const Scene scene = shipped_scene("paged_attention_" + name);
    ASSERT_EQ(scene.tensors.size(), 6u);
    const SceneTensor& cache = scene.tensors[1];
    const SceneTensor& table = scene.tensors[3];
    const SceneTensor& lengths = scene.tensors[4];
    ASSERT_EQ(lengths.data.kind, TensorDataKind::kFill);
    const std::uint64_t blocks = (lengths.data.values.at(0) + cache.shape[1] - 1) / cache.shape[1];
    EXPECT_EQ(blocks * lengths.shape[0], reads) << name;
    // Every block number that the table holds must exist.
    EXPECT_EQ(table.data.blocks_per_row, blocks) << name;
    EXPECT_EQ(cache.shape[0], reads) << name;
  }
}

// The running sums of one batch, then per block the scores (float32), the probabilities (bfloat16), row maximum, row
// sum, and the partial output, each at a multiple of 1024 bytes.
TEST(ShippedScenes, PagedAttentionHeapAndWindowHoldEveryOutputAndTask) {
  const Scene case1 = shipped_scene("paged_attention_case1");
  EXPECT_GE(case1.task_window, 65792u);
  EXPECT_GE(case1.heap.count(), 256u * ((8192 + 1024 + 1024) + 64u * (8192 + 4096 + 1024 + 1024 + 8192)));
  const Scene case2 = shipped_scene("paged_attention_case2");
  EXPECT_GE(case2.task_window, 32832u);
  EXPECT_GE(case2.heap.count(), 64u * ((32768 + 1024 + 1024) + 128u * (16384 + 8192 + 1024 + 1024 + 32768)));
  const Scene small = shipped_scene("paged_attention_small2");
  EXPECT_EQ(small.task_window, 16384u);
  EXPECT_EQ(small.heap.count(), 268435456u);
}

TEST(ShippedScenes, PagedAttentionScaleIsTheInverseRootOfTheHeadSize) {
  EXPECT_EQ(shipped_scene("paged_attention_small1").scalars.at(0).bits, 0x3e800000u);  // 1 / 4
  EXPECT_EQ(shipped_scene("paged_attention_case1").scalars.at(0).bits, 0x3db504f3u);   // 1 / sqrt(128)
}

TEST(ShippedScenes, PagedAttentionKernelsTakeOneHundredMicrosecondsPerBlock) {
  for (const std::string name : {"small1", "small2", "case1", "case2"}) {
    const Scene scene = shipped_scene("paged_attention_" + name);
    ASSERT_EQ(scene.kernels.size(), 4u);
    svmrt::Picoseconds sum;
    for (const SceneKernel& kernel : scene.kernels) sum += kernel.duration.value();
    EXPECT_EQ(sum, svmrt::Picoseconds(100'000'000)) << name;
    EXPECT_EQ(scene.kernels[0].core, KernelCore::kCube);
    EXPECT_EQ(scene.kernels[1].core, KernelCore::kVector);
    EXPECT_EQ(scene.kernels[2].core, KernelCore::kCube);
    EXPECT_EQ(scene.kernels[3].core, KernelCore::kVector);
  }
}

TEST(ShippedScenes, QwenTensorsHaveThePublishedSizesInArgumentOrder) {
  const NamedBytes published = {
      {"hidden_states", 163840}, {"input_rms_weight", 819200}, {"wq", 2097152000},          {"wk", 419430400},
      {"wv", 419430400},         {"q_norm_weight", 20480},     {"k_norm_weight", 20480},    {"seq_lens", 64},
      {"block_table", 2752},     {"slot_mapping", 64},         {"rope_cos", 2816000},       {"rope_sin", 2816000},
      {"k_cache", 7214202880},   {"v_cache", 7214202880},      {"wo", 2097152000},          {"w_gate", 7130316800},
      {"w_up", 7130316800},      {"w_down", 7130316800},       {"post_rms_weight", 819200}, {"out", 163840},
  };
  EXPECT_EQ(sizes_of(shipped_scene("qwen3_14b_decode")), published);
  EXPECT_EQ(sizes_of(shipped_scene("qwen3_14b_decode_child_memory")), published);
}

TEST(ShippedScenes, QwenNeedsHostBytesOnlyForItsHiddenStatesAndResult) {
  for (const std::string name : {"qwen3_14b_decode", "qwen3_14b_decode_child_memory"}) {
    const Scene scene = shipped_scene(name);
    for (const SceneTensor& tensor : scene.tensors) {
      const bool has_data = tensor.data.kind != TensorDataKind::kNone;
      EXPECT_EQ(has_data, tensor.name == "hidden_states" || tensor.name == "out") << tensor.name;
    }
  }
}

TEST(ShippedScenes, DirectionsAreThoseOfTheWorkloads) {
  EXPECT_EQ(written_in(shipped_scene("qwen3_14b_decode")), (std::vector<std::string>{"k_cache", "v_cache", "out"}));
  for (const std::string name : {"small1", "small2", "case1", "case2"}) {
    EXPECT_EQ(written_in(shipped_scene("paged_attention_" + name)), std::vector<std::string>{"out"});
  }
}

TEST(ShippedScenes, ChildMemoryVariantsDifferFromTheirBaseInResidencyAlone) {
  const std::vector<std::string> paged = {"key_cache", "value_cache", "block_table", "context_lens"};
  for (const std::string base_name :
       {"paged_attention_small1", "paged_attention_small2", "paged_attention_case1", "paged_attention_case2"}) {
    const Scene base = shipped_scene(base_name);
    const Scene variant = shipped_scene(base_name + "_child_memory");
    EXPECT_TRUE(resident_in(base).empty()) << base_name;
    EXPECT_EQ(resident_in(variant), paged) << base_name;
    EXPECT_EQ(sizes_of(variant), sizes_of(base));
    EXPECT_EQ(variant.orchestration, base.orchestration);
    EXPECT_EQ(variant.heap, base.heap);
    EXPECT_EQ(variant.task_window, base.task_window);
    EXPECT_EQ(variant.kernels.size(), base.kernels.size());
    EXPECT_EQ(variant.scalars.size(), 1u);
  }
  EXPECT_TRUE(resident_in(shipped_scene("qwen3_14b_decode")).empty());
  EXPECT_EQ(resident_in(shipped_scene("qwen3_14b_decode_child_memory")).size(), 20u);
  EXPECT_EQ(resident_in(shipped_scene("shape_slot_child_memory")), (std::vector<std::string>{"slot", "layout"}));
}

TEST(ShippedScenes, ShapeSlotIsThirtyTwoBytes) {
  EXPECT_EQ(shipped_scene("shape_slot_child_memory").tensors.at(0).bytes(), svmrt::Bytes(32));
}

TEST(ShippedScenes, GemmHasFourByFourTilesOfSixtyFour) {
  for (const SceneTensor& tensor : shipped_scene("bgemm").tensors) {
    EXPECT_EQ(tensor.shape, (std::vector<std::uint32_t>{4, 4, 64, 64})) << tensor.name;
  }
}

}  // namespace
}  // namespace svmsim
