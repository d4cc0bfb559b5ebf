// SPDX-License-Identifier: Apache-2.0
// When a runner maps child-memory tensors into the host and when it drops the mappings. Value type.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace svmrt {

enum class Policy {
  kCached,       // map at the first access, keep until the allocation is freed (default)
  kRebuild,      // map at the first access, unmap when the run closes its host views
  kRegisterAll,  // map every child-memory tensor at bind, unmap when the run closes its host views
  kCopyOnly,     // never map: each access is a device copy
};

// "cached", "rebuild", "register-all", "copy-only".
[[nodiscard]] std::string_view policy_name(Policy policy);
// nullopt when no policy has this name.
[[nodiscard]] std::optional<Policy> policy_from_name(std::string_view name);
// Every policy, in the order of the enum.
[[nodiscard]] std::span<const Policy> all_policies();

}  // namespace svmrt
