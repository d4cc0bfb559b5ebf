// SPDX-License-Identifier: Apache-2.0
#include "runtime/policy.h"

#include <array>

namespace svmrt {

namespace {
constexpr std::array kPolicies = {Policy::kCached, Policy::kRebuild, Policy::kRegisterAll, Policy::kCopyOnly};
}

std::string_view policy_name(Policy policy) {
  switch (policy) {
    case Policy::kCached:
      return "cached";
    case Policy::kRebuild:
      return "rebuild";
    case Policy::kRegisterAll:
      return "register-all";
    case Policy::kCopyOnly:
      return "copy-only";
  }
  return "unknown";
}

std::optional<Policy> policy_from_name(std::string_view name) {
  for (const Policy policy : kPolicies) {
    if (policy_name(policy) == name) return policy;
  }
  return std::nullopt;
}

std::span<const Policy> all_policies() { return kPolicies; }

}  // namespace svmrt
