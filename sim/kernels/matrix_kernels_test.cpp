// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kernels/testing/kernel_operands.h"

namespace svmsim {
namespace {

using ::testing::ElementsAre;

TEST(Matmul, IsTheMatrixProduct) {
  KernelOperands operands;
  operands.input({2, 3}, {1, 2, 3, 4, 5, 6}).input({3, 2}, {7, 8, 9, 10, 11, 12}).output({2, 2});
  EXPECT_EQ(operands.run("matmul"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(58, 64, 139, 154));
}

TEST(Matmul, LeadingDimensionsOfOneAndNarrowTypesAreFine) {
  KernelOperands operands;
  operands.input({1, 1, 1, 2}, {1, 2}, DataType::FLOAT16).input({2, 1}, {3, 4}, DataType::BFLOAT16).output({1, 1, 1});
  EXPECT_EQ(operands.run("matmul"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(11));
}

TEST(Matmul, SumsInFloatInTheOrderOfTheInnerIndex) {
  // 2^24 + 1 + 1 is 2^24 when each sum is rounded to float, ties to even, and 2^24 + 2 in any other order.
  KernelOperands operands;
  operands.input({1, 3}, {0x1p24F, 1, 1}).input({3, 1}, {1, 1, 1}).output({1, 1});
  EXPECT_EQ(operands.run("matmul"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(0x1p24F));
}

TEST(Matmul, ShapesThatDoNotFitAreNamed) {
  const auto run = [](std::vector<std::uint32_t> a, std::vector<std::uint32_t> b, std::vector<std::uint32_t> c,
                      std::uint32_t block_num = 1) {
    const auto filled = [](const std::vector<std::uint32_t>& shape) {
      std::size_t count = 1;
      for (const std::uint32_t extent : shape) count *= extent;
      return std::vector<float>(count, 1.0F);
    };
    KernelOperands operands;
    return operands.input(a, filled(a)).input(b, filled(b)).output(c).run("matmul", 0, block_num);
  };
  EXPECT_EQ(run({2, 3}, {3, 4}, {2, 4}), "");
  EXPECT_EQ(run({6}, {3, 4}, {2, 4}), "tensor 0 (a) has shape [6]; allowed: [1, ..., rows, inner]");
  EXPECT_EQ(run({2, 2, 3}, {3, 4}, {2, 4}), "tensor 0 (a) has shape [2, 2, 3]; allowed: [1, ..., rows, inner]");
  EXPECT_EQ(run({2, 3}, {2, 4}, {2, 4}), "tensor 1 (b) has shape [2, 4]; allowed: [1, ..., 3, columns]");
  EXPECT_EQ(run({2, 3}, {3, 4}, {4, 2}), "tensor 2 (c) has shape [4, 2]; allowed: [1, ..., 2, 4]");
  EXPECT_EQ(run({2, 3}, {3, 4}, {2, 4}, 2), "block_num 2; allowed: 1");
}

}  // namespace
}  // namespace svmsim
