// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/batched_attention_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "sim/kernels/attention_kernels.h"

namespace svmsim {

namespace {

constexpr OperandUse kRead = OperandUse::kRead;
constexpr OperandUse kWritten = OperandUse::kWritten;
constexpr OperandType kInt32 = OperandType::kInt32;

std::int32_t int32_at(const KernelTensor& tensor, std::uint32_t row, std::uint32_t column) {
  const std::uint64_t offset = std::uint64_t{row} * tensor.tensor->strides[0] +
                               (tensor.tensor->ndims > 1 ? std::uint64_t{column} * tensor.tensor->strides[1] : 0);
  std::int32_t value = 0;
  std::memcpy(&value, tensor.data + offset * sizeof value, sizeof value);
  return value;
}

// Entry `index` of the first dimension, which stays as one of 1.
class Slice {
 public:
  Slice(const KernelTensor& whole, std::uint32_t index) {
    std::uint32_t shape[MAX_TENSOR_DIMS] = {};
    std::uint32_t offset[MAX_TENSOR_DIMS] = {};
    std::copy_n(whole.tensor->shapes, MAX_TENSOR_DIMS, shape);
    shape[0] = 1;
    offset[0] = index;
    tensor_ = whole.tensor->view(shape, offset);
    use_ = whole.use;
    data_ = whole.data + (tensor_.start_offset - whole.tensor->start_offset) * get_element_size(tensor_.dtype);
  }
  // The same, with only so many of its last dimension.
  Slice(const KernelTensor& whole, std::uint32_t index, std::uint32_t columns) : Slice(whole, index) {
    tensor_.shapes[tensor_.ndims - 1] = columns;
  }
  [[nodiscard]] KernelTensor operand() const { return {&tensor_, use_, data_}; }

 private:
  ChipTensor tensor_;
  svmrt::TensorUse use_ = svmrt::TensorUse::kInput;
  std::byte* data_ = nullptr;
};

// The step that a task is for, seen from one sequence.
struct Step {
  std::uint32_t batch = 0;
  bool first = false;
  std::uint32_t positions = 0;  // of the step's block that belong to the context; 0: nothing is to be done
};

// `lengths` is tensor `index`; n and block size are the two scalars from `scalar` on.
tl::expected<Step, std::string> step_of(const KernelCall& call, std::size_t index, std::size_t scalar) {
  const KernelTensor& lengths = call.tensors[index];
  if (lengths.tensor->ndims != 1 || lengths.tensor->shapes[0] != call.block_num) {
    return tl::unexpected(
        shape_error(call, index, "context lengths", fmt::format("[{}], as block_num is", call.block_num)));
  }
  const std::uint64_t n = call.scalars[scalar];
  const std::uint64_t block_size = call.scalars[scalar + 1];
  const auto length = static_cast<std::uint64_t>(std::max(int32_at(lengths, call.block, 0), 0));
  Step step;
  step.batch = call.block;
  step.first = n == 0;
  const std::uint64_t before = n * block_size;
  if (before < length) step.positions = static_cast<std::uint32_t>(std::min(block_size, length - before));
  return step;
}

// These tensors have an entry for each sequence.
KernelResult check_entries(const KernelCall& call,
                           std::initializer_list<std::pair<std::size_t, std::string_view>> tensors) {
  for (const auto& [index, name] : tensors) {
    const auto shape = shape_of(call.tensors[index]);
    if (!shape.empty() && shape[0] >= call.block_num) continue;
    return tl::unexpected(
        shape_error(call, index, name, fmt::format("[{} or more, ...], an entry per instance", call.block_num)));
  }
  return {};
}

// The cache's block for this step, from the block table, tensor `table`.
tl::expected<Slice, std::string> block_of(const KernelCall& call, std::size_t cache, std::size_t table,
                                          const Step& step) {
  const KernelTensor& blocks = call.tensors[table];
  const std::uint64_t n = call.scalars[0];
  if (blocks.tensor->ndims != 2 || n >= blocks.tensor->shapes[1] || step.batch >= blocks.tensor->shapes[0]) {
    return tl::unexpected(
        shape_error(call, table, "block table", fmt::format("[{}, {} or more]", call.block_num, n + 1)));
  }
  const std::int32_t block = int32_at(blocks, step.batch, static_cast<std::uint32_t>(n));
  const ChipTensor& whole = *call.tensors[cache].tensor;
  if (whole.ndims == 0 || block < 0 || static_cast<std::uint32_t>(block) >= whole.shapes[0]) {
    return tl::unexpected(
        fmt::format("block_table[{}][{}] is {}; allowed: a block of tensor {}", step.batch, n, block, cache));
  }
  return Slice(call.tensors[cache], static_cast<std::uint32_t>(block));
}

template <std::size_t N>
KernelResult run_one(KernelFunction kernel, const std::array<KernelTensor, N>& tensors,
                     std::span<const std::uint64_t> scalars) {
  return kernel({tensors, scalars, 0, 1});
}

}  // namespace

KernelResult batched_qk_matmul(const KernelCall& call) {
  if (auto fit = check_operands(call,
                                {{"query"},
                                 {"key cache"},
                                 {"block table", kRead, kInt32},
                                 {"context lengths", kRead, kInt32},
                                 {"scores", kWritten}},
                                2);
      !fit) {
    return fit;
  }
  const auto step = step_of(call, 3, 0);
  if (!step) return tl::unexpected(step.error());
  if (auto fit = check_entries(call, {{0, "query"}, {4, "scores"}}); !fit) return fit;
  if (step->positions == 0) return {};
  const auto key = block_of(call, 1, 2, *step);
  if (!key) return tl::unexpected(key.error());
  const Slice query(call.tensors[0], step->batch);
  const Slice scores(call.tensors[4], step->batch);
  return run_one<3>(qk_matmul, {query.operand(), key->operand(), scores.operand()}, {});
}

KernelResult batched_softmax_prepare(const KernelCall& call) {
  if (auto fit = check_operands(call,
                                {{"scores"},
                                 {"context lengths", kRead, kInt32},
                                 {"probabilities", kWritten},
                                 {"row maximum", kWritten},
                                 {"row sum", kWritten}},
                                3);
      !fit) {
    return fit;
  }
  const auto step = step_of(call, 1, 1);
  if (!step) return tl::unexpected(step.error());
  if (auto fit = check_entries(call, {{0, "scores"}, {2, "probabilities"}, {3, "row maximum"}, {4, "row sum"}}); !fit) {
    return fit;
  }
  if (step->positions == 0) return {};
  if (shape_of(call.tensors[0]).back() < step->positions) {
    return tl::unexpected(
        shape_error(call, 0, "scores", fmt::format("[..., {} or more], the positions of a block", step->positions)));
  }
  const Slice scores(call.tensors[0], step->batch, step->positions);
  const Slice probabilities(call.tensors[2], step->batch);
  const Slice maxima(call.tensors[3], step->batch);
  const Slice sums(call.tensors[4], step->batch);
  return run_one<4>(softmax_prepare, {scores.operand(), probabilities.operand(), maxima.operand(), sums.operand()},
                    call.scalars.first(1));
}

KernelResult batched_pv_matmul(const KernelCall& call) {
  if (auto fit = check_operands(call,
                                {{"probabilities"},
                                 {"value cache"},
                                 {"block table", kRead, kInt32},
                                 {"context lengths", kRead, kInt32},
                                 {"partial", kWritten}},
                                2);
      !fit) {
    return fit;
  }
  const auto step = step_of(call, 3, 0);
  if (!step) return tl::unexpected(step.error());
  if (auto fit = check_entries(call, {{0, "probabilities"}, {4, "partial"}}); !fit) return fit;
  if (step->positions == 0) return {};
  const auto value = block_of(call, 1, 2, *step);
  if (!value) return tl::unexpected(value.error());
  const Slice probabilities(call.tensors[0], step->batch);
  const Slice partial(call.tensors[4], step->batch);
  return run_one<3>(pv_matmul, {probabilities.operand(), value->operand(), partial.operand()}, {});
}

KernelResult batched_online_update(const KernelCall& call) {
  if (auto fit = check_operands(call,
                                {{"row maximum"},
                                 {"row sum"},
                                 {"partial"},
                                 {"context lengths", kRead, kInt32},
                                 {"running maximum", kWritten},
                                 {"running sum", kWritten},
                                 {"running output", kWritten},
                                 {"out", kWritten}},
                                2);
      !fit) {
    return fit;
  }
  const auto step = step_of(call, 3, 0);
  if (!step) return tl::unexpected(step.error());
  if (auto fit = check_entries(call, {{0, "row maximum"},
                                      {1, "row sum"},
                                      {2, "partial"},
                                      {4, "running maximum"},
                                      {5, "running sum"},
                                      {6, "running output"},
                                      {7, "out"}});
      !fit) {
    return fit;
  }
  if (step->positions == 0) return {};
  const std::uint64_t first[] = {step->first ? 1U : 0U};
  const Slice maxima(call.tensors[0], step->batch), sums(call.tensors[1], step->batch);
  const Slice partial(call.tensors[2], step->batch);
  const Slice running_maxima(call.tensors[4], step->batch), running_sums(call.tensors[5], step->batch);
  const Slice running_output(call.tensors[6], step->batch), out(call.tensors[7], step->batch);
  return run_one<7>(online_update,
                    {maxima.operand(), sums.operand(), partial.operand(), running_maxima.operand(),
                     running_sums.operand(), running_output.operand(), out.operand()},
                    first);
}

}  // namespace svmsim
