// SPDX-License-Identifier: Apache-2.0
// The orchestrations that ship, on the scenes that ship: how often they read and write on the host, how many tasks
// they submit, and that these fit the scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cli/scene/recording_runtime.h"
#include "cli/scene/scene.h"

namespace svmsim {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

Scene shipped(const std::string& name) {
  ConfigResult<Scene> scene = load_scene(std::string(SVMSIM_FIXTURES_DIR) + "/scenes/" + name + ".toml");
  if (!scene) {
    ADD_FAILURE() << scene.error().message();
    return {};
  }
  return *std::move(scene);
}

Recording recorded(const Scene& scene) {
  return record(std::string(SVMSIM_ORCHESTRATIONS_DIR) + "/" + scene.orchestration + ".so", scene);
}

std::uint64_t count_tasks(const Recording& recording, std::int32_t aic, std::int32_t aiv) {
  return static_cast<std::uint64_t>(
      std::count_if(recording.tasks.begin(), recording.tasks.end(), [&](const RecordedTask& task) {
        return !task.is_alloc && task.kernels.aic_kernel_id == aic && task.kernels.aiv0_kernel_id == aiv;
      }));
}

// Null when the scene has no such kernel.
const SceneKernel* kernel_of(const Scene& scene, std::int32_t function) {
  const auto found = std::find_if(scene.kernels.begin(), scene.kernels.end(),
                                  [&](const SceneKernel& kernel) { return kernel.func_id == function; });
  return found == scene.kernels.end() ? nullptr : &*found;
}

class EveryScene : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryScene, RunsWithoutFatalAndTakesAllArguments) {
  const Scene scene = shipped(GetParam());
  const Recording recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, 0) << recording.fatal_message;
  EXPECT_EQ(static_cast<std::size_t>(recording.expected_arg_count), scene.tensors.size() + scene.scalars.size());
  EXPECT_FALSE(recording.tasks.empty());
}

TEST_P(EveryScene, TasksAndOutputsFitWindowAndHeap) {
  const Scene scene = shipped(GetParam());
  const Recording recording = recorded(scene);
  EXPECT_LT(recording.tasks.size(), scene.task_window);
  EXPECT_LE(recording.heap_bytes, scene.heap.count());
}

TEST_P(EveryScene, EveryTensorOfATaskLiesInsideItsBuffer) {
  for (const RecordedTask& task : recorded(shipped(GetParam())).tasks) {
    for (const RecordedTensor& argument : task.tensors) {
      const ChipTensor& tensor = argument.tensor;
      ASSERT_NE(tensor.buffer.addr, 0u);
      ASSERT_GT(tensor.extent_elem(), 0u);
      ASSERT_LE((tensor.start_offset + tensor.extent_elem()) * get_element_size(tensor.dtype), tensor.buffer.size)
          << tensor.dump();
    }
  }
}

TEST_P(EveryScene, EveryTaskRunsKernelsOfTheSceneOnTheirCores) {
  const Scene scene = shipped(GetParam());
  for (const RecordedTask& task : recorded(scene).tasks) {
    if (task.is_alloc) continue;
    const auto expect_core = [&](std::int32_t function, KernelCore core) {
      const SceneKernel* kernel = kernel_of(scene, function);
      ASSERT_NE(kernel, nullptr) << function;
      ASSERT_EQ(kernel->core, core) << kernel->name;
    };
    const MixedKernels& kernels = task.kernels;
    ASSERT_TRUE(kernels.aic_kernel_id >= 0 || kernels.aiv0_kernel_id >= 0);
    if (kernels.aic_kernel_id >= 0) expect_core(kernels.aic_kernel_id, KernelCore::kCube);
    if (kernels.aiv0_kernel_id >= 0) expect_core(kernels.aiv0_kernel_id, KernelCore::kVector);
    if (kernels.aiv1_kernel_id >= 0) expect_core(kernels.aiv1_kernel_id, KernelCore::kVector);
  }
}

TEST_P(EveryScene, TasksWriteOnlyOutputsAndWritableArguments) {
  const Scene scene = shipped(GetParam());
  for (const RecordedTask& task : recorded(scene).tasks) {
    for (const RecordedTensor& argument : task.tensors) {
      for (std::size_t i = 0; i < scene.tensors.size(); ++i) {
        if (argument.tensor.buffer.addr != recorded_address(i)) continue;
        const Direction direction = scene.tensors[i].direction;
        const bool writes = argument.tag != TensorArgType::INPUT && argument.tag != TensorArgType::NO_DEP;
        const bool reads = argument.tag != TensorArgType::OUTPUT_EXISTING;
        ASSERT_FALSE(writes && direction == Direction::kIn) << scene.tensors[i].name;
        ASSERT_FALSE(reads && direction == Direction::kOut) << scene.tensors[i].name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScene,
                         ::testing::Values("bgemm", "core_counts", "fan_out", "matmul_chain", "paged_attention_batched",
                                           "paged_attention_case1", "paged_attention_case2", "paged_attention_ragged",
                                           "paged_attention_small1", "paged_attention_small2",
                                           "paged_attention_unrolled", "predicated_dispatch", "qwen3_14b_decode",
                                           "shape_slot_child_memory", "validation_child_memory", "vector_example",
                                           "vector_sum_product"),
                         [](const auto& instance) { return std::string(instance.param); });

struct PagedAttentionCase {
  const char* name;
  std::uint64_t tasks, table_reads, length_reads, heap_bytes;
};

class PagedAttention : public ::testing::TestWithParam<PagedAttentionCase> {};

TEST_P(PagedAttention, SubmitsAndReadsExactlyThePublishedNumbers) {
  const PagedAttentionCase& expected = GetParam();
  for (const std::string suffix : {"", "_child_memory"}) {
    const Recording recording = recorded(shipped(std::string("paged_attention_") + expected.name + suffix));
    EXPECT_EQ(recording.tasks.size(), expected.tasks);
    EXPECT_EQ(recording.reads,
              (Counts{{"block_table", expected.table_reads}, {"context_lens", expected.length_reads}}));
    EXPECT_TRUE(recording.writes.empty());
    // Outputs start at multiples of 1024 bytes; the last one of a batch is a partial output, a multiple itself.
    EXPECT_EQ(recording.heap_bytes, expected.heap_bytes);
    const std::uint64_t blocks = expected.table_reads;
    EXPECT_EQ(count_tasks(recording, 0, -1), blocks);
    EXPECT_EQ(count_tasks(recording, -1, 1), blocks);
    EXPECT_EQ(count_tasks(recording, 2, -1), blocks);
    EXPECT_EQ(count_tasks(recording, -1, 3), blocks);
  }
}

// Bytes by hand: per batch the running output, sum and maximum; per block scores, probabilities, maximum, sum and
// partial output. small1: 3 * 1024 + 5 * 1024.
INSTANTIATE_TEST_SUITE_P(Published, PagedAttention,
                         ::testing::Values(PagedAttentionCase{"case1", 65792, 16384, 256,
                                                              256ull * (10240 + 64 * 22528)},
                                           PagedAttentionCase{"case2", 32832, 8192, 64, 64ull * (34816 + 128 * 59392)},
                                           PagedAttentionCase{"small1", 5, 1, 1, 8 * 1024},
                                           PagedAttentionCase{"small2", 17, 4, 1, 3 * 1024 + 4 * 5 * 1024}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(PagedAttentionGraph, TilesOfMoreThan128HeadsShareTheReadsOfTheirBatch) {
  Scene scene = shipped("paged_attention_small2");
  scene.tensors[0].shape[1] = 129;
  scene.tensors[5].shape[1] = 129;
  const Recording recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, 0) << recording.fatal_message;
  EXPECT_EQ(recording.tasks.size(), 2u * 17);
  EXPECT_EQ(recording.reads, (Counts{{"block_table", 4}, {"context_lens", 1}}));
  EXPECT_EQ(recording.tasks.at(17 + 1).tensors.at(0).tensor.shapes[1], 1u);
}

TEST(PagedAttentionGraph, ViewsFollowTheBlockTable) {
  const Scene scene = shipped("paged_attention_small2");
  const Recording recording = recorded(scene);
  std::int32_t blocks[4];
  std::memcpy(blocks, recording.bytes.at("block_table").data(), sizeof blocks);
  for (std::size_t n = 0; n < 4; ++n) {
    const std::uint64_t offset = static_cast<std::uint64_t>(blocks[n]) * 16 * 16;  // block size times head size
    const RecordedTask& qk = recording.tasks.at(1 + 4 * n);
    EXPECT_EQ(qk.tensors.at(1).tensor.buffer.addr, recorded_address(1));
    EXPECT_EQ(qk.tensors.at(1).tensor.start_offset, offset);
    const RecordedTask& pv = recording.tasks.at(3 + 4 * n);
    EXPECT_EQ(pv.tensors.at(1).tensor.buffer.addr, recorded_address(2));
    EXPECT_EQ(pv.tensors.at(1).tensor.start_offset, offset);
  }
}

TEST(PagedAttentionGraph, ABlockThatIsNotFullPassesOnTheScoresOfItsPositionsAlone) {
  const Recording recording = recorded(shipped("paged_attention_ragged"));
  // Contexts of 81, 16 and 1 in blocks of 16: six blocks, one, one; each sequence begins with an allocation.
  const std::vector<std::uint32_t> positions = {16, 16, 16, 16, 16, 1, 16, 1};
  std::vector<std::uint32_t> found;
  for (const RecordedTask& task : recording.tasks) {
    if (task.is_alloc || task.kernels.aiv0_kernel_id != 1) continue;
    found.push_back(task.tensors.at(0).tensor.shapes[1]);
    EXPECT_EQ(task.tensors.at(0).tensor.strides[0], 16u);
    EXPECT_EQ(task.tensors.at(1).tensor.shapes[1], 16u);
  }
  EXPECT_EQ(found, positions);
}

TEST(PagedAttentionGraph, FirstUpdateWritesTheRunningTensorsAndLaterOnesReadThem) {
  const Recording recording = recorded(shipped("paged_attention_small2"));
  for (std::size_t n = 0; n < 4; ++n) {
    const RecordedTask& update = recording.tasks.at(4 + 4 * n);
    ASSERT_EQ(update.tensors.size(), 7u);
    for (std::size_t i = 3; i < 6; ++i) {
      EXPECT_EQ(update.tensors[i].tag, n == 0 ? TensorArgType::OUTPUT_EXISTING : TensorArgType::INOUT);
    }
    EXPECT_EQ(update.tensors[6].tag, TensorArgType::OUTPUT_EXISTING);
    EXPECT_EQ(update.tensors[6].tensor.buffer.addr, recorded_address(5));
    EXPECT_EQ(update.scalars, std::vector<std::uint64_t>{n == 0});
  }
}

TEST(PagedAttentionGraph, SoftmaxGetsTheScale) {
  const Recording recording = recorded(shipped("paged_attention_small1"));
  EXPECT_EQ(recording.tasks.at(2).scalars, std::vector<std::uint64_t>{0x3e800000});
}

TEST(PagedAttentionGraph, ContextOutsideTheTableIsFatal) {
  Scene scene = shipped("paged_attention_small1");
  scene.tensors[4].data.values = {257};
  Recording recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(recording.fatal_message, "context_lens[0] is 257; allowed: 0 to 16 blocks of 16");
  EXPECT_TRUE(recording.tasks.empty());
  scene.tensors[4].data.values = {0xffffffff};
  recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(recording.reads, (Counts{{"context_lens", 1}}));
}

TEST(PagedAttentionGraph, ContextThatFillsTheTableIsAllowedAndEmptyOneOnlyAllocates) {
  Scene scene = shipped("paged_attention_small1");
  scene.tensors[1].shape[0] = 16;
  scene.tensors[2].shape[0] = 16;
  scene.tensors[3].data.blocks_per_row = 16;
  scene.tensors[4].data.values = {256};
  EXPECT_EQ(recorded(scene).tasks.size(), 1u + 4 * 16);
  scene.tensors[4].data.values = {0};
  EXPECT_EQ(recorded(scene).tasks.size(), 1u);
}

TEST(PagedAttentionGraph, BlockOutsideTheCacheIsFatal) {
  Scene scene = shipped("paged_attention_small1");
  scene.tensors[3].data = TensorData{TensorDataKind::kFill, {1}, 0, {}};
  Recording recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(recording.fatal_message, "block_table[0][0] is 1; the caches have 1 blocks");
  EXPECT_TRUE(recording.tasks.empty());
  scene.tensors[3].data.values = {0xffffffff};
  recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, PTO2_ERROR_INVALID_ARGS);
}

TEST(VectorExample, ThreeTasksOverOneBuffer) {
  const Recording recording = recorded(shipped("vector_example"));
  ASSERT_EQ(recording.tasks.size(), 3u);
  for (const RecordedTask& task : recording.tasks) {
    ASSERT_EQ(task.tensors.size(), 1u);
    EXPECT_EQ(task.tensors[0].tag, TensorArgType::INOUT);
    EXPECT_EQ(task.tensors[0].tensor.buffer.addr, recorded_address(0));
  }
  EXPECT_TRUE(recording.reads.empty());
}

TEST(Gemm, SixtyFourProductsAndAdditionsOfTilesOf64) {
  const Recording recording = recorded(shipped("bgemm"));
  EXPECT_EQ(recording.tasks.size(), 128u);
  EXPECT_EQ(count_tasks(recording, 0, -1), 64u);
  EXPECT_EQ(count_tasks(recording, -1, 1), 64u);
  EXPECT_EQ(recording.heap_bytes, 64u * 64 * 64 * 4);
  EXPECT_TRUE(recording.reads.empty());
  for (const RecordedTask& task : recording.tasks) {
    for (const RecordedTensor& argument : task.tensors) EXPECT_EQ(argument.tensor.numel(), 64u * 64);
  }
}

TEST(ShapeSlot, ReadsTheLayoutOnceAndWritesTheSlotInFourWords) {
  const Recording recording = recorded(shipped("shape_slot_child_memory"));
  EXPECT_EQ(recording.reads, (Counts{{"layout", 1}}));
  EXPECT_EQ(recording.writes, (Counts{{"slot", 4}}));
  ASSERT_EQ(recording.tasks.size(), 1u);
  EXPECT_EQ(recording.tasks[0].tensors.at(0).tensor.buffer.addr, recorded_address(0));
}

std::vector<std::uint64_t> slot_words(const Recording& recording) {
  std::vector<std::uint64_t> words(4);
  std::memcpy(words.data(), recording.bytes.at("slot").data(), 32);
  return words;
}

TEST(ShapeSlot, LayoutSelectsTheOrderOfTheShape) {
  Scene scene = shipped("shape_slot_child_memory");  // source is [32, 64] float32
  scene.tensors[1].data.values = {0};
  EXPECT_EQ(slot_words(recorded(scene)), (std::vector<std::uint64_t>{2, 32, 64, 4}));
  scene.tensors[1].data.values = {1};
  EXPECT_EQ(slot_words(recorded(scene)), (std::vector<std::uint64_t>{2, 64, 32, 4}));
}

TEST(ShapeSlot, UnknownLayoutIsFatalBeforeAnyWrite) {
  Scene scene = shipped("shape_slot_child_memory");
  scene.tensors[1].data.values = {2};
  const Recording recording = recorded(scene);
  EXPECT_EQ(recording.fatal_code, PTO2_ERROR_INVALID_ARGS);
  EXPECT_TRUE(recording.writes.empty());
  EXPECT_TRUE(recording.tasks.empty());
}

TEST(QwenDecode, FourteenTasksPerLayerAndNoHostAccess) {
  const Recording recording = recorded(shipped("qwen3_14b_decode"));
  EXPECT_EQ(recording.tasks.size(), 40u * 14);
  EXPECT_TRUE(recording.reads.empty());
  EXPECT_TRUE(recording.writes.empty());
}

TEST(QwenDecode, EveryArgumentIsUsedAndTheLastTaskWritesTheResult) {
  const Scene scene = shipped("qwen3_14b_decode");
  const Recording recording = recorded(scene);
  std::vector<std::uint64_t> uses(scene.tensors.size());
  for (const RecordedTask& task : recording.tasks) {
    for (const RecordedTensor& argument : task.tensors) {
      for (std::size_t i = 0; i < uses.size(); ++i) uses[i] += argument.tensor.buffer.addr == recorded_address(i);
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) EXPECT_GT(uses[i], 0u) << scene.tensors[i].name;
  EXPECT_EQ(uses[19], 1u);
  const RecordedTensor& last = recording.tasks.back().tensors.back();
  EXPECT_EQ(last.tag, TensorArgType::OUTPUT_EXISTING);
  EXPECT_EQ(last.tensor.buffer.addr, recorded_address(19));
}

TEST(QwenDecode, CacheViewsOfTheLayersCoverTheCachesOnce) {
  const Recording recording = recorded(shipped("qwen3_14b_decode"));
  std::uint64_t next = 0;
  for (const RecordedTask& task : recording.tasks) {
    if (task.kernels.aiv0_kernel_id != 3) continue;  // rotary embedding and cache write
    EXPECT_EQ(task.tensors.at(7).tag, TensorArgType::INOUT);
    EXPECT_EQ(task.tensors.at(7).tensor.start_offset, next);
    EXPECT_EQ(task.tensors.at(8).tensor.start_offset, next);
    next += task.tensors.at(7).tensor.numel();
  }
  EXPECT_EQ(next * 2, 7214202880u);
}

}  // namespace
}  // namespace svmsim
