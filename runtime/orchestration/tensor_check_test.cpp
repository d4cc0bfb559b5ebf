// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_check.h"

#include <functional>
#include <string>

#include "runtime/orchestration/testing/orchestrator_test_base.h"

namespace svmrt {
namespace {

// Submits are made with the defective tensor as second argument, after a good one.
class TensorCheckTest : public testing::OrchestratorTestBase {
 protected:
  static constexpr std::uint64_t kAddress = 0x10000;

  void submit(const std::function<void(CoreTaskArgs&)>& add_second) {
    start(default_config());
    const ChipTensor good = floats(kDevice, {4});
    CoreTaskArgs args;
    args.add_input(good);
    add_second(args);
    rt_submit_aiv_task(0, args);
  }
  void expect_accepted(const ChipTensor& tensor) {
    submit([&](CoreTaskArgs& args) { args.add_input(tensor); });
    EXPECT_FALSE(rt_is_fatal()) << orchestrator->fatal_message();
  }
  void expect_refused(const ChipTensor& tensor, const std::string& defect) {
    expect_refused(
        "INPUT", [&](CoreTaskArgs& args) { args.add_input(tensor); }, defect);
  }
  void expect_refused(const std::string& tag, const std::function<void(CoreTaskArgs&)>& add_second,
                      const std::string& defect) {
    submit(add_second);
    EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
    EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_aiv_task: tensor argument 1 (" + tag + "): " + defect);
    EXPECT_TRUE(orchestrator->graph().tasks().empty());
  }
  void expect_info_refused(std::vector<std::uint32_t> shapes, DataType dtype, const std::string& defect) {
    const TensorCreateInfo info(shapes.data(), static_cast<std::uint32_t>(shapes.size()), dtype);
    expect_refused(
        "OUTPUT", [&](CoreTaskArgs& args) { args.add_output(info); }, defect);
  }
  static ChipTensor strided(std::vector<std::uint32_t> shapes, std::vector<std::uint32_t> strides) {
    return make_tensor_strided(reinterpret_cast<void*>(kAddress), shapes.data(), strides.data(),
                               static_cast<std::uint32_t>(shapes.size()));
  }
};

TEST_F(TensorCheckTest, NullAddressIsRefusedInEveryRole) {
  const std::string defect = "buffer.addr is null: the tensor is unallocated";
  const ChipTensor none = floats(0, {4});
  expect_refused(
      "INPUT", [&](CoreTaskArgs& args) { args.add_input(none); }, defect);
  expect_refused(
      "INOUT", [&](CoreTaskArgs& args) { args.add_inout(none); }, defect);
  expect_refused(
      "OUTPUT_EXISTING", [&](CoreTaskArgs& args) { args.add_output(none); }, defect);
  expect_refused(
      "NO_DEP", [&](CoreTaskArgs& args) { args.add_no_dep(none); }, defect);
}

TEST_F(TensorCheckTest, NdimsBelow1OrAbove5IsRefused) {
  ChipTensor tensor = floats(kAddress, {1, 1, 1, 1, 1});
  expect_accepted(tensor);
  tensor.ndims = 6;
  expect_refused(tensor, "ndims is 6; it must be 1 to 5");
  tensor.ndims = 0;
  expect_refused(tensor, "ndims is 0; it must be 1 to 5");
}

TEST_F(TensorCheckTest, NumberThatIsNoDtypeIsRefused) {
  ChipTensor tensor = floats(kAddress, {4});
  tensor.dtype = DataType::FP4E2M1;  // the last one, 14
  expect_accepted(tensor);
  tensor.dtype = static_cast<DataType>(15);
  expect_refused(tensor, "dtype is 15, which is no DataType");
}

TEST_F(TensorCheckTest, ExtentOtherThanThatOfShapesAndStridesIsRefused) {
  ChipTensor tensor = strided({3, 2}, {8, 2});  // the last element is number 2 * 8 + 2
  expect_accepted(tensor);
  for (const std::uint64_t wrong : {0U, 18U, 20U}) {
    tensor.extent_elem_cache = wrong;
    expect_refused(tensor,
                   "extent_elem_cache is " + std::to_string(wrong) + ", but shapes [3, 2] and strides [8, 2] give 19");
  }
  ChipTensor empty = strided({3, 0}, {8, 2});
  expect_accepted(empty);
  empty.extent_elem_cache = 1;
  expect_refused(empty, "extent_elem_cache is 1, but shapes [3, 0] and strides [8, 2] give 0");
}

TEST_F(TensorCheckTest, ExtentBeyond64BitsIsRefused) {
  // The last element has number (2^32 - 1) * (2^32 - 2 + 3 + 3), beyond 2^64; there are fewer than 2^36 elements.
  const ChipTensor tensor = strided({UINT32_MAX, 4, 4}, {UINT32_MAX, UINT32_MAX, UINT32_MAX});
  expect_refused(tensor, "extent_elem_cache is " + std::to_string(tensor.extent_elem_cache) +
                             ", but shapes [4294967295, 4, 4] and strides [4294967295, 4294967295, 4294967295] give "
                             "more than 64 bits");
}

TEST_F(TensorCheckTest, EndBeyond64BitsIsRefused) {
  expect_accepted(floats(UINT64_MAX - 16, {4}));
  expect_refused(floats(UINT64_MAX - 15, {4}),
                 "the end leaves 64 bits: buffer.addr is 0xfffffffffffffff0, start_offset 0 and the extent 4 elements");
  ChipTensor tensor = floats(kAddress, {4});
  // In elements, in bytes, and as an address.
  for (const std::uint64_t start : {UINT64_MAX - 3, UINT64_MAX / 4 - 3, (UINT64_MAX - kAddress) / 4 - 3}) {
    tensor.start_offset = start;
    expect_refused(tensor, "the end leaves 64 bits: buffer.addr is 0x10000, start_offset " + std::to_string(start) +
                               " and the extent 4 elements");
  }
  tensor.start_offset = (UINT64_MAX - kAddress) / 4 - 4;
  expect_accepted(tensor);
}

TEST_F(TensorCheckTest, MoreThan2To36ElementsAreRefused) {
  expect_accepted(strided({65536, 1048576}, {0, 0}));
  expect_refused(strided({65536, 1048577}, {0, 0}),
                 "shapes [65536, 1048577] and strides [0, 0] have more than 68719476736 elements");
  expect_refused(strided({4000000000, 4000000000}, {0, 0}),
                 "shapes [4000000000, 4000000000] and strides [0, 0] have more than 68719476736 elements");
}

TEST_F(TensorCheckTest, PredicateOperandIsCheckedToo) {
  ChipTensor operand = floats(kAddress, {4});
  CoreTaskPredicate predicate;
  predicate.operand = {&operand, 1, {3}};
  predicate.op = PredicateOp::EQ;
  submit([&](CoreTaskArgs& args) { args.set_predicate(predicate); });
  EXPECT_FALSE(rt_is_fatal());
  operand.ndims = 9;
  submit([&](CoreTaskArgs& args) { args.set_predicate(predicate); });
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_aiv_task: predicate operand: ndims is 9; it must be 1 to 5");
}

TEST_F(TensorCheckTest, InfoThatDescribesNoTensorIsRefused) {
  expect_info_refused({}, DataType::INT8, "ndims is 0; it must be 1 to 5");
  expect_info_refused({1, 1, 1, 1, 1, 1}, DataType::INT8, "ndims is 6; it must be 1 to 5");
  expect_info_refused({4}, static_cast<DataType>(15), "dtype is 15, which is no DataType");
  expect_info_refused({1, 65536, 65536}, DataType::INT8,
                      "shapes [1, 65536, 65536] need a stride above 2^32 - 1 elements");
  expect_info_refused({65536, 1048577}, DataType::INT8,
                      "shapes [65536, 1048577] and strides [1048577, 1] have more than 68719476736 elements");
}

TEST_F(TensorCheckTest, InfoOf2To36ElementsIsOnlyTooLargeForTheHeap) {
  const std::uint32_t shapes[] = {65536, 1048576};
  const TensorCreateInfo info(shapes, 2, DataType::INT8);
  submit([&](CoreTaskArgs& args) { args.add_output(info); });
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_HEAP_RING_DEADLOCK);
}

}  // namespace
}  // namespace svmrt
