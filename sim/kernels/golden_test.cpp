// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

namespace svmsim {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Arguments {
 public:
  template <typename T>
  Arguments& add(std::vector<std::uint32_t> shape, DataType dtype, std::vector<T> values) {
    auto& bytes = memory_.emplace_back(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensors_.push_back({std::move(shape), dtype, bytes});
    return *this;
  }
  Arguments& floats(std::vector<std::uint32_t> shape, std::vector<float> values) {
    return add(std::move(shape), DataType::FLOAT32, std::move(values));
  }
  Arguments& integers(std::vector<std::uint32_t> shape, std::vector<std::int32_t> values) {
    return add(std::move(shape), DataType::INT32, std::move(values));
  }
  Arguments& scalar(float value) {
    scalars_.push_back(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  // Of argument `index`; empty with a failed test when the golden refuses.
  std::vector<double> expected(std::string_view golden, std::size_t index) {
    const auto outputs = find_golden(golden)(tensors_, scalars_);
    if (!outputs) ADD_FAILURE() << outputs.error();
    return outputs && outputs->count(index) == 1 ? outputs->at(index) : std::vector<double>{};
  }
  std::string refusal(std::string_view golden) {
    const auto outputs = find_golden(golden)(tensors_, scalars_);
    return outputs ? "" : outputs.error();
  }

 private:
  std::deque<std::vector<std::byte>> memory_;
  std::vector<GoldenTensor> tensors_;
  std::vector<std::uint64_t> scalars_;
};

TEST(Golden, Vectors) {
  EXPECT_THAT(Arguments().floats({3}, {1, -2, -0.5F}).expected("vector_example", 0), ElementsAre(3, 0, 0));
  EXPECT_THAT(
      Arguments().floats({2}, {1, -1}).floats({2}, {2, 0.5F}).floats({2}, {0, 0}).expected("vector_sum_product", 2),
      ElementsAre(20, 0.75));
}

TEST(Golden, BgemmIsTheProductOfTheWholeMatricesPlusWhatWasThere) {
  // Tiles of 1: a = [1 2], b = [3 4; 5 6], c = [10 20].
  EXPECT_THAT(Arguments()
                  .floats({1, 2, 1, 1}, {1, 2})
                  .floats({2, 2, 1, 1}, {3, 4, 5, 6})
                  .floats({1, 2, 1, 1}, {10, 20})
                  .expected("bgemm", 2),
              ElementsAre(23, 36));
  // One tile of 2.
  EXPECT_THAT(Arguments()
                  .floats({1, 1, 2, 2}, {1, 2, 3, 4})
                  .floats({1, 1, 2, 2}, {5, 6, 7, 8})
                  .floats({1, 1, 2, 2}, {0, 0, 0, 0})
                  .expected("bgemm", 2),
              ElementsAre(19, 22, 43, 50));
}

TEST(Golden, MatmulChainMultipliesByEachWeightInOrder) {
  // [1 2; 3 4] [0 1; 1 0] = [2 1; 4 3]; times [2 0; 0 3] = [4 3; 8 9].
  EXPECT_THAT(Arguments()
                  .floats({2, 2}, {1, 2, 3, 4})
                  .floats({2, 2, 2}, {0, 1, 1, 0, 2, 0, 0, 3})
                  .floats({2, 2}, {0, 0, 0, 0})
                  .expected("matmul_chain", 2),
              ElementsAre(4, 3, 8, 9));
}

// One query head of size 1 over two caches of blocks of 2 positions; three positions count, in the blocks 1 and 0.
Arguments attention() {
  Arguments arguments;
  arguments.floats({1, 1, 1}, {2}).floats({2, 2, 1, 1}, {7, 100, 3, 5}).floats({2, 2, 1, 1}, {30, 1e6F, 10, 20});
  return arguments;
}

TEST(Golden, PagedAttentionWeighsTheValuesOfTheContextAlone) {
  Arguments arguments = attention();
  arguments.integers({1, 2}, {1, 0}).integers({1}, {3}).floats({1, 1, 1}, {0}).scalar(0.5F);
  // Scores 3, 5, 7.
  const double a = std::exp(-4.0), b = std::exp(-2.0);
  EXPECT_THAT(arguments.expected("paged_attention", 5), ElementsAre(DoubleEq((10 * a + 20 * b + 30) / (a + b + 1))));
}

TEST(Golden, PagedAttentionOverNothingIsZero) {
  Arguments arguments = attention();
  arguments.integers({1, 2}, {1, 0}).integers({1}, {0}).floats({1, 1, 1}, {0}).scalar(0.5F);
  EXPECT_THAT(arguments.expected("paged_attention", 5), ElementsAre(0));
}

TEST(Golden, HeadsShareTheKeyHeadOfTheirGroup) {
  Arguments arguments;
  arguments.floats({1, 4, 1}, {0, 0, 0, 0}).floats({1, 1, 2, 1}, {1, 1}).floats({1, 1, 2, 1}, {5, 6});
  arguments.integers({1, 1}, {0}).integers({1}, {1}).floats({1, 4, 1}, {0, 0, 0, 0}).scalar(1);
  EXPECT_THAT(arguments.expected("paged_attention", 5), ElementsAre(5, 5, 6, 6));
}

TEST(Golden, NarrowTypesAreReadByTheirDefinition) {
  EXPECT_THAT(
      Arguments().add<std::uint16_t>({3}, DataType::FLOAT16, {0x3c00, 0x0001, 0xc000}).expected("vector_example", 0),
      ElementsAre(3, 1 + 0x1p-23, 0));
  EXPECT_THAT(Arguments().add<std::uint16_t>({2}, DataType::BFLOAT16, {0x3f80, 0x4049}).expected("vector_example", 0),
              ElementsAre(3, 2 * 3.140625 + 1));
}

TEST(Golden, ArgumentsThatDoNotFitAreNamed) {
  EXPECT_THAT(Arguments().refusal("bgemm"), HasSubstr("0 tensors and 0 scalars; allowed: 3 and 0"));
  EXPECT_THAT(Arguments().integers({1}, {1}).refusal("vector_example"),
              HasSubstr("tensor 0 is INT32 [1]; allowed: FLOAT32"));
  const auto with_table = [](std::int32_t block, std::int32_t length) {
    Arguments arguments = attention();
    arguments.integers({1, 2}, {block, 0}).integers({1}, {length}).floats({1, 1, 1}, {0}).scalar(1);
    return arguments.refusal("paged_attention");
  };
  EXPECT_EQ(with_table(1, 4), "");
  EXPECT_THAT(with_table(2, 3), HasSubstr("block_table[0][0] is 2; allowed: 0 to 1"));
  EXPECT_THAT(with_table(-1, 3), HasSubstr("block_table[0][0] is -1; allowed: 0 to 1"));
  EXPECT_THAT(with_table(1, 5), HasSubstr("context_lens[0] is 5; allowed: 0 to 4"));
  EXPECT_THAT(with_table(1, -1), HasSubstr("context_lens[0] is -1; allowed: 0 to 4"));
}

TEST(Golden, CountsThatDoNotFitAreNamed) {
  EXPECT_EQ(Arguments().refusal("vector_example"), "0 tensors and 0 scalars; allowed: 1 and 0");
  EXPECT_EQ(Arguments().floats({1}, {1}).scalar(1).refusal("vector_example"),
            "1 tensors and 1 scalars; allowed: 1 and 0");
  EXPECT_EQ(Arguments().refusal("vector_sum_product"), "0 tensors and 0 scalars; allowed: 3 and 0");
  EXPECT_EQ(Arguments().refusal("matmul_chain"), "0 tensors and 0 scalars; allowed: 3 and 0");
  EXPECT_EQ(Arguments().refusal("paged_attention"), "0 tensors and 0 scalars; allowed: 6 and 1");
}

TEST(Golden, VectorsOfDifferentLengthsAreNamed) {
  EXPECT_EQ(Arguments().floats({2}, {1, 1}).floats({3}, {1, 1, 1}).floats({2}, {0, 0}).refusal("vector_sum_product"),
            "tensor 1 has shape [3]; allowed: 2 elements, as tensor 2 has");
  EXPECT_THAT(Arguments().floats({1}, {1}).floats({1}, {1}).integers({1}, {0}).refusal("vector_sum_product"),
              HasSubstr("tensor 2 is INT32 [1]; allowed: FLOAT32"));
}

TEST(Golden, BgemmNamesTheTensorWhoseTilesDoNotFit) {
  const auto run = [](std::vector<std::uint32_t> a, std::vector<std::uint32_t> b, std::vector<std::uint32_t> c) {
    const std::vector<float> ones(16, 1.0F);
    return Arguments().floats(a, ones).floats(b, ones).floats(c, ones).refusal("bgemm");
  };
  EXPECT_EQ(run({1, 2, 1, 1}, {2, 3, 1, 1}, {1, 3, 1, 1}), "");
  EXPECT_EQ(run({1, 2, 1, 1}, {2, 3, 1, 1}, {1, 3, 1, 2}),
            "tensor 2 has shape [1, 3, 1, 2]; allowed: [rows, columns, tile, tile]");
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 3, 1, 1}, {1, 3, 1, 1}),
            "tensor 0 has shape [2, 2, 1, 1]; allowed: [1, inner, 1, 1]");
  EXPECT_EQ(run({1, 2, 2, 1}, {2, 3, 1, 1}, {1, 3, 1, 1}),
            "tensor 0 has shape [1, 2, 2, 1]; allowed: [1, inner, 1, 1]");
  EXPECT_EQ(run({1, 2, 1, 1}, {2, 4, 1, 1}, {1, 3, 1, 1}), "tensor 1 has shape [2, 4, 1, 1]; allowed: [2, 3, 1, 1]");
  EXPECT_EQ(run({1, 2, 1}, {2, 3, 1, 1}, {1, 3, 1, 1}),
            "tensor 0 is FLOAT32 [1, 2, 1]; allowed: FLOAT32, FLOAT16 or BFLOAT16 of 4 dimensions");
}

TEST(Golden, MatmulChainNamesTheMatrixThatDoesNotFit) {
  const auto run = [](std::vector<std::uint32_t> x, std::vector<std::uint32_t> weights,
                      std::vector<std::uint32_t> out) {
    const std::vector<float> ones(16, 1.0F);
    return Arguments().floats(x, ones).floats(weights, ones).floats(out, ones).refusal("matmul_chain");
  };
  EXPECT_EQ(run({2, 2}, {3, 2, 2}, {2, 2}), "");
  EXPECT_EQ(run({2, 2}, {2, 2}, {2, 2}), "tensor 1 has shape [2, 2]; allowed: [layers, n, n]");
  EXPECT_EQ(run({2, 2}, {1, 2, 3}, {2, 2}), "tensor 1 has shape [1, 2, 3]; allowed: [layers, n, n]");
  EXPECT_EQ(run({2, 3}, {1, 2, 2}, {2, 2}), "tensor 0 has shape [2, 3]; allowed: [2, 2]");
  EXPECT_EQ(run({4}, {1, 2, 2}, {2, 2}), "tensor 0 has shape [4]; allowed: [2, 2]");
  EXPECT_EQ(run({2, 2}, {1, 2, 2}, {3, 2}), "tensor 2 has shape [3, 2]; allowed: [2, 2]");
  EXPECT_THAT(Arguments().integers({1}, {1}).floats({1}, {1}).floats({1}, {1}).refusal("matmul_chain"),
              HasSubstr("tensor 0 is INT32 [1]; allowed: FLOAT32"));
}

TEST(Golden, PagedAttentionNamesTheTensorThatDoesNotFit) {
  using Shape = std::vector<std::uint32_t>;
  const auto run = [](Shape key, Shape value, Shape table, Shape lengths, Shape out, Shape query = {1, 2, 1}) {
    const std::vector<float> ones(8, 1.0F);
    const std::vector<std::int32_t> zeros(8, 0);
    Arguments arguments;
    arguments.floats(query, ones).floats(key, ones).floats(value, ones).integers(table, zeros);
    return arguments.integers(lengths, zeros).floats(out, ones).scalar(1).refusal("paged_attention");
  };
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 2, 1, 1}, {1, 2}, {1}, {1, 2, 1}), "");
  EXPECT_EQ(run({2, 2, 1, 2}, {2, 2, 1, 2}, {1, 2}, {1}, {1, 2, 1}),
            "tensor 1 has shape [2, 2, 1, 2]; allowed: [1 block or more, block, a divisor of 2, 1]");
  EXPECT_EQ(run({1, 1, 3, 1}, {1, 1, 3, 1}, {1, 2}, {1}, {1, 2, 1}),
            "tensor 1 has shape [1, 1, 3, 1]; allowed: [1 block or more, block, a divisor of 2, 1]");
  EXPECT_EQ(run({0, 2, 1, 1}, {0, 2, 1, 1}, {1, 2}, {1}, {1, 2, 1}),
            "tensor 1 has shape [0, 2, 1, 1]; allowed: [1 block or more, block, a divisor of 2, 1]");
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 1, 1, 1}, {1, 2}, {1}, {1, 2, 1}),
            "tensor 2 has shape [2, 1, 1, 1]; allowed: that of tensor 1");
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 2, 1, 1}, {1, 2}, {1}, {1, 1, 1}),
            "tensor 5 has shape [1, 1, 1]; allowed: that of tensor 0");
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 2, 1, 1}, {2, 2}, {1}, {1, 2, 1}),
            "tensor 3 has shape [2, 2]; allowed: INT32 [1, blocks per sequence]");
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 2, 1, 1}, {2}, {1}, {1, 2, 1}),
            "tensor 3 has shape [2]; allowed: INT32 [1, blocks per sequence]");
  EXPECT_EQ(run({2, 2, 1, 1}, {2, 2, 1, 1}, {1, 2}, {2}, {1, 2, 1}), "tensor 4 has shape [2]; allowed: INT32 [1]");
  EXPECT_THAT(run({2, 2, 1, 1}, {2, 2, 1, 1}, {1, 2}, {1}, {2, 1}, {2, 1}),
              HasSubstr("tensor 0 is FLOAT32 [2, 1]; allowed: FLOAT32, FLOAT16 or BFLOAT16 of 3 dimensions"));
  EXPECT_THAT(run({2, 2, 1}, {2, 2, 1}, {1, 2}, {1}, {1, 2, 1}),
              HasSubstr("after the query, tensor 0 is FLOAT32 [2, 2, 1]; allowed: FLOAT32"));
}

TEST(Golden, NamesAreSortedAndEachIsFound) {
  const std::vector<std::string> names = golden_names();
  EXPECT_GE(names.size(), 5u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) EXPECT_NE(find_golden(name), nullptr) << name;
  EXPECT_EQ(find_golden("nothing"), nullptr);
}

std::optional<GoldenDifference> worst(std::vector<double> expected, const std::vector<float>& found, double absolute,
                                      double relative) {
  const GoldenTensor tensor{
      {static_cast<std::uint32_t>(found.size())}, DataType::FLOAT32, std::as_bytes(std::span(found))};
  return worst_difference(expected, tensor, absolute, relative);
}

TEST(WorstDifference, TheToleranceItselfIsWithin) {
  EXPECT_TRUE(worst({1, 2}, {1, 2.5F}, 0.5, 0)->within);
  EXPECT_TRUE(worst({1, 2}, {1, 2.5F}, 0, 0.25)->within);
  EXPECT_TRUE(worst({-4}, {-2}, 1, 0.25)->within);
  EXPECT_FALSE(worst({1, 2}, {1, 2.5F}, 0.49, 0)->within);
  EXPECT_FALSE(worst({1, 2}, {1, 2.5F}, 0, 0.24)->within);
  EXPECT_TRUE(worst({3}, {3}, 0, 0)->within);
}

TEST(WorstDifference, NamesTheElementThatIsFurthestForWhatItMayBeAway) {
  const auto difference = worst({100, 1}, {104, 1.5F}, 0, 0.1);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->element, 1u);
  EXPECT_EQ(difference->expected, 1);
  EXPECT_EQ(difference->found, 1.5);
  EXPECT_EQ(difference->allowed, 0.1);
  EXPECT_FALSE(difference->within);
}

TEST(WorstDifference, AnythingThatIsNoNumberIsOutsideUnlessExpected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(worst({1, 2}, {1, std::nanf("")}, 1e9, 1)->within);
  EXPECT_EQ(worst({1, 2}, {1, std::nanf("")}, 1e9, 1)->element, 1u);
  EXPECT_FALSE(worst({nan}, {1}, 1e9, 1)->within);
  EXPECT_TRUE(worst({nan}, {std::nanf("")}, 0, 0)->within);
  EXPECT_FALSE(worst({1}, {std::numeric_limits<float>::infinity()}, 1e9, 0.5)->within);
  EXPECT_TRUE(worst({infinity}, {std::numeric_limits<float>::infinity()}, 0, 0)->within);
  EXPECT_FALSE(worst({}, {}, 0, 0).has_value());
}

TEST(WorstDifferenceDeathTest, ATensorOfAnotherSizeAborts) { EXPECT_DEATH(worst({1}, {1, 2}, 0, 0), ""); }

}  // namespace
}  // namespace svmsim
