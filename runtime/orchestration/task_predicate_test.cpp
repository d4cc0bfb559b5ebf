// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/task_predicate.h"

#include <gtest/gtest.h>

#include <cstring>

namespace svmrt {
namespace {

TaskPredicate predicate_on(DataType dtype, PredicateOp op, std::int64_t target) {
  TaskPredicate predicate;
  const std::uint32_t shape[] = {4, 8};
  predicate.tensor = make_tensor_external(reinterpret_cast<void*>(0x1000), shape, 2, dtype);
  predicate.op = op;
  predicate.target = target;
  return predicate;
}

TEST(TaskPredicate, OperandIsOneElementFoundByItsIndices) {
  TaskPredicate predicate = predicate_on(DataType::INT16, PredicateOp::EQ, 0);
  predicate.index_count = 2;
  predicate.indices = {2, 3};
  const PredicateOperand operand = predicate_operand(predicate);
  EXPECT_EQ(operand.address, DeviceAddr(0x1000 + (2 * 8 + 3) * 2));
  EXPECT_EQ(operand.size, Bytes(2));
}

TEST(TaskPredicate, ComparesTheBytesAsTheOperandsType) {
  const std::uint16_t bits = 0xff80;  // INT16: -128; UINT16: 65408
  std::byte operand[2];
  std::memcpy(operand, &bits, sizeof bits);
  EXPECT_EQ(predicate_holds(predicate_on(DataType::INT16, PredicateOp::LT, 0), operand).value(), true);
  EXPECT_EQ(predicate_holds(predicate_on(DataType::UINT16, PredicateOp::LT, 0), operand).value(), false);
  EXPECT_EQ(predicate_holds(predicate_on(DataType::UINT16, PredicateOp::EQ, 65408), operand).value(), true);
}

TEST(TaskPredicate, TypeThatCannotBeComparedIsNamed) {
  const std::byte operand[1] = {};
  EXPECT_EQ(predicate_holds(predicate_on(DataType::FP8E4M3FN, PredicateOp::EQ, 0), operand).error(),
            "predicate operand of dtype FP8E4M3FN; allowed: integers, FLOAT32, FLOAT16, BFLOAT16");
}

}  // namespace
}  // namespace svmrt
