// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kernels/testing/kernel_operands.h"

namespace svmsim {
namespace {

using svmrt::TensorUse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ElementwiseKernels, AddMultiplyAndTheScalarsGiveWhatTheirNamesSay) {
  const auto of_two = [](const char* kernel) {
    KernelOperands operands;
    EXPECT_EQ(operands.input({3}, {1, 2, 3}).input({3}, {4, -5, 0.5F}).output({3}).run(kernel), "");
    return operands.values(2);
  };
  EXPECT_THAT(of_two("vector_add"), ElementsAre(5, -3, 3.5F));
  EXPECT_THAT(of_two("vector_mul"), ElementsAre(4, -10, 1.5F));
  const auto of_one = [](const char* kernel, bool scalar) {
    KernelOperands operands;
    operands.input({2}, {-4, 0.25F}).output({2});
    if (scalar) operands.scalar(2);
    EXPECT_EQ(operands.run(kernel), "");
    return operands.values(1);
  };
  EXPECT_THAT(of_one("vector_add_scalar", true), ElementsAre(-2, 2.25F));
  EXPECT_THAT(of_one("vector_mul_scalar", true), ElementsAre(-8, 0.5F));
  EXPECT_THAT(of_one("vector_relu", false), ElementsAre(0, 0.25F));
}

TEST(ElementwiseKernels, OneTensorIsChangedInPlace) {
  KernelOperands operands;
  EXPECT_EQ(operands.inout({2}, {1, 2}).scalar(0.5F).run("vector_add_scalar"), "");
  EXPECT_THAT(operands.values(0), ElementsAre(1.5F, 2.5F));
  KernelOperands input;
  EXPECT_THAT(input.input({2}, {1, 2}).scalar(0.5F).run("vector_add_scalar"),
              HasSubstr("tensor 0 (a) is an input; allowed: one that the task writes"));
  KernelOperands output;
  EXPECT_THAT(output.output({2}).scalar(0.5F).run("vector_add_scalar"),
              HasSubstr("tensor 0 (a) is an output; allowed: one that the task reads"));
}

TEST(ElementwiseKernels, TileAddAccumulatesWhateverTheDimensions) {
  KernelOperands operands;
  EXPECT_EQ(operands.input({2, 2}, {1, 2, 3, 4}).inout({1, 1, 2, 2}, {10, 20, 30, 40}).run("tile_add"), "");
  EXPECT_THAT(operands.values(1), ElementsAre(11, 22, 33, 44));
}

TEST(ElementwiseKernels, BlocksShareTheElements) {
  KernelOperands operands;
  operands.input({5}, {1, 2, 3, 4, 5}).input({5}, {1, 1, 1, 1, 1}).output({5});
  EXPECT_EQ(operands.run("vector_add", 1, 2), "");  // elements 2 to 4 of 5
  EXPECT_THAT(operands.values(2), ElementsAre(77, 77, 4, 5, 6));
  EXPECT_EQ(operands.run("vector_add", 0, 2), "");
  EXPECT_THAT(operands.values(2), ElementsAre(2, 3, 4, 5, 6));
}

TEST(ElementwiseKernels, StridedTensorsAreReadAndWrittenInRowMajorOrder) {
  KernelOperands operands;
  operands.input({2, 3}, {1, 2, 3, 4, 5, 6}).input({3, 2}, {0, 0, 0, 0, 0, 0}).output({3, 2});
  operands.look_at(0, operands.tensor(0).transpose(0, 1), 0);
  EXPECT_EQ(operands.run("vector_add"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(1, 4, 2, 5, 3, 6));

  KernelOperands written;
  written.input({2}, {8, 9}).input({2}, {0, 0}).output({4});
  const std::uint32_t two[] = {2};
  ChipTensor every_other = make_tensor_external(nullptr, two, 1);
  every_other.strides[0] = 2;
  written.look_at(2, every_other, 1);
  EXPECT_EQ(written.run("vector_add"), "");
  EXPECT_THAT(written.values(2), ElementsAre(8, 9));
}

TEST(ElementwiseKernels, ResultsAreRoundedToTheElementType) {
  KernelOperands operands;
  // 1 + 2^-8 lies half way between the bfloat16 values 1 and 1 + 2^-7, and 1 is the even one.
  operands.input({2}, {1, 1}).input({2}, {0x1p-8F, 0x1.8p-8F}).output({2}, DataType::BFLOAT16);
  EXPECT_EQ(operands.run("vector_add"), "");
  EXPECT_THAT(operands.values(2), ElementsAre(1, 1 + 0x1p-7F));
}

TEST(ElementwiseKernels, WhatDoesNotFitIsNamedAndNothingIsWritten) {
  KernelOperands too_few;
  EXPECT_EQ(too_few.input({1}, {1}).output({1}).run("vector_add"), "2 tensors; allowed: 3 (a, b, c)");
  KernelOperands scalars;
  EXPECT_EQ(scalars.input({1}, {1}).input({1}, {1}).output({1}).scalar(1).run("vector_add"), "1 scalars; allowed: 0");
  KernelOperands shape;
  EXPECT_EQ(shape.input({2}, {1, 1}).input({2}, {1, 1}).output({3}).run("vector_mul"),
            "tensor 2 (c) has shape [3]; allowed: as many elements as tensor 0 has, 2");
  EXPECT_THAT(shape.values(2), ElementsAre(77, 77, 77));
  KernelOperands dtype;
  dtype.input({1}, {1}).input({1}, {1}).output({1});
  ChipTensor integers = dtype.tensor(1);
  integers.dtype = DataType::INT32;
  dtype.look_at(1, integers, 0);
  EXPECT_EQ(dtype.run("vector_add"), "tensor 1 (b) has dtype INT32; allowed: FLOAT32, FLOAT16, BFLOAT16");
  KernelOperands read_only;
  EXPECT_EQ(read_only.input({1}, {1}).input({1}, {1}).input({1}, {1}).run("vector_add"),
            "tensor 2 (c) is an input; allowed: one that the task writes");
  KernelOperands not_read;
  EXPECT_EQ(not_read.input({1}, {1}).output({1}).run("tile_add"),
            "tensor 1 (c) is an output; allowed: one that the task reads");
}

TEST(KernelNames, AreSortedAndEachIsFound) {
  const std::vector<std::string> names = kernel_names();
  EXPECT_GE(names.size(), 11u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) EXPECT_NE(find_kernel(name), nullptr) << name;
  EXPECT_EQ(find_kernel("vector_sub"), nullptr);
  EXPECT_EQ(find_kernel(""), nullptr);
}

}  // namespace
}  // namespace svmsim
