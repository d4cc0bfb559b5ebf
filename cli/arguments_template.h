// SPDX-License-Identifier: Apache-2.0
// What `svmsim build --args-template` prints: arguments of an orchestration with every key explained. A constant.
#pragma once

#include <string_view>

namespace svmsim {

inline constexpr std::string_view kArgumentsTemplate = R"(# The arguments of an orchestration:
#   svmsim run --orchestration FILE.so --args THIS_FILE
# Tensors, then scalars, each in the order in which the orchestration takes them.

rounds = 1                 # how often to bind and run, when --rounds does not say
heap_bytes = 268_435_456   # the runtime's heap, where add_output(TensorCreateInfo) and alloc_tensors live
task_window = 16_384       # tasks that one run may submit

[[tensor]]
name = "a"
shape = [4, 256]           # 1 to 5 dimensions, row-major
dtype = "float32"          # float32 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool ...
direction = "in"           # in, out, inout
residency = "staged"       # staged: the runtime uploads it for each run; child_memory: it lives on the device
data = "seeded"            # zeros; seeded: ordinary numbers made from --seed; sequence: 0, 1, 2, ...;
                           # fill, with value = 7; values, with values = [1, 2, ...] (integers);
                           # block_table, with blocks_per_row = 3; file, with file = "a.bin" (little-endian,
                           # beside this file); none: only address and size

[[tensor]]
name = "b"
shape = [4, 256]
dtype = "float32"
direction = "in"
residency = "child_memory"
data = "sequence"

[[tensor]]
name = "out"
shape = [4, 256]
dtype = "float32"
direction = "out"          # its data, when given, is zeros or none

# [[scalar]]
# name = "scale"
# type = "float32"         # float32 int32 int64 uint64
# value = 0.5

# What the functions are called, where they run and how long one block takes: an assumption of yours, or left out
# where the platform has a duration for what it computes. With
# --kernels real the device computes what `compute` names: matmul, online_update, pv_matmul, qk_matmul,
# softmax_prepare, tile_add, vector_add, vector_add_scalar, vector_mul, vector_mul_scalar, vector_relu.
[[kernel]]
func_id = 0
name = "add"
core = "vector"            # cube or vector
duration_ns = 2_000
compute = "vector_add"

[[kernel]]
func_id = 1
name = "add_scalar"
core = "vector"
duration_ns = 2_000
compute = "vector_add_scalar"

[[kernel]]
func_id = 2
name = "multiply"
core = "vector"
duration_ns = 2_000
compute = "vector_mul"

# With --kernels real the outputs are compared with this golden after each round: bgemm, matmul_chain,
# paged_attention, vector_example, vector_sum_product. An element may be absolute + relative * |expected| away.
[golden]
name = "vector_sum_product"
absolute = 0
relative = 1e-6
)";

}  // namespace svmsim
