// SPDX-License-Identifier: Apache-2.0
// The product of two matrices of floats. Pure function, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace svmsim {

// [rows, inner] times [inner, columns], row-major. Each element is the sum of its products in the order of the inner
// index, in float, whatever the compiler vectorises: columns are independent of each other.
[[nodiscard]] inline std::vector<float> matrix_product(std::span<const float> a, std::span<const float> b,
                                                       std::uint32_t rows, std::uint32_t inner, std::uint32_t columns) {
  std::vector<float> product(std::size_t{rows} * columns, 0.0F);
  for (std::uint32_t row = 0; row < rows; ++row) {
    float* const sums = product.data() + std::size_t{row} * columns;
    for (std::uint32_t k = 0; k < inner; ++k) {
      const float factor = a[std::size_t{row} * inner + k];
      const float* const others = b.data() + std::size_t{k} * columns;
      for (std::uint32_t column = 0; column < columns; ++column) sums[column] += factor * others[column];
    }
  }
  return product;
}

}  // namespace svmsim
