// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/kernels/testing/kernel_operands.h"

namespace svmsim {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

TEST(QkMatmul, IsTheProductWithTheTransposedKeys) {
  KernelOperands operands;
  operands.input({1, 2, 2}, {1, 2, 3, 4}, DataType::BFLOAT16);
  operands.input({1, 3, 1, 2}, {1, 0, 0, 1, 1, 1}, DataType::BFLOAT16).output({2, 3});
  EXPECT_EQ(operands.run("qk_matmul"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(1, 2, 3, 3, 4, 7));
}

TEST(QkMatmul, ShapesThatDoNotFitAreNamed) {
  const auto run = [](std::vector<std::uint32_t> key, std::vector<std::uint32_t> scores) {
    std::size_t count = 1;
    for (const std::uint32_t extent : key) count *= extent;
    KernelOperands operands;
    return operands.input({1, 2, 2}, {1, 2, 3, 4})
        .input(key, std::vector<float>(count))
        .output(scores)
        .run("qk_matmul");
  };
  EXPECT_EQ(run({1, 3, 1, 2}, {2, 3}), "");
  EXPECT_EQ(run({1, 3, 2, 2}, {2, 3}), "tensor 1 (key) has shape [1, 3, 2, 2]; allowed: [1, block, 1, 2]");
  EXPECT_EQ(run({1, 3, 1, 4}, {2, 3}), "tensor 1 (key) has shape [1, 3, 1, 4]; allowed: [1, block, 1, 2]");
  EXPECT_EQ(run({1, 3, 1, 2}, {3, 2}), "tensor 2 (scores) has shape [3, 2]; allowed: [2, 3]");
}

TEST(SoftmaxPrepare, GivesProbabilitiesRelativeToTheMaximumAndTheirSum) {
  KernelOperands operands;
  operands.input({2, 2}, {1, 3, 10, 10}).output({2, 2}).output({2}).output({2}).scalar(0.5F);
  EXPECT_EQ(operands.run("softmax_prepare"), "");
  EXPECT_THAT(operands.values(1), ElementsAre(FloatEq(std::exp(-1.0F)), 1, 1, 1));
  EXPECT_THAT(operands.values(2), ElementsAre(1.5F, 5));
  EXPECT_THAT(operands.values(3), ElementsAre(FloatEq(1 + std::exp(-1.0F)), 2));
}

TEST(SoftmaxPrepare, ColumnsWithoutScoresGetNoProbability) {
  KernelOperands operands;
  operands.input({1, 3}, {0, 0, 1000}).output({1, 3}).output({1}).output({1}).scalar(1);
  const std::uint32_t two_columns[] = {1, 2};
  const std::uint32_t first[] = {0, 0};
  operands.look_at(0, operands.tensor(0).view(two_columns, first), 0);
  EXPECT_EQ(operands.run("softmax_prepare"), "");
  EXPECT_THAT(operands.values(1), ElementsAre(1, 1, 0));
  EXPECT_THAT(operands.values(2), ElementsAre(0));
  EXPECT_THAT(operands.values(3), ElementsAre(2));
}

TEST(SoftmaxPrepare, TheSumIsOfWhatIsStored) {
  // e^-1 = 0.36787944; the bfloat16 values around it are 0.3671875 and 0.369140625.
  KernelOperands operands;
  operands.input({1, 2}, {0, -1}).output({1, 2}, DataType::BFLOAT16).output({1}).output({1}).scalar(1);
  EXPECT_EQ(operands.run("softmax_prepare"), "");
  EXPECT_THAT(operands.values(1), ElementsAre(1, 0.3671875F));
  EXPECT_THAT(operands.values(3), ElementsAre(1.3671875F));
}

TEST(SoftmaxPrepare, ShapesThatDoNotFitAreNamed) {
  KernelOperands narrow;
  narrow.input({1, 3}, {0, 0, 0}).output({1, 2}).output({1}).output({1}).scalar(1);
  EXPECT_EQ(narrow.run("softmax_prepare"), "tensor 1 (probabilities) has shape [1, 2]; allowed: [1, 3 or more]");
  KernelOperands rows;
  rows.input({1, 3}, {0, 0, 0}).output({1, 3}).output({1}).output({3}).scalar(1);
  EXPECT_EQ(rows.run("softmax_prepare"), "tensor 3 (row sum) has shape [3]; allowed: 1 elements, one per head");
  EXPECT_THAT(rows.values(1), ElementsAre(77, 77, 77));
}

TEST(PvMatmul, IsTheProductWithTheValues) {
  KernelOperands operands;
  operands.input({1, 2}, {0.5F, 0.25F}, DataType::BFLOAT16).input({1, 2, 1, 3}, {4, 8, 12, 16, 20, 24}).output({1, 3});
  EXPECT_EQ(operands.run("pv_matmul"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(6, 9, 12));
  KernelOperands wrong;
  wrong.input({1, 3}, {0, 0, 0}).input({1, 2, 1, 3}, {4, 8, 12, 16, 20, 24}).output({1, 3});
  EXPECT_EQ(wrong.run("pv_matmul"), "tensor 1 (value) has shape [1, 2, 1, 3]; allowed: [1, 3, 1, head size]");
}

TEST(OnlineUpdate, TheFirstTakesTheBlockAndReadsNothing) {
  KernelOperands operands;
  operands.input({1}, {2}).input({1}, {4}).input({1, 2}, {8, 12});
  operands.output({1}).output({1}).output({1, 2}).output({1, 1, 2}).flag(true);
  EXPECT_EQ(operands.run("online_update"), "");
  EXPECT_THAT(operands.values(3), ElementsAre(2));
  EXPECT_THAT(operands.values(4), ElementsAre(4));
  EXPECT_THAT(operands.values(5), ElementsAre(8, 12));
  EXPECT_THAT(operands.values(6), ElementsAre(2, 3));
}

TEST(OnlineUpdate, LaterOnesAreBroughtToTheLargerMaximum) {
  const auto updated = [](float block_maximum, float running_maximum) {
    KernelOperands operands;
    operands.input({1}, {block_maximum}).input({1}, {1}).input({1, 1}, {3});
    operands.inout({1}, {running_maximum}).inout({1}, {2}).inout({1, 1}, {8}).output({1, 1}).flag(false);
    EXPECT_EQ(operands.run("online_update"), "");
    return std::vector<float>{operands.values(3)[0], operands.values(4)[0], operands.values(5)[0],
                              operands.values(6)[0]};
  };
  const float e = std::exp(-1.0F);
  EXPECT_THAT(updated(5, 5), ElementsAre(5, 3, 11, FloatEq(11.0F / 3)));
  EXPECT_THAT(updated(6, 5),
              ElementsAre(6, FloatEq(1 + 2 * e), FloatEq(3 + 8 * e), FloatEq((3 + 8 * e) / (1 + 2 * e))));
  EXPECT_THAT(updated(5, 6), ElementsAre(6, FloatEq(2 + e), FloatEq(8 + 3 * e), FloatEq((8 + 3 * e) / (2 + e))));
}

TEST(OnlineUpdate, ShapesThatDoNotFitAreNamed) {
  KernelOperands operands;
  operands.input({1}, {2}).input({1}, {4}).input({1, 2}, {8, 12});
  operands.output({1}).output({1}).output({2, 1}).output({1, 1, 2}).flag(true);
  EXPECT_EQ(operands.run("online_update"), "tensor 5 (running output) has shape [2, 1]; allowed: [1, 2]");
  EXPECT_THAT(operands.values(6), ElementsAre(77, 77));
}

TEST(AttentionKernels, AreNotDivided) {
  KernelOperands scores;
  scores.input({1, 2}, {1, 2}).input({1, 1, 1, 2}, {1, 2}).output({1, 1});
  EXPECT_EQ(scores.run("qk_matmul", 0, 2), "block_num 2; allowed: 1");
  KernelOperands softmax;
  softmax.input({1, 1}, {0}).output({1, 1}).output({1}).output({1}).scalar(1);
  EXPECT_EQ(softmax.run("softmax_prepare", 0, 2), "block_num 2; allowed: 1");
  KernelOperands values;
  values.input({1, 1}, {0}).input({1, 1, 1, 1}, {1}).output({1, 1});
  EXPECT_EQ(values.run("pv_matmul", 0, 2), "block_num 2; allowed: 1");
  KernelOperands update;
  update.input({1}, {2}).input({1}, {4}).input({1, 1}, {8});
  update.output({1}).output({1}).output({1, 1}).output({1, 1}).flag(true);
  EXPECT_EQ(update.run("online_update", 0, 2), "block_num 2; allowed: 1");
}

TEST(AttentionKernels, CheckTheNumberOfTheirOperands) {
  EXPECT_EQ(KernelOperands().run("qk_matmul"), "0 tensors; allowed: 3 (query, key, scores)");
  EXPECT_EQ(KernelOperands().run("softmax_prepare"),
            "0 tensors; allowed: 4 (scores, probabilities, row maximum, row sum)");
  EXPECT_EQ(KernelOperands().run("pv_matmul"), "0 tensors; allowed: 3 (probabilities, value, partial)");
  EXPECT_EQ(KernelOperands().run("online_update"),
            "0 tensors; allowed: 7 (row maximum, row sum, partial, running maximum, running sum, running output, out)");
}

TEST(AttentionKernels, TakeOneMatrixFirst) {
  KernelOperands scores;
  scores.input({2}, {1, 2}).input({1, 1, 1, 2}, {1, 2}).output({1, 1});
  EXPECT_EQ(scores.run("qk_matmul"), "tensor 0 (query) has shape [2]; allowed: [1, ..., heads, head size]");
  KernelOperands softmax;
  softmax.input({2, 1, 1}, {0, 0}).output({1, 1}).output({1}).output({1}).scalar(1);
  EXPECT_EQ(softmax.run("softmax_prepare"),
            "tensor 0 (scores) has shape [2, 1, 1]; allowed: [1, ..., heads, positions]");
  KernelOperands values;
  values.input({1}, {0}).input({1, 1, 1, 1}, {1}).output({1, 1});
  EXPECT_EQ(values.run("pv_matmul"), "tensor 0 (probabilities) has shape [1]; allowed: [1, ..., heads, block]");
  KernelOperands update;
  update.input({1}, {2}).input({1}, {4}).input({1}, {8});
  update.output({1}).output({1}).output({1, 1}).output({1, 1}).flag(true);
  EXPECT_EQ(update.run("online_update"), "tensor 2 (partial) has shape [1]; allowed: [1, ..., heads, head size]");
}

TEST(AttentionKernels, RowsAndCacheBlocksThatDoNotFitAreNamed) {
  KernelOperands maxima;
  maxima.input({1, 1}, {0}).output({1, 1}).output({2}).output({1}).scalar(1);
  EXPECT_EQ(maxima.run("softmax_prepare"), "tensor 2 (row maximum) has shape [2]; allowed: 1 elements, one per head");
  KernelOperands heads;
  heads.input({2, 1}, {0, 0}).output({1, 1}).output({2}).output({2}).scalar(1);
  EXPECT_EQ(heads.run("softmax_prepare"), "tensor 1 (probabilities) has shape [1, 1]; allowed: [2, 1 or more]");
  KernelOperands cache;
  cache.input({1, 1}, {0}).input({1, 1}, {1}).output({1, 1});
  EXPECT_EQ(cache.run("pv_matmul"), "tensor 1 (value) has shape [1, 1]; allowed: [1, 1, 1, head size]");
  KernelOperands blocks;
  blocks.input({1, 1}, {0}).input({2, 1, 1, 1}, {1, 1}).output({1, 1});
  EXPECT_EQ(blocks.run("pv_matmul"), "tensor 1 (value) has shape [2, 1, 1, 1]; allowed: [1, 1, 1, head size]");
  KernelOperands partial;
  partial.input({1, 1}, {0}).input({1, 1, 1, 2}, {1, 1}).output({2, 1});
  EXPECT_EQ(partial.run("pv_matmul"), "tensor 2 (partial) has shape [2, 1]; allowed: [1, 2]");
  KernelOperands update;
  update.input({1}, {2}).input({1}, {4}).input({1, 1}, {8});
  update.output({2}).output({1}).output({1, 1}).output({1, 1}).flag(true);
  EXPECT_EQ(update.run("online_update"), "tensor 3 (running maximum) has shape [2]; allowed: 1 elements, one per head");
}

}  // namespace
}  // namespace svmsim
