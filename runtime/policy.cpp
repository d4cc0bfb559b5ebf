// SPDX-License-Identifier: Apache-2.0
#include "runtime/policy.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace svmrt {

namespace {

constexpr std::array kFixed = {Policy::kCached, Policy::kRebuild, Policy::kRegisterAll, Policy::kCopyOnly};
constexpr std::string_view kBudgetPrefix = "budget:";

std::optional<Policy> budget_from(std::string_view digits) {
  std::uint64_t bytes = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, bytes);
  const bool is_number = error == std::errc() && stopped == end;
  if (!is_number || bytes == 0 || bytes > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return Policy::budget(Bytes(bytes));
}

}  // namespace

std::string policy_name(Policy policy) {
  switch (policy.kind()) {
    case Policy::Kind::kCached:
      return "cached";
    case Policy::Kind::kRebuild:
      return "rebuild";
    case Policy::Kind::kRegisterAll:
      return "register-all";
    case Policy::Kind::kCopyOnly:
      return "copy-only";
    case Policy::Kind::kBudget:
      return fmt::format("{}{}", kBudgetPrefix, policy.limit().count());
  }
  return "unknown";
}

std::optional<Policy> policy_from_name(std::string_view name) {
  for (const Policy policy : kFixed) {
    if (policy_name(policy) == name) return policy;
  }
  if (!name.starts_with(kBudgetPrefix)) return std::nullopt;
  return budget_from(name.substr(kBudgetPrefix.size()));
}

std::span<const Policy> fixed_policies() { return kFixed; }

}  // namespace svmrt
