// SPDX-License-Identifier: Apache-2.0
// When a runner maps child-memory tensors into the host and when it drops the mappings. Value type.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/units.h"

namespace svmrt {

class Policy {
 public:
  enum class Kind : std::uint8_t {
    kCached,       // map at the first access, keep until the allocation is freed (default)
    kRebuild,      // map at the first access, unmap when the run closes its host views
    kRegisterAll,  // map every child-memory tensor at bind, unmap when the run closes its host views
    kCopyOnly,     // never map: each access is a device copy
    kBudget,       // as kCached, but at most `limit` bytes held: the least recently used mapping that no open run uses
                   // is dropped for a new one; what does not fit is served by copies
  };
  static const Policy kCached;
  static const Policy kRebuild;
  static const Policy kRegisterAll;
  static const Policy kCopyOnly;
  // At least 1 byte. Counts requested bytes of mapped allocations, those whose unregister failed included.
  [[nodiscard]] static constexpr Policy budget(Bytes limit) { return Policy(Kind::kBudget, limit); }

  [[nodiscard]] constexpr Kind kind() const { return kind_; }
  // kBudget only; 0 otherwise.
  [[nodiscard]] constexpr Bytes limit() const { return limit_; }
  constexpr auto operator<=>(const Policy&) const = default;

 private:
  constexpr Policy(Kind kind, Bytes limit) : kind_(kind), limit_(limit) {}
  Kind kind_;
  Bytes limit_;
};

inline constexpr Policy Policy::kCached{Kind::kCached, Bytes(0)};
inline constexpr Policy Policy::kRebuild{Kind::kRebuild, Bytes(0)};
inline constexpr Policy Policy::kRegisterAll{Kind::kRegisterAll, Bytes(0)};
inline constexpr Policy Policy::kCopyOnly{Kind::kCopyOnly, Bytes(0)};

// "cached", "rebuild", "register-all", "copy-only", "budget:65536".
[[nodiscard]] std::string policy_name(Policy policy);
// The inverse; bytes are a decimal number from 1 to 2^63 - 1. nullopt when no policy has this name.
[[nodiscard]] std::optional<Policy> policy_from_name(std::string_view name);
// What a message says is allowed.
inline constexpr std::string_view kPolicyNames = "cached, rebuild, register-all, copy-only, budget:BYTES (at least 1)";
// Every policy without a parameter, in the order of the enum.
[[nodiscard]] std::span<const Policy> fixed_policies();

}  // namespace svmrt
