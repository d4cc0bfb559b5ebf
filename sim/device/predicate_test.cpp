// SPDX-License-Identifier: Apache-2.0
#include "sim/device/predicate.h"

#include "sim/device/testing/device_fixture.h"

namespace svmsim {
namespace {

class Predicate : public DeviceFixture {
 protected:
  Predicate() : at_(allocate(64)) {}

  bool holds(DataType dtype, PredicateOp op, std::int64_t target) {
    svmrt::TaskPredicate predicate;
    predicate.tensor = tensor(at_, {8}, dtype);
    predicate.op = op;
    predicate.target = target;
    const auto result = predicate_holds(*machine_, predicate);
    EXPECT_TRUE(result.has_value()) << result.error();
    return result.value_or(false);
  }
  // Below, equal or above, by all six operators.
  void expect_order(DataType dtype, std::int64_t target, int order) {
    EXPECT_EQ(holds(dtype, PredicateOp::EQ, target), order == 0);
    EXPECT_EQ(holds(dtype, PredicateOp::NE, target), order != 0);
    EXPECT_EQ(holds(dtype, PredicateOp::GT, target), order > 0);
    EXPECT_EQ(holds(dtype, PredicateOp::LT, target), order < 0);
    EXPECT_EQ(holds(dtype, PredicateOp::GE, target), order >= 0);
    EXPECT_EQ(holds(dtype, PredicateOp::LE, target), order <= 0);
  }

  const DeviceAddr at_;
};

TEST_F(Predicate, IntegersCompareOnBothSidesOfTheTarget) {
  for (const DataType dtype : {DataType::INT8, DataType::INT16, DataType::INT32, DataType::INT64, DataType::BOOL,
                               DataType::UINT8, DataType::UINT16, DataType::UINT32, DataType::UINT64}) {
    SCOPED_TRACE(get_dtype_name(dtype));
    put<std::uint64_t>(at_, 100);
    expect_order(dtype, 99, 1);
    expect_order(dtype, 100, 0);
    expect_order(dtype, 101, -1);
    expect_order(dtype, -1, 1);
  }
}

TEST_F(Predicate, SignedOnesAreExtendedBySign) {
  for (const DataType dtype : {DataType::INT8, DataType::INT16, DataType::INT32, DataType::INT64}) {
    SCOPED_TRACE(get_dtype_name(dtype));
    put<std::uint64_t>(at_, UINT64_MAX);
    expect_order(dtype, -1, 0);
    expect_order(dtype, 0, -1);
  }
}

TEST_F(Predicate, UnsignedOnesAreNot) {
  put<std::uint64_t>(at_, UINT64_MAX);
  expect_order(DataType::UINT8, 255, 0);
  expect_order(DataType::BOOL, 255, 0);
  expect_order(DataType::UINT16, 65535, 0);
  expect_order(DataType::UINT32, 4294967295, 0);
  expect_order(DataType::UINT64, INT64_MAX, 1);
  expect_order(DataType::UINT64, -1, 1);
}

TEST_F(Predicate, WidthIsThatOfTheDtype) {
  put<std::uint64_t>(at_, 0x0102030405060708);
  expect_order(DataType::UINT8, 0x08, 0);
  expect_order(DataType::INT16, 0x0708, 0);
  expect_order(DataType::UINT32, 0x05060708, 0);
  expect_order(DataType::INT64, 0x0102030405060708, 0);
}

TEST_F(Predicate, FloatsCompareByValue) {
  put<float>(at_, -1.5F);
  expect_order(DataType::FLOAT32, -1, -1);
  expect_order(DataType::FLOAT32, -2, 1);
  put<std::uint16_t>(at_, 0x4000);  // 2 in either 16-bit format
  expect_order(DataType::FLOAT16, 2, 0);
  expect_order(DataType::BFLOAT16, 2, 0);
  put<std::uint16_t>(at_, 0x3f80);  // bfloat16: 1; float16: 1.875
  expect_order(DataType::BFLOAT16, 1, 0);
  expect_order(DataType::FLOAT16, 1, 1);
}

TEST_F(Predicate, NotANumberHoldsOnlyForNotEqual) {
  put<std::uint32_t>(at_, 0x7fc00000);
  EXPECT_TRUE(holds(DataType::FLOAT32, PredicateOp::NE, 0));
  for (const PredicateOp op : {PredicateOp::EQ, PredicateOp::GT, PredicateOp::LT, PredicateOp::GE, PredicateOp::LE}) {
    EXPECT_FALSE(holds(DataType::FLOAT32, op, 0));
  }
}

TEST_F(Predicate, ElementIsFoundByIndicesStridesAndStart) {
  for (std::uint8_t i = 0; i < 64; ++i) put<std::uint8_t>(at_ + Bytes(i), i);
  svmrt::TaskPredicate predicate;
  const ChipTensor whole = tensor(at_, {8, 8});
  const std::uint32_t shape[] = {4, 4};
  const std::uint32_t offset[] = {2, 3};
  predicate.tensor = whole.view(shape, offset);
  predicate.index_count = 2;
  predicate.indices = {1, 2};
  predicate.op = PredicateOp::EQ;
  predicate.target = (2 + 1) * 8 + 3 + 2;
  EXPECT_EQ(predicate_holds(*machine_, predicate).value(), true);
  predicate.target += 1;
  EXPECT_EQ(predicate_holds(*machine_, predicate).value(), false);
}

TEST_F(Predicate, OperandThatCannotBeReadIsNamed) {
  svmrt::TaskPredicate predicate;
  predicate.op = PredicateOp::EQ;
  predicate.tensor = tensor(DeviceAddr(0x1000), {4}, DataType::INT32);
  EXPECT_EQ(predicate_holds(*machine_, predicate).error(),
            "predicate operand: 4 bytes at 0x1000 are not device memory");
  predicate.tensor = tensor(at_, {4}, DataType::FP8E4M3FN);
  EXPECT_EQ(predicate_holds(*machine_, predicate).error().substr(0, 37), "predicate operand of dtype FP8E4M3FN;");
  predicate.tensor = tensor(at_, {4}, DataType::INT32);
  machine_->declare_device_without_data(at_, Bytes(64));
  EXPECT_NE(predicate_holds(*machine_, predicate).error().find("have no data"), std::string::npos);
}

}  // namespace
}  // namespace svmsim
