// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/attention_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/kernels/exponential.h"
#include "sim/kernels/matrix_product.h"

namespace svmsim {

namespace {

// Rows (positions of the block) by head size of [1, block, 1, head size]; rows 0 for another shape.
MatrixShape cache_block(const KernelTensor& tensor) {
  const auto shape = shape_of(tensor);
  if (shape.size() != 4 || shape[0] != 1 || shape[2] != 1) return {};
  return {shape[1], shape[3]};
}

bool is_matrix(const KernelTensor& tensor, std::uint32_t rows, std::uint32_t columns) {
  const MatrixShape shape = matrix_shape(*tensor.tensor);
  return shape.rows == rows && shape.columns == columns;
}

KernelResult check_rows(const KernelCall& call, std::size_t index, std::string_view name, std::uint32_t rows) {
  if (call.tensors[index].tensor->numel() == rows) return {};
  return tl::unexpected(shape_error(call, index, name, fmt::format("{} elements, one per head", rows)));
}

}  // namespace

// scores[h][s] = sum over d of query[h][d] * key[s][d]
KernelResult qk_matmul(const KernelCall& call) {
  if (auto fit = check_operands(call, {{"query"}, {"key"}, {"scores", OperandUse::kWritten}}, 0); !fit) return fit;
  if (auto fit = check_one_block(call); !fit) return fit;
  const MatrixShape query = matrix_shape(*call.tensors[0].tensor);
  const MatrixShape key = cache_block(call.tensors[1]);
  if (query.rows == 0) return tl::unexpected(shape_error(call, 0, "query", "[1, ..., heads, head size]"));
  if (key.rows == 0 || key.columns != query.columns) {
    return tl::unexpected(shape_error(call, 1, "key", fmt::format("[1, block, 1, {}]", query.columns)));
  }
  if (!is_matrix(call.tensors[2], query.rows, key.rows)) {
    return tl::unexpected(shape_error(call, 2, "scores", fmt::format("[{}, {}]", query.rows, key.rows)));
  }
  const std::vector<float> keys = values_of(call.tensors[1]);
  std::vector<float> transposed(keys.size());
  for (std::uint32_t s = 0; s < key.rows; ++s) {
    for (std::uint32_t d = 0; d < key.columns; ++d) {
      transposed[std::size_t{d} * key.rows + s] = keys[std::size_t{s} * key.columns + d];
    }
  }
  store_values(call.tensors[2],
               matrix_product(values_of(call.tensors[0]), transposed, query.rows, query.columns, key.rows));
  return {};
}

// For each row: maximum of the scaled scores, probabilities relative to it, and their sum as the probabilities are
// stored. Columns of the probabilities beyond those of the scores become 0: the rest of a block that is not full.
KernelResult softmax_prepare(const KernelCall& call) {
  if (auto fit = check_operands(call,
                                {{"scores"},
                                 {"probabilities", OperandUse::kWritten},
                                 {"row maximum", OperandUse::kWritten},
                                 {"row sum", OperandUse::kWritten}},
                                1);
      !fit) {
    return fit;
  }
  if (auto fit = check_one_block(call); !fit) return fit;
  const MatrixShape scores = matrix_shape(*call.tensors[0].tensor);
  const MatrixShape probabilities = matrix_shape(*call.tensors[1].tensor);
  if (scores.rows == 0) return tl::unexpected(shape_error(call, 0, "scores", "[1, ..., heads, positions]"));
  if (probabilities.rows != scores.rows || probabilities.columns < scores.columns) {
    return tl::unexpected(
        shape_error(call, 1, "probabilities", fmt::format("[{}, {} or more]", scores.rows, scores.columns)));
  }
  if (auto fit = check_rows(call, 2, "row maximum", scores.rows); !fit) return fit;
  if (auto fit = check_rows(call, 3, "row sum", scores.rows); !fit) return fit;

  const float scale = float_scalar(call.scalars[0]);
  std::vector<float> scaled = values_of(call.tensors[0]);
  for (float& score : scaled) score *= scale;
  std::vector<float> weights(std::size_t{scores.rows} * probabilities.columns, 0.0F);
  std::vector<float> maxima(scores.rows);
  std::vector<float> sums(scores.rows, 0.0F);
  for (std::uint32_t row = 0; row < scores.rows; ++row) {
    const float* const from = scaled.data() + std::size_t{row} * scores.columns;
    maxima[row] = *std::max_element(from, from + scores.columns);
    for (std::uint32_t column = 0; column < scores.columns; ++column) {
      const float weight = rounded_to(call.tensors[1].tensor->dtype, exponential(from[column] - maxima[row]));
      weights[std::size_t{row} * probabilities.columns + column] = weight;
      sums[row] += weight;
    }
  }
  store_values(call.tensors[1], weights);
  store_values(call.tensors[2], maxima);
  store_values(call.tensors[3], sums);
  return {};
}

// partial[h][d] = sum over s of probabilities[h][s] * value[s][d]
KernelResult pv_matmul(const KernelCall& call) {
  if (auto fit = check_operands(call, {{"probabilities"}, {"value"}, {"partial", OperandUse::kWritten}}, 0); !fit) {
    return fit;
  }
  if (auto fit = check_one_block(call); !fit) return fit;
  const MatrixShape probabilities = matrix_shape(*call.tensors[0].tensor);
  const MatrixShape value = cache_block(call.tensors[1]);
  if (probabilities.rows == 0) return tl::unexpected(shape_error(call, 0, "probabilities", "[1, ..., heads, block]"));
  if (value.rows == 0 || value.rows != probabilities.columns) {
    return tl::unexpected(shape_error(call, 1, "value", fmt::format("[1, {}, 1, head size]", probabilities.columns)));
  }
  if (!is_matrix(call.tensors[2], probabilities.rows, value.columns)) {
    return tl::unexpected(shape_error(call, 2, "partial", fmt::format("[{}, {}]", probabilities.rows, value.columns)));
  }
  store_values(call.tensors[2], matrix_product(values_of(call.tensors[0]), values_of(call.tensors[1]),
                                               probabilities.rows, probabilities.columns, value.columns));
  return {};
}

// Brings running and block to a common maximum, adds, and leaves the quotient in `out`. The first update of a tile,
// scalar 0 set, takes the block as it is and reads nothing of the running tensors.
KernelResult online_update(const KernelCall& call) {
  if (auto fit = check_operands(call,
                                {{"row maximum"},
                                 {"row sum"},
                                 {"partial"},
                                 {"running maximum", OperandUse::kWritten},
                                 {"running sum", OperandUse::kWritten},
                                 {"running output", OperandUse::kWritten},
                                 {"out", OperandUse::kWritten}},
                                1);
      !fit) {
    return fit;
  }
  if (auto fit = check_one_block(call); !fit) return fit;
  const MatrixShape partial = matrix_shape(*call.tensors[2].tensor);
  if (partial.rows == 0) return tl::unexpected(shape_error(call, 2, "partial", "[1, ..., heads, head size]"));
  for (const auto& [index, name] : {std::pair<std::size_t, std::string_view>{0, "row maximum"},
                                    {1, "row sum"},
                                    {3, "running maximum"},
                                    {4, "running sum"}}) {
    if (auto fit = check_rows(call, index, name, partial.rows); !fit) return fit;
  }
  for (const auto& [index, name] : {std::pair<std::size_t, std::string_view>{5, "running output"}, {6, "out"}}) {
    if (is_matrix(call.tensors[index], partial.rows, partial.columns)) continue;
    return tl::unexpected(shape_error(call, index, name, fmt::format("[{}, {}]", partial.rows, partial.columns)));
  }

  std::vector<float> maxima = values_of(call.tensors[0]);
  std::vector<float> sums = values_of(call.tensors[1]);
  std::vector<float> outputs = values_of(call.tensors[2]);
  if (call.scalars[0] == 0) {
    const std::vector<float> old_maxima = values_of(call.tensors[3]);
    const std::vector<float> old_sums = values_of(call.tensors[4]);
    const std::vector<float> old_outputs = values_of(call.tensors[5]);
    for (std::uint32_t row = 0; row < partial.rows; ++row) {
      const float maximum = std::max(old_maxima[row], maxima[row]);
      const float old_factor = exponential(old_maxima[row] - maximum);
      const float factor = exponential(maxima[row] - maximum);
      maxima[row] = maximum;
      sums[row] = old_factor * old_sums[row] + factor * sums[row];
      for (std::uint32_t d = 0; d < partial.columns; ++d) {
        const std::size_t i = std::size_t{row} * partial.columns + d;
        outputs[i] = old_factor * old_outputs[i] + factor * outputs[i];
      }
    }
  }
  store_values(call.tensors[3], maxima);
  store_values(call.tensors[4], sums);
  store_values(call.tensors[5], outputs);
  for (std::uint32_t row = 0; row < partial.rows; ++row) {
    for (std::uint32_t d = 0; d < partial.columns; ++d) outputs[std::size_t{row} * partial.columns + d] /= sums[row];
  }
  store_values(call.tensors[6], outputs);
  return {};
}

}  // namespace svmsim
