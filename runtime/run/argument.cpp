// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/argument.h"

namespace svmrt {

Bytes TensorArgument::size() const {
  std::uint64_t elements = 1;
  for (const std::uint32_t dim : shape) elements *= dim;
  return Bytes(elements * get_element_size(dtype));
}

}  // namespace svmrt
