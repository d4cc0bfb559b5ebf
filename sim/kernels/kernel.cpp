// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/kernel.h"

#include "sim/kernels/attention_kernels.h"
#include "sim/kernels/batched_attention_kernels.h"
#include "sim/kernels/elementwise_kernels.h"
#include "sim/kernels/matrix_kernels.h"

namespace svmsim {

namespace {

struct NamedKernel {
  std::string_view name;
  KernelFunction function;
};

constexpr NamedKernel kKernels[] = {
    {"batched_online_update", batched_online_update},
    {"batched_pv_matmul", batched_pv_matmul},
    {"batched_qk_matmul", batched_qk_matmul},
    {"batched_softmax_prepare", batched_softmax_prepare},
    {"matmul", matmul},
    {"online_update", online_update},
    {"pv_matmul", pv_matmul},
    {"qk_matmul", qk_matmul},
    {"softmax_prepare", softmax_prepare},
    {"tile_add", tile_add},
    {"vector_add", vector_add},
    {"vector_add_scalar", vector_add_scalar},
    {"vector_mul", vector_mul},
    {"vector_mul_scalar", vector_mul_scalar},
    {"vector_relu", vector_relu},
};

}  // namespace

KernelFunction find_kernel(std::string_view name) {
  for (const NamedKernel& kernel : kKernels) {
    if (kernel.name == name) return kernel.function;
  }
  return nullptr;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const NamedKernel& kernel : kKernels) names.emplace_back(kernel.name);
  return names;
}

}  // namespace svmsim
