// SPDX-License-Identifier: Apache-2.0
// The ACL runtime above one machine's driver: devices and their ids, aclrt memory calls, and the list of host memory
// that it registered. One function per C function, with the C arguments; the rules are those of the public ACL runtime
// (hicann/runtime 681ef76). Borrows the machine and spends its time on kRunnerTimeline. Thread-safe, as long as no two
// calls share an AclThread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/acl/acl_codes.h"
#include "sim/machine/machine.h"
#include "sim/memory/mapped_region.h"

namespace svmsim {

// What the ACL layer keeps per thread. Whoever calls holds one for each of its threads.
struct AclThread {
  std::optional<std::uint32_t> device;  // logical id; set while the thread has a current device
  std::uint64_t closings = 0;           // of that device, when the thread set it
  AclCode last_error = AclCode::kSuccess;
};

// aclrtMemcpyKind.
enum class AclCopyKind : std::uint32_t {
  kHostToHost = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 3,
  kDefault = 4,  // each side is device memory if its address lies in the machine's slice
};

// aclrtHostRegisterType, one value, not a mask.
inline constexpr std::uint32_t kAclHostRegisterMapped = 0;
inline constexpr std::uint32_t kAclHostRegisterIoMemory = 4;
inline constexpr std::uint32_t kAclHostRegisterReadOnly = 8;
// Flags of aclrtHostRegisterV2, a mask.
inline constexpr std::uint32_t kAclHostRegV2Mapped = 2;
inline constexpr std::uint32_t kAclHostRegV2IoMemory = 4;
inline constexpr std::uint32_t kAclHostRegV2ReadOnly = 8;
inline constexpr std::uint32_t kAclHostRegV2Pinned = 0x10000000;

// Every function that returns an AclCode also leaves a failure in its thread's last_error. On failure no out parameter
// is written. "Needs a device": kNoDeviceSet unless the thread has set one that is still open. What the driver refuses
// comes back as acl_code() says. Out pointers must be writable when they are not null; every other address may be
// anything, if the machine's HostMemory checks what it touches.
class AclRuntime {
 public:
  // `visible_devices`: the driver's ids (0 to 65) of the devices that the process may use, without repetition; their
  // places in the list are the ids of the ACL layer. `machine` is borrowed for the runtime's life.
  explicit AclRuntime(Machine& machine, std::vector<std::uint32_t> visible_devices = {0});
  AclRuntime(const AclRuntime&) = delete;
  AclRuntime& operator=(const AclRuntime&) = delete;
  // Frees what malloc_host() gave and nobody freed. Leaves devices open: process exit closes them.
  ~AclRuntime() = default;

  // aclInit, aclFinalize. The configuration file is not read. kRepeatInitialize when initialized, kUninitialized when
  // not. No other call asks for it.
  [[nodiscard]] AclCode init(AclThread& thread);
  [[nodiscard]] AclCode finalize(AclThread& thread);

  // aclrtSetDevice: opens the device as the ACL runtime does (halSupportFeature(11), U1), counts one use of it and
  // makes it the thread's. kInvalidDevice for an id outside the visible list.
  [[nodiscard]] AclCode set_device(AclThread& thread, std::int32_t device_id);
  // aclrtResetDevice: counts one use less; kNoDeviceSet when nobody uses it. After the last one the thread has no
  // current device. The machine has one memory for all its devices, so it closes (F3), and host registrations are
  // forgotten, with the last use of all of them.
  [[nodiscard]] AclCode reset_device(AclThread& thread, std::int32_t device_id);
  // aclrtGetLogicDevIdByUserDevId: from the id of ACL calls to the one that hal calls take.
  [[nodiscard]] AclCode get_logic_device(AclThread& thread, std::int32_t user_device, std::int32_t* logic_device);

  // aclrtMalloc, aclrtMallocAlign32; any `policy`, see AclMallocPolicy. Need a device.
  [[nodiscard]] AclCode malloc(AclThread& thread, void** device, std::uint64_t size, std::uint32_t policy);
  [[nodiscard]] AclCode malloc_align32(AclThread& thread, void** device, std::uint64_t size, std::uint32_t policy);
  // aclrtFree. Needs a device.
  [[nodiscard]] AclCode free(AclThread& thread, void* device);

  // aclrtMemcpy: null kInvalidParam; then `count` 0 is kSuccess; then `count` above `capacity` or an unknown kind
  // kParamInvalid. Needs a device. Host memory that cannot be touched: kInvalidHandle, with part of it copied.
  [[nodiscard]] AclCode memcpy(AclThread& thread, void* to, std::uint64_t capacity, const void* from,
                               std::uint64_t count, std::uint32_t kind);
  // aclrtMemset, of device or host memory: null or count 0 kInvalidParam, `count` above `capacity` kParamInvalid; the
  // low byte of `value` is stored. Needs a device.
  [[nodiscard]] AclCode memset(AclThread& thread, void* to, std::uint64_t capacity, std::int32_t value,
                               std::uint64_t count);

  // aclrtMallocHost: zeroed memory of the process, aligned to a page, until free_host() or the runtime's end. Needs a
  // device. aclrtFreeHost: kParamInvalid for anything but such an address.
  [[nodiscard]] AclCode malloc_host(AclThread& thread, void** host, std::uint64_t size);
  [[nodiscard]] AclCode free_host(AclThread& thread, void* host);

  // aclrtHostRegister: host memory for the device, which sees it at *device. Unknown types kParamInvalid, pages that
  // are not there kInvalidHandle. Needs a device.
  [[nodiscard]] AclCode host_register(AclThread& thread, void* host, std::uint64_t size, std::uint32_t type,
                                      void** device);
  // aclrtHostRegisterV2: the same without the address; kHostMemoryRegistered when any byte is registered. Unknown bits
  // and no bit at all are kParamInvalid.
  [[nodiscard]] AclCode host_register_v2(AclThread& thread, void* host, std::uint64_t size, std::uint32_t flags);
  // aclrtHostUnregister: kHostMemoryNotRegistered for anything but the start of a registration, without asking the
  // driver. Needs no device.
  [[nodiscard]] AclCode host_unregister(AclThread& thread, void* host);
  // aclrtHostGetDevicePointer: where the device sees registered host memory, by its exact start, else kParamInvalid.
  // `flag` is 0, anything else kParamInvalid. Needs a device.
  [[nodiscard]] AclCode host_get_device_pointer(AclThread& thread, void* host, void** device, std::uint32_t flag);

  // aclrtGetSocName: a text that lives as long as the process.
  [[nodiscard]] const char* soc_name() const;
  // aclrtGetLastError: the thread's last failure, which it forgets. Level 0 (this thread) is the only one; others
  // answer kInvalidParam and forget nothing.
  [[nodiscard]] AclCode get_last_error(AclThread& thread, std::int32_t level) const;

 private:
  struct Registration {
    std::uint64_t size = 0;
    std::uint32_t device_id = 0;  // the driver's
    void* device_address = nullptr;
  };
  using Lock = std::lock_guard<std::mutex>;

  // Under the lock, without the thread's last error.
  AclCode try_malloc(const AclThread& thread, void** device, std::uint64_t size, std::uint32_t policy,
                     AclPadding padding);
  AclCode try_memcpy(const AclThread& thread, void* to, std::uint64_t capacity, const void* from, std::uint64_t count,
                     std::uint32_t kind);
  AclCode try_memset(const AclThread& thread, void* to, std::uint64_t capacity, std::int32_t value,
                     std::uint64_t count);
  AclCode try_malloc_host(const AclThread& thread, void** host, std::uint64_t size);
  AclCode try_host_register(const AclThread& thread, void* host, std::uint64_t size, bool known_flags,
                            std::uint32_t flag, void** device);
  AclCode try_host_get_device_pointer(const AclThread& thread, void* host, void** device, std::uint32_t flag);

  [[nodiscard]] std::optional<std::uint32_t> visible_index(std::int32_t device_id) const;
  // The driver's id of the thread's device, if that is open.
  [[nodiscard]] std::optional<std::uint32_t> open_device(const AclThread& thread) const;

  Machine& machine_;
  const std::vector<std::uint32_t> visible_devices_;
  std::mutex mutex_;
  bool initialized_ = false;
  bool register_query_ = false;                        // halSupportFeature(11) said yes
  std::vector<std::uint64_t> uses_;                    // of each visible device
  std::vector<std::uint64_t> closings_;                // how often its last use ended
  std::map<std::uint64_t, Registration> registered_;   // by host address
  std::map<std::uint64_t, MappedRegion> host_memory_;  // of malloc_host(), by address
};

}  // namespace svmsim
