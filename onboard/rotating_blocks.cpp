// SPDX-License-Identifier: Apache-2.0
#include "onboard/rotating_blocks.h"

#include <fmt/format.h>

#include <utility>

#include "onboard/host_copies.h"

namespace svmsim {

using svmrt::DriverCall;
using svmrt::DriverCode;
using svmrt::kRunnerTimeline;

tl::unexpected<svmrt::Error> RotatingBlocks::failed(DriverCall call, std::uint64_t iteration, DriverCode code) const {
  return port_failed("", call, {base(iteration), size_}, code);
}

svmrt::Result<void> RotatingBlocks::allocate() {
  for (Block& block : blocks_) {
    const svmrt::AllocateResult result = driver_.allocate(kRunnerTimeline, size_);
    if (result.code != DriverCode::kNone) {
      return svmrt::fail(svmrt::ErrorCode::kDriver,
                         fmt::format("{} of {} bytes failed with {}", svmrt::driver_call_name(DriverCall::kAllocate),
                                     size_.count(), svmrt::code_text(result.code)),
                         result.code);
    }
    block.base = result.address;
  }
  return {};
}

svmrt::Result<void*> RotatingBlocks::map(std::uint64_t iteration) {
  const svmrt::RegisterResult result = driver_.register_to_host(kRunnerTimeline, base(iteration), size_);
  if (result.code != DriverCode::kNone) return failed(DriverCall::kRegister, iteration, result.code);
  block(iteration).mapped = true;
  if (result.host == nullptr) {
    return svmrt::fail(svmrt::ErrorCode::kDriver,
                       fmt::format("{} of {} gave no address", svmrt::driver_call_name(DriverCall::kRegister),
                                   svmrt::block_text(base(iteration), size_)));
  }
  return result.host;
}

svmrt::Result<void> RotatingBlocks::unmap(std::uint64_t iteration) {
  const DriverCode code = driver_.unregister_from_host(kRunnerTimeline, base(iteration));
  if (code != DriverCode::kNone) return failed(DriverCall::kUnregister, iteration, code);
  block(iteration).mapped = false;
  return {};
}

svmrt::Result<void> RotatingBlocks::give_back() {
  svmrt::Result<void> first;
  const auto keep = [&](svmrt::Result<void> result) {
    if (!result && first) first = std::move(result);
  };
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    Block& mine = block(i);
    if (mine.base.is_null()) continue;
    if (mine.mapped) keep(unmap(i));
    if (!mine.mapped) {
      const DriverCode code = driver_.free(kRunnerTimeline, mine.base);
      if (code != DriverCode::kNone) keep(failed(DriverCall::kFree, i, code));
    }
    mine = Block{};
  }
  return first;
}

}  // namespace svmsim
