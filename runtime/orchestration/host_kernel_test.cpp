// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/host_kernel.h"

#include <gtest/gtest.h>

#include <string>

namespace svmrt {
namespace {

using Outcome = tl::expected<void, std::string>;

// Each appends a letter and the block to the text that its first tensor stands for.
template <char letter>
Outcome note(const KernelCall& call) {
  *reinterpret_cast<std::string*>(call.tensors[0].data) +=
      letter + std::to_string(call.block) + "/" + std::to_string(call.block_num) + " ";
  return {};
}
Outcome object(const KernelCall& /*call*/) { return tl::unexpected<std::string>("tensor 0 is too small"); }

KernelFunction kernel_of(std::int32_t function) {
  switch (function) {
    case 1:
      return note<'a'>;
    case 2:
      return note<'b'>;
    case 3:
      return note<'c'>;
    case 4:
      return object;
    default:
      return nullptr;
  }
}

struct TaskCalls : ::testing::Test {
  Outcome run() { return run_task_kernels(task, tensors, {}, kernel_of); }

  std::string calls;
  KernelTensor tensors[1] = {{nullptr, TensorUse::kInout, reinterpret_cast<std::byte*>(&calls)}};
  TaskRecord task;
};

TEST_F(TaskCalls, SlotsOfABlockRunInOrderBlockAfterBlock) {
  task.kernels.aic_kernel_id = 2;
  task.kernels.aiv0_kernel_id = 1;
  task.kernels.aiv1_kernel_id = 3;
  task.block_num = 2;
  EXPECT_TRUE(run());
  EXPECT_EQ(calls, "b0/2 a0/2 c0/2 b1/2 a1/2 c1/2 ");
}

TEST_F(TaskCalls, EmptySlotsAreLeftOut) {
  task.kernels.aiv1_kernel_id = 3;
  EXPECT_TRUE(run());
  EXPECT_EQ(calls, "c0/1 ");
}

TEST_F(TaskCalls, FunctionWithoutAKernelIsNamed) {
  task.kernels.aiv0_kernel_id = 1;
  task.kernels.aiv1_kernel_id = 7;
  EXPECT_EQ(run().error(), "function 7 has no kernel to compute with");
  EXPECT_EQ(calls, "a0/1 ");
}

TEST_F(TaskCalls, ObjectionOfAKernelNamesTheFunctionAndEndsTheTask) {
  task.kernels.aic_kernel_id = 4;
  task.kernels.aiv0_kernel_id = 1;
  EXPECT_EQ(run().error(), "function 4: tensor 0 is too small");
  EXPECT_EQ(calls, "");
}

}  // namespace
}  // namespace svmrt
