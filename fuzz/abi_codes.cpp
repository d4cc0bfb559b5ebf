// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_codes.h"

#include <algorithm>

namespace svmsim {

namespace {

constexpr std::int32_t kNothing[] = {0};
// P2 (P3 for a device without room: 6).
constexpr std::int32_t kMemAlloc[] = {0, 2, 3, 6, 65534};
constexpr std::int32_t kMemFreeV2[] = {0, 3, 13, 17};  // P5, F2
constexpr std::int32_t kMemFreeV3[] = {0, 3, 13};      // P5, F1
// R2, R3, R5 to R8; of host memory 4 (pages that are not there) and 6 (no address left), R8 under Register.
constexpr std::int32_t kRegisterV2[] = {0, 2, 3, 4, 6, 8, 65534};
constexpr std::int32_t kRegisterV3[] = {0, 2, 3, 4, 6, 8, 12, 65534};
// U1, U2: 11 with records, without as Ex.
constexpr std::int32_t kUnregisterV2[] = {0, 8, 11, 38};
constexpr std::int32_t kUnregisterV3[] = {0, 8, 65534};
constexpr std::int32_t kUnregisterEx[] = {0, 8, 38, 65534};
constexpr std::int32_t kCapabilities[] = {65534};
constexpr std::int32_t kDevicePointer[] = {0, 2, 3, 8, 11, 65534};  // U5; 3 for a null destination
constexpr std::int32_t kAgentOpen[] = {0, 2, 65534};
constexpr std::int32_t kMemCtl[] = {0, 2, 3, 65534};

constexpr std::int32_t kInit[] = {0, 100002};
constexpr std::int32_t kFinalize[] = {0, 100001};
constexpr std::int32_t kSetDevice[] = {0, 107001};
constexpr std::int32_t kResetDevice[] = {0, 107001, 107002};
// The flags that the ACL layer passes are those of a device with everything, so that only room is short (P2, P4).
constexpr std::int32_t kMalloc[] = {0, 100000, 107002, 207001};
constexpr std::int32_t kFree[] = {0, 100000, 107000, 107002, 507899};
constexpr std::int32_t kCopy[] = {0, 100000, 107000, 107002, 107017, 507899};
constexpr std::int32_t kMallocHost[] = {0, 100000, 107002, 207001};
constexpr std::int32_t kFreeHost[] = {0, 100000, 107000};
// What the driver says to types 0 and 6, read-only or not, of a device that exists: 4, 6, 8, 12, 65534.
constexpr std::int32_t kHostRegister[] = {0, 100000, 107000, 107002, 107017, 207000, 207001, 507899};
constexpr std::int32_t kHostRegisterV2[] = {0, 100000, 107000, 107002, 107017, 207000, 207001, 507899, 507910};
// The driver's 8 and 38 when something else dropped the registration.
constexpr std::int32_t kHostUnregister[] = {0, 100000, 507899, 507911};
constexpr std::int32_t kHostDevicePointer[] = {0, 100000, 107000, 107002};
constexpr std::int32_t kLogicDevice[] = {0, 100000, 107001};
// Any failure of an earlier call.
constexpr std::int32_t kLastError[] = {0,      100000, 100001, 100002, 107000, 107001, 107002,
                                       107017, 207000, 207001, 507899, 507910, 507911};
constexpr std::int32_t kVersion[] = {0, 2, 3, 8};

constexpr AllowedCodes kAllowed[] = {
    {"halHostRegister", kRegisterV2, kRegisterV3},
    {"halHostUnregister", kUnregisterV2, kUnregisterV3},
    {"halHostUnregisterEx", kUnregisterEx, kUnregisterEx},
    {"halHostRegisterCapabilities", kCapabilities, kCapabilities},
    {"halMemHostGetDevPointer", kDevicePointer, {}},
    {"halMemAlloc", kMemAlloc, kMemAlloc},
    {"halMemFree", kMemFreeV2, kMemFreeV3},
    {"halMemAgentOpen", kAgentOpen, kAgentOpen},
    {"halMemCtl", kMemCtl, kMemCtl},
    {"halSupportFeature", kNothing, kNothing},
    {"svmsim_now_ns", kNothing, kNothing},
    {"aclInit", kInit, kInit},
    {"aclFinalize", kFinalize, kFinalize},
    {"aclrtSetDevice", kSetDevice, kSetDevice},
    {"aclrtResetDevice", kResetDevice, kResetDevice},
    {"aclrtMalloc", kMalloc, kMalloc},
    {"aclrtMallocAlign32", kMalloc, kMalloc},
    {"aclrtFree", kFree, kFree},
    {"aclrtMemcpy", kCopy, kCopy},
    {"aclrtMemset", kCopy, kCopy},
    {"aclrtMallocHost", kMallocHost, kMallocHost},
    {"aclrtFreeHost", kFreeHost, kFreeHost},
    {"aclrtHostRegister", kHostRegister, kHostRegister},
    {"aclrtHostRegisterV2", kHostRegisterV2, kHostRegisterV2},
    {"aclrtHostUnregister", kHostUnregister, kHostUnregister},
    {"aclrtHostGetDevicePointer", kHostDevicePointer, kHostDevicePointer},
    {"aclrtGetSocName", kNothing, kNothing},
    {"aclrtGetLastError", kLastError, kLastError},
    {"aclrtGetLogicDevIdByUserDevId", kLogicDevice, kLogicDevice},
    {"dsmi_get_version", kVersion, kVersion},
};

}  // namespace

std::span<const AllowedCodes> allowed_codes() { return kAllowed; }

const AllowedCodes* allowed_codes_of(std::string_view function) {
  const auto found = std::find_if(std::begin(kAllowed), std::end(kAllowed),
                                  [&](const AllowedCodes& one) { return one.function == function; });
  return found == std::end(kAllowed) ? nullptr : found;
}

bool may_return(std::string_view function, Personality personality, std::int32_t code) {
  const AllowedCodes* const allowed = allowed_codes_of(function);
  if (allowed == nullptr) return false;
  const auto codes = personality == Personality::kV3 ? allowed->v3 : allowed->v2;
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace svmsim
