// SPDX-License-Identifier: Apache-2.0
// Return codes of the ACL runtime (aclError, an int; hicann/runtime 681ef76) as codes of the driver port. Pure,
// thread-safe.
#pragma once

#include <cstdint>

#include "runtime/driver_code.h"

namespace svmsim {

// aclInit: somebody in this process was first.
inline constexpr std::int32_t kAclRepeatInitialize = 100002;

// The driver's code that the ACL runtime made this one of, where only one can be meant. Every other number stays as it
// is, so that none is lost: no two numbers become the same code.
[[nodiscard]] svmrt::DriverCode driver_code_of_acl(std::int32_t acl_code);

}  // namespace svmsim
