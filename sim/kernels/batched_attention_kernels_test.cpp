// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kernels/testing/kernel_operands.h"

namespace svmsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two sequences of one head of size 1; blocks of 2 positions; lengths 3 and 2.
class BatchedAttention : public ::testing::Test {
 protected:
  // Operands of the score product at step `n`.
  KernelOperands& scores_at(std::uint64_t n, std::vector<std::int32_t> table = {2, 0, 1, 9}) {
    operands_.input({2, 1, 1}, {10, 100}).input({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    operands_.integers({2, 2}, table).integers({2}, {3, 2}).output({2, 1, 2}).number(n).number(2);
    return operands_;
  }
  KernelOperands operands_;
};

TEST_F(BatchedAttention, EachInstanceTakesItsSequenceAndTheBlockOfTheTable) {
  scores_at(0);
  EXPECT_EQ(operands_.run("batched_qk_matmul", 1, 2), "");
  EXPECT_THAT(operands_.values(4), ElementsAre(77, 77, 300, 400));
  EXPECT_EQ(operands_.run("batched_qk_matmul", 0, 2), "");
  EXPECT_THAT(operands_.values(4), ElementsAre(50, 60, 300, 400));
}

TEST_F(BatchedAttention, ASequenceThatEndedIsLeftAloneAndItsTableEntryNotLookedAt) {
  scores_at(1);
  EXPECT_EQ(operands_.run("batched_qk_matmul", 0, 2), "");
  EXPECT_EQ(operands_.run("batched_qk_matmul", 1, 2), "");
  EXPECT_THAT(operands_.values(4), ElementsAre(10, 20, 77, 77));
}

TEST_F(BatchedAttention, ABlockThatTheCacheDoesNotHaveIsNamed) {
  scores_at(0, {3, 0, -1, 0});
  EXPECT_EQ(operands_.run("batched_qk_matmul", 0, 2), "block_table[0][0] is 3; allowed: a block of tensor 1");
  EXPECT_EQ(operands_.run("batched_qk_matmul", 1, 2), "block_table[1][0] is -1; allowed: a block of tensor 1");
  EXPECT_THAT(operands_.run("batched_qk_matmul", 0, 3), HasSubstr("tensor 3 (context lengths) has shape [2]"));
}

TEST_F(BatchedAttention, SoftmaxCountsThePositionsOfTheContext) {
  operands_.input({2, 1, 2}, {0, 1000, 5, 5}).integers({2}, {3, 2});
  operands_.output({2, 1, 2}).output({2, 1}).output({2, 1}).scalar(1).number(1).number(2);
  EXPECT_EQ(operands_.run("batched_softmax_prepare", 0, 2), "");  // position 2 alone
  EXPECT_EQ(operands_.run("batched_softmax_prepare", 1, 2), "");  // over
  EXPECT_THAT(operands_.values(2), ElementsAre(1, 0, 77, 77));
  EXPECT_THAT(operands_.values(3), ElementsAre(0, 77));
  EXPECT_THAT(operands_.values(4), ElementsAre(1, 77));
}

TEST_F(BatchedAttention, ValuesComeFromTheBlockOfTheTable) {
  operands_.input({2, 1, 2}, {1, 0.5F, 0.25F, 0}).input({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  operands_.integers({2, 2}, {2, 0, 1, 9}).integers({2}, {3, 2}).output({2, 1, 1}).number(0).number(2);
  EXPECT_EQ(operands_.run("batched_pv_matmul", 0, 2), "");
  EXPECT_EQ(operands_.run("batched_pv_matmul", 1, 2), "");
  EXPECT_THAT(operands_.values(4), ElementsAre(8, 0.75F));
}

TEST_F(BatchedAttention, TheFirstStepStartsTheRunningResultAndALaterOneSkipsWhoEnded) {
  operands_.input({2, 1}, {0, 0}).input({2, 1}, {2, 4}).input({2, 1, 1}, {6, 8}).integers({2}, {3, 2});
  operands_.output({2, 1}).output({2, 1}).output({2, 1, 1}).output({2, 1, 1}).number(0).number(2);
  EXPECT_EQ(operands_.run("batched_online_update", 0, 2), "");
  EXPECT_THAT(operands_.values(5), ElementsAre(2, 77));
  EXPECT_THAT(operands_.values(7), ElementsAre(3, 77));
  EXPECT_EQ(operands_.run("batched_online_update", 1, 2), "");
  EXPECT_THAT(operands_.values(7), ElementsAre(3, 2));

  KernelOperands later;
  later.input({2, 1}, {0, 0}).input({2, 1}, {2, 4}).input({2, 1, 1}, {6, 8}).integers({2}, {3, 2});
  later.inout({2, 1}, {0, 0}).inout({2, 1}, {2, 1}).inout({2, 1, 1}, {2, 1}).output({2, 1, 1}).number(1).number(2);
  EXPECT_EQ(later.run("batched_online_update", 0, 2), "");
  EXPECT_EQ(later.run("batched_online_update", 1, 2), "");
  EXPECT_THAT(later.values(5), ElementsAre(4, 1));
  EXPECT_THAT(later.values(7), ElementsAre(2, 77));
}

// Without an entry for the instance's sequence there is nothing that a kernel could read or write.
TEST_F(BatchedAttention, ATensorWithoutAnEntryForEachSequenceIsNamed) {
  operands_.input({1, 1, 1}, {10}).input({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  operands_.integers({2, 2}, {2, 0, 1, 9}).integers({2}, {3, 2}).output({2, 1, 2}).number(0).number(2);
  EXPECT_EQ(operands_.run("batched_qk_matmul", 1, 2),
            "tensor 0 (query) has shape [1, 1, 1]; allowed: [2 or more, ...], an entry per instance");

  KernelOperands softmax;
  softmax.input({2, 1, 2}, {0, 0, 0, 0}).integers({2}, {3, 2});
  softmax.output({2, 1, 2}).output({2, 1}).output({1, 2}).scalar(1).number(0).number(2);
  EXPECT_EQ(softmax.run("batched_softmax_prepare", 1, 2),
            "tensor 4 (row sum) has shape [1, 2]; allowed: [2 or more, ...], an entry per instance");
  EXPECT_THAT(softmax.values(4), ElementsAre(77, 77));

  KernelOperands product;
  product.input({2, 1, 2}, {1, 1, 1, 1}).input({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  product.integers({2, 2}, {2, 0, 1, 9}).integers({2}, {3, 2}).output({1, 1, 1}).number(0).number(2);
  EXPECT_EQ(product.run("batched_pv_matmul", 1, 2),
            "tensor 4 (partial) has shape [1, 1, 1]; allowed: [2 or more, ...], an entry per instance");

  KernelOperands update;
  update.input({2, 1}, {0, 0}).input({2, 1}, {2, 4}).input({2, 1, 1}, {6, 8}).integers({2}, {3, 2});
  update.output({2, 1}).output({2, 1}).output({2, 1, 1}).output({1, 1, 1}).number(0).number(2);
  EXPECT_EQ(update.run("batched_online_update", 1, 2),
            "tensor 7 (out) has shape [1, 1, 1]; allowed: [2 or more, ...], an entry per instance");
}

TEST_F(BatchedAttention, SoftmaxOfABlockLargerThanItsScoresIsRefused) {
  operands_.input({2, 1, 2}, {0, 0, 0, 0}).integers({2}, {3, 2});
  operands_.output({2, 1, 4}).output({2, 1}).output({2, 1}).scalar(1).number(0).number(4);
  EXPECT_EQ(operands_.run("batched_softmax_prepare", 1, 2), "");  // two positions
  EXPECT_EQ(operands_.run("batched_softmax_prepare", 0, 2),
            "tensor 0 (scores) has shape [2, 1, 2]; allowed: [..., 3 or more], the positions of a block");
}

TEST_F(BatchedAttention, ABlockTableWithoutTheStepOrTheSequenceIsNamed) {
  const auto run = [](std::vector<std::uint32_t> table) {
    KernelOperands operands;
    std::size_t entries = 1;
    for (const std::uint32_t extent : table) entries *= extent;
    operands.input({2, 1, 2}, {1, 1, 1, 1}).input({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    operands.integers(table, std::vector<std::int32_t>(entries)).integers({2}, {4, 4});
    return operands.output({2, 1, 1}).number(1).number(2).run("batched_pv_matmul", 1, 2);
  };
  EXPECT_EQ(run({2, 2}), "");
  EXPECT_EQ(run({2, 1}), "tensor 2 (block table) has shape [2, 1]; allowed: [2, 2 or more]");
  EXPECT_EQ(run({1, 2}), "tensor 2 (block table) has shape [1, 2]; allowed: [2, 2 or more]");
  EXPECT_EQ(run({4}), "tensor 2 (block table) has shape [4]; allowed: [2, 2 or more]");
}

TEST_F(BatchedAttention, OperandsAreCheckedByEveryKernel) {
  for (const char* kernel :
       {"batched_qk_matmul", "batched_softmax_prepare", "batched_pv_matmul", "batched_online_update"}) {
    EXPECT_THAT(KernelOperands().run(kernel), HasSubstr("0 tensors; allowed: ")) << kernel;
  }
}

}  // namespace
}  // namespace svmsim
