// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/matrix_kernels.h"

#include <fmt/format.h>

#include "sim/kernels/matrix_product.h"

namespace svmsim {

KernelResult matmul(const KernelCall& call) {
  if (auto fit = check_operands(call, {{"a"}, {"b"}, {"c", OperandUse::kWritten}}, 0); !fit) return fit;
  if (auto fit = check_one_block(call); !fit) return fit;
  const MatrixShape a = matrix_shape(*call.tensors[0].tensor);
  const MatrixShape b = matrix_shape(*call.tensors[1].tensor);
  const MatrixShape c = matrix_shape(*call.tensors[2].tensor);
  if (a.rows == 0) return tl::unexpected(shape_error(call, 0, "a", "[1, ..., rows, inner]"));
  if (b.rows != a.columns) {
    return tl::unexpected(shape_error(call, 1, "b", fmt::format("[1, ..., {}, columns]", a.columns)));
  }
  if (c.rows != a.rows || c.columns != b.columns) {
    return tl::unexpected(shape_error(call, 2, "c", fmt::format("[1, ..., {}, {}]", a.rows, b.columns)));
  }
  store_values(call.tensors[2],
               matrix_product(values_of(call.tensors[0]), values_of(call.tensors[1]), a.rows, a.columns, b.columns));
  return {};
}

}  // namespace svmsim
