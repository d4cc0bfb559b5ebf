// SPDX-License-Identifier: Apache-2.0
// The order of checks of halHostRegister and halHostUnregisterEx (R2, R3, U2) as pure functions: the one place where
// such a rule is written. From the public CANN driver source (hicann/driver ef377e9). Thread-safe.
#pragma once

#include <cstdint>

#include "sim/driver/alloc_rules.h"

namespace svmsim {

// R2, v2: what is checked on the flag alone, before the destination pointer and the address.
[[nodiscard]] DriverCode r2_flag_v2(const RegisterFlag& flag);
// R2, v2: what is checked once the address is known to be device memory of this kind, before bounds.
[[nodiscard]] DriverCode r2_device_address_v2(const RegisterFlag& flag, std::uint64_t size, PageKind kind,
                                              const Capabilities& capabilities);
// R2, v3: everything before the address is looked up.
[[nodiscard]] DriverCode r2_request_v3(const RegisterFlag& flag, DeviceAddr source, std::uint64_t size);
// R2, v3: the type against an address that is device memory.
[[nodiscard]] DriverCode r2_device_address_v3(const RegisterFlag& flag);

// R2: the code of a halHostRegister whose destination is null; nothing else of the call matters.
[[nodiscard]] DriverCode r2_null_destination(Personality personality, std::uint32_t flag);

// R3: whether an address may be the start of a registration. v3 also needs address and page-rounded size to be
// multiples of the host page, and on ordinary pages smaller than the host's a block contiguous in host pages (R7).
[[nodiscard]] bool r3_aligned_v2(const Platform& platform, PageKind kind, DeviceAddr source);
[[nodiscard]] bool r3_aligned_v3(const Platform& platform, PageKind kind, DeviceAddr source, Bytes size);

// R8: an address outside of device memory. kNone when the type maps host memory and start and size can be registered:
// the start a multiple of the host page, the size above 0 and rounded up to pages. v2 after r2_flag_v2, v3 after
// r2_request_v3. Overlap is left to check.
[[nodiscard]] DriverCode r8_host_memory_v2(const Platform& platform, const RegisterFlag& flag, DeviceAddr source,
                                           std::uint64_t size, std::uint32_t device_id);
[[nodiscard]] DriverCode r8_host_memory_v3(const Platform& platform, const RegisterFlag& flag, DeviceAddr source,
                                           std::uint64_t size, std::uint32_t device_id);

// U2: halHostUnregisterEx by its map type; kNone when the type unmaps an SVM mapping.
[[nodiscard]] DriverCode u2_unregister_type(std::uint32_t flag);
// U2: only unregistering with DEV_SVM_MAP_HOST deletes the record.
[[nodiscard]] bool u2_deletes_record(std::uint32_t flag);
// U2: whether halHostUnregisterEx with this flag drops host memory registered with `type`: with the same type, or with
// 0 or 3, which the ACL runtime passes.
[[nodiscard]] bool u2_drops_host_memory(std::uint32_t type, std::uint32_t flag);

}  // namespace svmsim
