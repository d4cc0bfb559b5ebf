// SPDX-License-Identifier: Apache-2.0
// Templates of abi_caller.h.
#pragma once

#include "fuzz/abi_caller.h"

namespace svmsim {

// On failure no out parameter is written, and one that cannot be written is a failure.
template <typename T>
void AbiCaller::judge(std::int32_t code, const AbiOut<T>& out) const {
  if (code != 0) return require(out.untouched(), "it failed, but wrote its out parameter");
  require(out.usable(), "it succeeded, but its out parameter cannot be written");
}

}  // namespace svmsim
