// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_overlap.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace svmrt {
namespace {

using Numbers = std::vector<std::uint32_t>;

ChipTensor make(const Numbers& shapes, DataType dtype = DataType::FLOAT32) {
  return make_tensor_external(reinterpret_cast<void*>(0x1000), shapes.data(), static_cast<std::uint32_t>(shapes.size()),
                              dtype);
}
ChipTensor box(const ChipTensor& tensor, const Numbers& offsets, const Numbers& shapes) {
  return tensor.view(shapes.data(), offsets.data());
}

TEST(TensorOverlapTest, ByteRangeSpansFirstToLastElement) {
  const ByteRange range = byte_range(box(make({4, 8}, DataType::INT16), {1, 2}, {2, 3}));
  EXPECT_EQ(range.first, 20U);  // element 10
  EXPECT_EQ(range.end, 42U);    // element 20 is the last
}

TEST(TensorOverlapTest, AdjacentRangesDoNotOverlap) {
  const ChipTensor tensor = make({16});
  EXPECT_FALSE(may_overlap(box(tensor, {0}, {8}), box(tensor, {8}, {8})));
  EXPECT_TRUE(may_overlap(box(tensor, {0}, {9}), box(tensor, {8}, {8})));
}

TEST(TensorOverlapTest, SideBySideBoxesWithInterleavedRangesDoNotOverlap) {
  const ChipTensor tensor = make({4, 8});
  EXPECT_FALSE(may_overlap(box(tensor, {0, 0}, {4, 4}), box(tensor, {0, 4}, {4, 4})));
  EXPECT_TRUE(may_overlap(box(tensor, {0, 0}, {4, 5}), box(tensor, {0, 4}, {4, 4})));
}

TEST(TensorOverlapTest, OtherStridesDtypeOrDimensionsCountAsOverlap) {
  const ChipTensor tensor = make({4, 8});
  const ChipTensor left = box(tensor, {0, 0}, {4, 4});
  const ChipTensor right = box(tensor, {0, 4}, {4, 4});
  ChipTensor other_dtype = right;
  other_dtype.dtype = DataType::INT32;
  EXPECT_TRUE(may_overlap(left, other_dtype));
  EXPECT_TRUE(may_overlap(left, right.transpose(0, 1)));
  EXPECT_TRUE(may_overlap(left, box(make({32}), {4}, {4})));
}

TEST(TensorOverlapTest, TransposedViewsOfOneLayoutAreCompared) {
  const ChipTensor tensor = make({4, 8}).transpose(0, 1);
  EXPECT_FALSE(may_overlap(box(tensor, {0, 0}, {4, 4}), box(tensor, {4, 0}, {4, 4})));
  EXPECT_TRUE(may_overlap(box(tensor, {0, 0}, {5, 4}), box(tensor, {4, 0}, {4, 4})));
}

TEST(TensorOverlapTest, StepsWithDifferentPhasesDoNotOverlap) {
  const ChipTensor tensor = make({16});
  EXPECT_FALSE(may_overlap(tensor.slice(0, 0, 16, 2), tensor.slice(0, 1, 16, 2)));
  EXPECT_TRUE(may_overlap(tensor.slice(0, 0, 16, 2), tensor.slice(0, 8, 16, 2)));
}

TEST(TensorOverlapTest, RowsThatRunIntoEachOtherCountAsOverlap) {
  const Numbers shapes = {2, 4};
  const Numbers strides = {2, 1};
  ChipTensor a = make_tensor_strided(reinterpret_cast<void*>(0x1000), shapes.data(), strides.data(), 2);
  ChipTensor b = a;
  b.start_offset = 5;
  b.update_layout_facts();
  EXPECT_TRUE(may_overlap(a, b));
}

TEST(TensorOverlapTest, EmptyTensorsOverlapNothing) {
  const ChipTensor tensor = make({4, 8});
  EXPECT_FALSE(may_overlap(tensor, box(tensor, {0, 0}, {4, 0})));
}

TEST(TensorOverlapTest, CoversNeedsTheWholeBox) {
  const ChipTensor tensor = make({4, 8});
  EXPECT_TRUE(covers(tensor, tensor));
  EXPECT_TRUE(covers(box(tensor, {1, 2}, {2, 4}), box(tensor, {1, 3}, {2, 3})));
  EXPECT_FALSE(covers(box(tensor, {1, 2}, {2, 4}), box(tensor, {1, 3}, {2, 4})));
  EXPECT_FALSE(covers(box(tensor, {1, 2}, {2, 4}), box(tensor, {0, 3}, {2, 2})));
  EXPECT_FALSE(covers(tensor, make({32})));
}

TEST(TensorOverlapTest, TouchesLooksAtElementsNotAtTheRange) {
  const ChipTensor columns = box(make({4, 8}), {0, 2}, {4, 2});
  EXPECT_TRUE(touches(columns, {8, 12}));    // element 2
  EXPECT_TRUE(touches(columns, {47, 48}));   // last byte of element 11
  EXPECT_FALSE(touches(columns, {48, 52}));  // element 12, column 4
  EXPECT_TRUE(touches(columns, {36, 41}));   // elements 9 and 10
  EXPECT_FALSE(touches(columns, {112, 116}));
}

// Every pair of views of a small tensor against sets of element offsets.
TEST(TensorOverlapTest, AgreesWithElementSetsForAllBoxesOfOneTensor) {
  const ChipTensor tensor = make({3, 3});
  std::vector<ChipTensor> views;
  for (std::uint32_t r = 0; r < 3; ++r) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      for (std::uint32_t h = 1; r + h <= 3; ++h) {
        for (std::uint32_t w = 1; c + w <= 3; ++w) views.push_back(box(tensor, {r, c}, {h, w}));
      }
    }
  }
  ASSERT_EQ(views.size(), 36U);
  const auto elements = [](const ChipTensor& view) {
    std::set<std::uint64_t> result;
    for (std::uint32_t i = 0; i < view.shapes[0]; ++i) {
      for (std::uint32_t j = 0; j < view.shapes[1]; ++j) {
        const Numbers index = {i, j};
        result.insert(view.compute_flat_offset(index.data(), 2));
      }
    }
    return result;
  };
  for (const ChipTensor& a : views) {
    const std::set<std::uint64_t> in_a = elements(a);
    for (const ChipTensor& b : views) {
      std::size_t shared = 0;
      for (const std::uint64_t element : elements(b)) shared += in_a.count(element);
      EXPECT_EQ(may_overlap(a, b), shared != 0) << a.dump() << " " << b.dump();
      EXPECT_EQ(covers(a, b), shared == elements(b).size()) << a.dump() << " " << b.dump();
    }
    for (std::uint64_t element = 0; element < 9; ++element) {
      EXPECT_EQ(touches(a, {element * 4, element * 4 + 4}), in_a.count(element) != 0) << a.dump() << " " << element;
    }
  }
}

}  // namespace
}  // namespace svmrt
