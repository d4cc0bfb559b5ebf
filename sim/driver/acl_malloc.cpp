// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/acl_malloc.h"

#include <limits>

#include "sim/driver/hal_flags.h"
#include "sim/driver/span.h"

namespace svmsim {
namespace {

// Module APP (33), alignment field 9, HBM, device side.
inline constexpr std::uint64_t kOrdinaryFlag = 0x2100000000904400;
inline constexpr std::uint64_t kHugeFlag = 0x2100000000924400;
static_assert(kHugeFlag == (kOrdinaryFlag | kAllocHuge));

inline constexpr std::uint64_t kPad = 32;
inline constexpr Bytes kHugeAbove = kMiB;  // strictly above, on the padded size

bool takes_giant(AclMallocPolicy policy) {
  return policy == AclMallocPolicy::kHuge1G || policy == AclMallocPolicy::kHuge1GP2p;
}

std::uint64_t padded_size(std::uint64_t bytes, AclMallocPolicy policy, AclPadding padding) {
  if (takes_giant(policy)) return bytes;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (bytes > kMax - 2 * kPad) return kMax;
  const std::uint64_t rounded = (bytes + kPad - 1) / kPad * kPad;
  return padding == AclPadding::kMalloc ? rounded + kPad : rounded;
}

}  // namespace

AclMallocPlan p4_acl_malloc(std::uint64_t bytes, AclMallocPolicy policy, std::uint32_t device_id, AclPadding padding) {
  const std::uint64_t ordinary = kOrdinaryFlag | device_id;
  const std::uint64_t huge = kHugeFlag | device_id;
  AclMallocPlan plan;
  plan.size = padded_size(bytes, policy, padding);
  switch (policy) {
    case AclMallocPolicy::kHugeOnly:
      plan.flag = huge;
      return plan;
    case AclMallocPolicy::kNormalOnly:
      plan.flag = ordinary;
      return plan;
    case AclMallocPolicy::kHugeFirstP2p:
    case AclMallocPolicy::kHugeOnlyP2p:
    case AclMallocPolicy::kNormalOnlyP2p:
      plan.flag = ordinary | kAllocP2p;
      return plan;
    case AclMallocPolicy::kHuge1G:
      plan.flag = ordinary | kAllocGiant;
      return plan;
    case AclMallocPolicy::kHuge1GP2p:
      plan.flag = ordinary | kAllocGiant | kAllocP2p;
      return plan;
    case AclMallocPolicy::kHugeFirst:
      break;
  }
  if (plan.size > kHugeAbove.count()) {
    plan.flag = huge;
    plan.fallback_flag = ordinary;
  } else {
    plan.flag = ordinary;
  }
  return plan;
}

AllocOutcome acl_malloc(HalDriver& driver, const AclMallocPlan& plan) {
  const AllocOutcome first = driver.mem_alloc(plan.size, plan.flag);
  if (first.code == DriverCode::kNone || !plan.fallback_flag) return first;
  return driver.mem_alloc(plan.size, *plan.fallback_flag);
}

}  // namespace svmsim
