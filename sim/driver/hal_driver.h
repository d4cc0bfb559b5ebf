// SPDX-License-Identifier: Apache-2.0
// One device as seen through the driver's C interface, at the level of halMemAlloc and halHostRegister: return
// codes, addresses and state, but no time. A personality (v2, v3, identity) implements it. Costs are priced
// elsewhere from the page counts that each outcome carries. Thread-bound: the machine calls it under its lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/driver_code.h"
#include "runtime/units.h"
#include "sim/backing.h"
#include "sim/platform.h"

namespace svmsim {

using svmrt::DriverCode;

enum class PageKind : std::uint8_t { kOrdinary, kHuge, kGiant };

// "ordinary", "huge" or "giant".
[[nodiscard]] std::string_view page_kind_name(PageKind kind);

// How many pages a map or unmap walked: what the cost model prices.
struct PageWalk {
  std::uint64_t allocation_pages = 0;  // ordinary or huge pages of the block
  std::uint64_t host_pages = 0;        // host page-table entries
};

struct AllocOutcome {
  DriverCode code = DriverCode::kNone;
  DeviceAddr address;
};
struct RegisterOutcome {
  DriverCode code = DriverCode::kNone;
  // What the call's destination receives, only when code is kNone (R1): for DEV_SVM_MAP_HOST the host's address of the
  // mapping, for the types that map host memory (R8) the device's, a number that nothing may follow.
  void* host = nullptr;
  PageWalk walk;  // of a success; zero for a failure
};
struct DevicePointerOutcome {
  DriverCode code = DriverCode::kNone;
  DeviceAddr address;
};
struct UnregisterOutcome {
  DriverCode code = DriverCode::kNone;
  PageWalk walk;
};

// A live block as the caller knows it.
struct BlockInfo {
  DeviceAddr base;
  Bytes size;  // as asked of mem_alloc
  PageKind kind = PageKind::kOrdinary;
};

struct MappedExtent {
  DeviceAddr base;
  Bytes size;  // whole pages
  HostAccess access = HostAccess::kReadWrite;
};

struct MemCtlOutcome {
  DriverCode code = DriverCode::kNone;
  std::uint64_t mask = 0;  // asked and supported (MemCtlMask in hal_flags.h); zero for a failure
};

// Where device memory of one machine lies. `device_base` is the address of the first block and a multiple of
// 2 MiB; memory beyond `device_size` bytes of address is OUT_OF_MEMORY. v2 hands out whole GiB of it per heap, so
// anything under 1 GiB holds nothing. On the true v2 layout: 0x100000000000 + 0x2c000000000, to the end of 8 TiB.
struct AddressLayout {
  DeviceAddr device_base;
  Bytes device_size;
};

class HalDriver {
 public:
  HalDriver() = default;
  HalDriver(const HalDriver&) = delete;
  HalDriver& operator=(const HalDriver&) = delete;
  virtual ~HalDriver() = default;

  // halMemAlloc. A null result pointer is checked by the driver where a zero size is (P2), so that a C layer which
  // got one passes size 0 and reports the code.
  [[nodiscard]] virtual AllocOutcome mem_alloc(std::uint64_t size, std::uint64_t flag) = 0;
  [[nodiscard]] virtual DriverCode mem_free(DeviceAddr base) = 0;
  // halHostRegister with a destination; for a null one see r2_null_destination() in register_rules.h.
  [[nodiscard]] virtual RegisterOutcome host_register(DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                                      std::uint32_t device_id) = 0;
  [[nodiscard]] virtual UnregisterOutcome host_unregister(DeviceAddr source, std::uint32_t device_id) = 0;
  [[nodiscard]] virtual UnregisterOutcome host_unregister_ex(DeviceAddr source, std::uint32_t device_id,
                                                             std::uint32_t flag) = 0;
  // halMemHostGetDevPointer (U5): the device address of registered host memory by its exact start. It never finds a
  // mapping of device memory. v3 has no such symbol: a C layer must not export it there.
  [[nodiscard]] virtual DevicePointerOutcome host_get_device_pointer(std::uint64_t host,
                                                                     std::uint32_t device_id) const = 0;
  [[nodiscard]] virtual bool support_feature(std::uint32_t device_id, std::int32_t type) = 0;
  // halMemCtl of `type` with the mask and device id of its input. The C layer checks its pointers and sizes (3).
  [[nodiscard]] virtual MemCtlOutcome mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const = 0;
  // kNone when [base, base + size) is device memory that a copy may touch, kParaError otherwise.
  [[nodiscard]] virtual DriverCode check_copy(DeviceAddr base, Bytes size) const = 0;
  // F3: every mapping dropped, host memory's too, then every page freed, every record deleted.
  virtual void device_close() = 0;

  // State for observers and tests, in address order.
  [[nodiscard]] virtual std::vector<BlockInfo> live_blocks() const = 0;
  [[nodiscard]] virtual std::vector<MappedExtent> mapped_extents() const = 0;
};

// The driver of a platform. `backing` is borrowed for the driver's life; `platform` is copied. Destroying a driver
// without device_close() leaves its mappings and pages in the backing.
[[nodiscard]] std::unique_ptr<HalDriver> make_hal_driver(const Platform& platform, const AddressLayout& layout,
                                                         Backing& backing);

}  // namespace svmsim
