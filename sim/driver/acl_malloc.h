// SPDX-License-Identifier: Apache-2.0
// P4: how aclrtMalloc turns a size and a policy into halMemAlloc calls. Sizes and flag words are those of the public
// ACL runtime (hicann/runtime 681ef76). Pure functions, thread-safe; acl_malloc as thread-safe as its driver.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/driver/hal_driver.h"

namespace svmsim {

// aclrtMemMallocPolicy. A value of none of these is treated as kHugeFirst.
enum class AclMallocPolicy : std::uint32_t {
  kHugeFirst = 0,
  kHugeOnly = 1,
  kNormalOnly = 2,
  kHugeFirstP2p = 3,
  kHugeOnlyP2p = 4,
  kNormalOnlyP2p = 5,
  kHuge1G = 6,
  kHuge1GP2p = 7,
};

// aclrtMalloc pads by 32 bytes beyond the rounding; aclrtMallocAlign32 only rounds.
enum class AclPadding : std::uint8_t { kMalloc, kMallocAlign32 };

struct AclMallocPlan {
  std::uint64_t size = 0;                      // what halMemAlloc is asked for; 2^64 - 1 if padding overflows
  std::uint64_t flag = 0;                      // its flag word
  std::optional<std::uint64_t> fallback_flag;  // second attempt, ordinary pages, when the first fails for any reason
};

// `device_id` is the driver's id (below 1024, its place in the flag word). The ACL layer refuses `bytes` 0 before.
[[nodiscard]] AclMallocPlan p4_acl_malloc(std::uint64_t bytes, AclMallocPolicy policy, std::uint32_t device_id,
                                          AclPadding padding = AclPadding::kMalloc);

// Carries a plan out, fallback included; fails with the code of the last attempt.
[[nodiscard]] AllocOutcome acl_malloc(HalDriver& driver, const AclMallocPlan& plan);

}  // namespace svmsim
