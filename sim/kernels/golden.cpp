// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/golden.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace svmsim {

namespace {

using Expected = tl::expected<GoldenOutputs, std::string>;
using Tensors = std::span<const GoldenTensor>;
using Scalars = std::span<const std::uint64_t>;

// Every number of one sign, so many exponent and fraction bits, by its definition.
std::vector<double> narrow_values(int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  std::vector<double> values;
  for (int exponent = 0; exponent < 1 << exponent_bits; ++exponent) {
    for (int numerator = 0; numerator < 1 << fraction_bits; ++numerator) {
      const double fraction = std::ldexp(numerator, -fraction_bits);
      if (exponent == 0) {
        values.push_back(std::ldexp(fraction, 1 - bias));
      } else if (exponent < (1 << exponent_bits) - 1) {
        values.push_back(std::ldexp(1 + fraction, exponent - bias));
      } else {
        using Limits = std::numeric_limits<double>;
        values.push_back(numerator == 0 ? Limits::infinity() : Limits::quiet_NaN());
      }
    }
  }
  return values;
}

double narrow_value(std::uint32_t bits, const std::vector<double>& values) {
  const double magnitude = values[bits & 0x7fffU];
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

double element(const GoldenTensor& tensor, std::size_t index) {
  const auto size = static_cast<std::size_t>(get_element_size(tensor.dtype));
  std::uint32_t bits = 0;
  std::memcpy(&bits, tensor.bytes.data() + index * size, size);
  static const std::vector<double> float16_values = narrow_values(5, 10);
  static const std::vector<double> bfloat16_values = narrow_values(8, 7);
  if (tensor.dtype == DataType::FLOAT16) return narrow_value(bits, float16_values);
  if (tensor.dtype == DataType::BFLOAT16) return narrow_value(bits, bfloat16_values);
  if (tensor.dtype == DataType::INT32) return static_cast<std::int32_t>(bits);
  return static_cast<double>(std::bit_cast<float>(bits));
}

bool is_float(DataType dtype) {
  return dtype == DataType::FLOAT32 || dtype == DataType::FLOAT16 || dtype == DataType::BFLOAT16;
}

std::optional<std::string> wrong_counts(Tensors tensors, Scalars scalars, std::size_t of_tensors,
                                        std::size_t of_scalars) {
  if (tensors.size() == of_tensors && scalars.size() == of_scalars) return std::nullopt;
  return fmt::format("{} tensors and {} scalars; allowed: {} and {}", tensors.size(), scalars.size(), of_tensors,
                     of_scalars);
}

// The first tensor that is not of `ndims` dimensions (0: of any number) and floating-point.
std::optional<std::string> wrong_tensor(Tensors tensors, std::size_t ndims) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (is_float(tensors[i].dtype) && (ndims == 0 || tensors[i].shape.size() == ndims)) continue;
    return fmt::format("tensor {} is {} [{}]; allowed: FLOAT32, FLOAT16 or BFLOAT16{}", i,
                       get_dtype_name(tensors[i].dtype), fmt::join(tensors[i].shape, ", "),
                       ndims == 0 ? "" : fmt::format(" of {} dimensions", ndims));
  }
  return std::nullopt;
}

std::size_t element_count(const GoldenTensor& tensor) {
  std::size_t count = 1;
  for (const std::uint32_t extent : tensor.shape) count *= extent;
  return count;
}

std::string bad_shape(Tensors tensors, std::size_t index, const std::string& allowed) {
  return fmt::format("tensor {} has shape [{}]; allowed: {}", index, fmt::join(tensors[index].shape, ", "), allowed);
}

// data = max(2 * data + 1, 0)
Expected vector_example(Tensors tensors, Scalars scalars) {
  if (auto wrong = wrong_counts(tensors, scalars, 1, 0)) return tl::unexpected(*wrong);
  if (auto wrong = wrong_tensor(tensors, 0)) return tl::unexpected(*wrong);
  std::vector<double> data(element_count(tensors[0]));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::fmax(2 * element(tensors[0], i) + 1, 0);
  return GoldenOutputs{{0, data}};
}

// out = (a + b + 1) (a + b + 2)
Expected vector_sum_product(Tensors tensors, Scalars scalars) {
  if (auto wrong = wrong_counts(tensors, scalars, 3, 0)) return tl::unexpected(*wrong);
  if (auto wrong = wrong_tensor(tensors, 0)) return tl::unexpected(*wrong);
  std::vector<double> out(element_count(tensors[2]));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (element_count(tensors[i]) != out.size()) {
      return tl::unexpected(bad_shape(tensors, i, fmt::format("{} elements, as tensor 2 has", out.size())));
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double sum = element(tensors[0], i) + element(tensors[1], i);
    out[i] = (sum + 1) * (sum + 2);
  }
  return GoldenOutputs{{2, out}};
}

// c + a b, each stored tile after tile: [rows, columns, tile, tile].
Expected bgemm(Tensors tensors, Scalars scalars) {
  if (auto wrong = wrong_counts(tensors, scalars, 3, 0)) return tl::unexpected(*wrong);
  if (auto wrong = wrong_tensor(tensors, 4)) return tl::unexpected(*wrong);
  const auto& a = tensors[0];
  const auto& b = tensors[1];
  const auto& c = tensors[2];
  const std::size_t rows = c.shape[0], columns = c.shape[1], inner = a.shape[1], tile = c.shape[2];
  const auto is = [&](const GoldenTensor& tensor, std::size_t first, std::size_t second) {
    return tensor.shape[0] == first && tensor.shape[1] == second && tensor.shape[2] == tile && tensor.shape[3] == tile;
  };
  if (!is(c, rows, columns)) return tl::unexpected(bad_shape(tensors, 2, "[rows, columns, tile, tile]"));
  if (!is(a, rows, inner)) {
    return tl::unexpected(bad_shape(tensors, 0, fmt::format("[{}, inner, {}, {}]", rows, tile, tile)));
  }
  if (!is(b, inner, columns)) {
    return tl::unexpected(bad_shape(tensors, 1, fmt::format("[{}, {}, {}, {}]", inner, columns, tile, tile)));
  }
  // Where element (row, column) of a tiled matrix of `width` tiles per row lies.
  const auto at = [&](std::size_t row, std::size_t column, std::size_t width) {
    return ((row / tile * width + column / tile) * tile + row % tile) * tile + column % tile;
  };
  std::vector<double> out(element_count(c));
  for (std::size_t row = 0; row < rows * tile; ++row) {
    for (std::size_t column = 0; column < columns * tile; ++column) {
      double sum = element(c, at(row, column, columns));
      for (std::size_t k = 0; k < inner * tile; ++k) {
        sum += element(a, at(row, k, inner)) * element(b, at(k, column, columns));
      }
      out[at(row, column, columns)] = sum;
    }
  }
  return GoldenOutputs{{2, out}};
}

// x times each of the weights, one after the other: x [n, n], weights [layers, n, n], out [n, n].
Expected matmul_chain(Tensors tensors, Scalars scalars) {
  if (auto wrong = wrong_counts(tensors, scalars, 3, 0)) return tl::unexpected(*wrong);
  if (auto wrong = wrong_tensor(tensors, 0)) return tl::unexpected(*wrong);
  const auto& weights = tensors[1].shape;
  if (weights.size() != 3 || weights[1] != weights[2]) return tl::unexpected(bad_shape(tensors, 1, "[layers, n, n]"));
  const std::size_t n = weights[1];
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    if (tensors[i].shape.size() == 2 && tensors[i].shape[0] == n && tensors[i].shape[1] == n) continue;
    return tl::unexpected(bad_shape(tensors, i, fmt::format("[{}, {}]", n, n)));
  }
  std::vector<double> x(n * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = element(tensors[0], i);
  for (std::size_t layer = 0; layer < weights[0]; ++layer) {
    std::vector<double> product(n * n);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        for (std::size_t k = 0; k < n; ++k) {
          product[row * n + column] += x[row * n + k] * element(tensors[1], (layer * n + k) * n + column);
        }
      }
    }
    x = std::move(product);
  }
  return GoldenOutputs{{2, x}};
}

// Attention of each query head over the first context_lens[b] positions, which the block table spreads over the caches;
// all zeros for an empty context.
Expected paged_attention(Tensors tensors, Scalars scalars) {
  enum : std::size_t { kQuery, kKey, kValue, kTable, kLengths, kOut };
  if (auto wrong = wrong_counts(tensors, scalars, 6, 1)) return tl::unexpected(*wrong);
  if (auto wrong = wrong_tensor(tensors.first(1), 3)) return tl::unexpected(*wrong);
  if (auto wrong = wrong_tensor(tensors.subspan(1, 2), 4)) return tl::unexpected("after the query, " + *wrong);
  const auto& query = tensors[kQuery].shape;
  const auto& cache = tensors[kKey].shape;
  const std::size_t batch = query[0], heads = query[1], head_size = query[2];
  const std::size_t blocks = cache[0], block_size = cache[1], kv_heads = cache[2];
  if (blocks == 0 || cache[3] != head_size || kv_heads == 0 || heads % kv_heads != 0) {
    return tl::unexpected(
        bad_shape(tensors, kKey, fmt::format("[1 block or more, block, a divisor of {}, {}]", heads, head_size)));
  }
  if (tensors[kValue].shape != cache) return tl::unexpected(bad_shape(tensors, kValue, "that of tensor 1"));
  if (tensors[kOut].shape != query) return tl::unexpected(bad_shape(tensors, kOut, "that of tensor 0"));
  const auto& table = tensors[kTable];
  const auto& lengths = tensors[kLengths];
  if (table.dtype != DataType::INT32 || table.shape.size() != 2 || table.shape[0] != batch) {
    return tl::unexpected(bad_shape(tensors, kTable, fmt::format("INT32 [{}, blocks per sequence]", batch)));
  }
  if (lengths.dtype != DataType::INT32 || element_count(lengths) != batch) {
    return tl::unexpected(bad_shape(tensors, kLengths, fmt::format("INT32 [{}]", batch)));
  }
  const auto scale = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(scalars[0])));

  std::vector<double> out(element_count(tensors[kOut]));
  for (std::size_t b = 0; b < batch; ++b) {
    const double length = element(lengths, b);
    if (length < 0 || length > static_cast<double>(table.shape[1] * block_size)) {
      return tl::unexpected(
          fmt::format("context_lens[{}] is {}; allowed: 0 to {}", b, length, table.shape[1] * block_size));
    }
    const auto positions = static_cast<std::size_t>(length);
    // Which position of the caches, counted over all blocks, holds position p of the sequence.
    std::vector<std::size_t> rows(positions);
    for (std::size_t p = 0; p < positions; ++p) {
      const double block = element(table, b * table.shape[1] + p / block_size);
      if (block < 0 || block >= static_cast<double>(blocks)) {
        return tl::unexpected(
            fmt::format("block_table[{}][{}] is {}; allowed: 0 to {}", b, p / block_size, block, blocks - 1));
      }
      rows[p] = static_cast<std::size_t>(block) * block_size + p % block_size;
    }
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t first = (b * heads + h) * head_size;
      const auto in_cache = [&](std::size_t p, std::size_t d) {
        return (rows[p] * kv_heads + h / (heads / kv_heads)) * head_size + d;
      };
      std::vector<double> scores(positions);
      double maximum = -std::numeric_limits<double>::infinity();
      for (std::size_t p = 0; p < positions; ++p) {
        for (std::size_t d = 0; d < head_size; ++d) {
          scores[p] += element(tensors[kQuery], first + d) * element(tensors[kKey], in_cache(p, d));
        }
        scores[p] *= scale;
        maximum = std::fmax(maximum, scores[p]);
      }
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - maximum);
      for (std::size_t p = 0; p < positions; ++p) {
        for (std::size_t d = 0; d < head_size; ++d) {
          out[first + d] += scores[p] / sum * element(tensors[kValue], in_cache(p, d));
        }
      }
    }
  }
  return GoldenOutputs{{kOut, out}};
}

struct NamedGolden {
  std::string_view name;
  GoldenFunction function;
};

constexpr NamedGolden kGoldens[] = {
    {"bgemm", bgemm},
    {"matmul_chain", matmul_chain},
    {"paged_attention", paged_attention},
    {"vector_example", vector_example},
    {"vector_sum_product", vector_sum_product},
};

}  // namespace

GoldenFunction find_golden(std::string_view name) {
  for (const NamedGolden& golden : kGoldens) {
    if (golden.name == name) return golden.function;
  }
  return nullptr;
}

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const NamedGolden& golden : kGoldens) names.emplace_back(golden.name);
  return names;
}

std::optional<GoldenDifference> worst_difference(std::span<const double> expected, const GoldenTensor& found,
                                                 double absolute, double relative) {
  if (element_count(found) != expected.size()) std::abort();
  std::optional<GoldenDifference> worst;
  double worst_ratio = -1;
  bool within = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = element(found, i);
    const double allowed = absolute + relative * std::fabs(expected[i]);
    const double difference = std::fabs(value - expected[i]);
    const bool same = value == expected[i] || (std::isnan(value) && std::isnan(expected[i]));
    const bool fits = same || difference <= allowed;
    within = within && fits;
    // Of what is not within the tolerance a NaN is worst, and any of it worse than what is.
    double ratio = same ? 0 : difference / allowed;
    if (std::isnan(ratio)) ratio = std::numeric_limits<double>::infinity();
    if (ratio <= worst_ratio) continue;
    worst_ratio = ratio;
    worst = {i, expected[i], value, allowed, true};
  }
  if (worst) worst->within = within;
  return worst;
}

}  // namespace svmsim
