// SPDX-License-Identifier: Apache-2.0
// A driver as a conformance script sees it: the functions of its C interface with the arguments and codes they have
// there, whatever is behind: a simulated driver in process, a drop-in library, a board. Addresses are plain numbers
// here, as a script mixes device and host ones. Implementations are thread-bound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/units.h"
#include "sim/platform.h"

namespace svmsim {

// The functions that a script can call. A shipped library need not have all of them (U5).
enum class HalSymbol : std::uint8_t {
  kMemAlloc,
  kMemFree,
  kHostRegister,
  kHostUnregister,
  kHostUnregisterEx,
  kSupportFeature,
  kMemHostGetDevPointer,
  kMemCtl,
};
// As in the library's symbol table.
[[nodiscard]] std::string_view hal_symbol_name(HalSymbol symbol);

// P1: where the v2 driver places the first ordinary or huge block of a process.
inline constexpr std::uint64_t kDriverFirstBlock = 0x12c000000000;

// What expectations depend on.
struct HalSurroundings {
  Personality personality = Personality::kV2;
  svmrt::Bytes host_page{4096};
  svmrt::Bytes device_page{4096};
  HostKind host = HostKind::kPhysical;
  bool giant_page = true;   // halMemCtl answers GIANT_PAGE
  bool fragmented = false;  // ordinary blocks are not physically contiguous in runs of a host page (R7, v3)
  // kDriverFirstBlock everywhere but in a simulator that has to place device memory elsewhere.
  std::uint64_t first_block = kDriverFirstBlock;
};
// Those of a simulated machine of this platform.
[[nodiscard]] HalSurroundings surroundings_of(const Platform& platform, std::uint64_t first_block = kDriverFirstBlock);

// The 16 bytes that halMemCtl(SUPPORT_FEATURE) reads and writes.
struct MemCtlFeatures {
  std::uint64_t mask = 0;
  std::uint32_t device_id = 0;
};

class HalPort {
 public:
  HalPort() = default;
  HalPort(const HalPort&) = delete;
  HalPort& operator=(const HalPort&) = delete;
  virtual ~HalPort() = default;

  [[nodiscard]] virtual HalSurroundings surroundings() const = 0;
  [[nodiscard]] virtual bool has(HalSymbol symbol) = 0;
  // What stands in the way of an answer since begin_case(), such as "a process that died of SIGSEGV"; empty as long as
  // every call was answered. Once it is not, what the calls below return means nothing until the next begin_case().
  [[nodiscard]] virtual std::string failure() const { return {}; }

  // The state of a process that has just opened device 0: no block, no mapping, no cached memory, no feature asked
  // for. Where the library keeps state per process this takes a new process.
  virtual void begin_case() = 0;
  // Closes device 0 and opens it again in the same process (F3). What is there in place of an ACL runtime that could;
  // empty when it did.
  [[nodiscard]] virtual std::string reopen_device() = 0;
  // 16 pages of the host's own memory, aligned to the host page, outside of every SVM range; the port's own.
  [[nodiscard]] virtual std::uint64_t host_memory() = 0;

  // The C functions. Precondition: has() says yes. Pointers may be null, as in C.
  [[nodiscard]] virtual std::int32_t mem_alloc(std::uint64_t* address, std::uint64_t size, std::uint64_t flag) = 0;
  [[nodiscard]] virtual std::int32_t mem_free(std::uint64_t address) = 0;
  [[nodiscard]] virtual std::int32_t host_register(std::uint64_t source, std::uint64_t size, std::uint32_t flag,
                                                   std::uint32_t device_id, std::uint64_t* host) = 0;
  [[nodiscard]] virtual std::int32_t host_unregister(std::uint64_t source, std::uint32_t device_id) = 0;
  [[nodiscard]] virtual std::int32_t host_unregister_ex(std::uint64_t source, std::uint32_t device_id,
                                                        std::uint32_t flag) = 0;
  [[nodiscard]] virtual bool support_feature(std::uint32_t device_id, std::int32_t type) = 0;
  [[nodiscard]] virtual std::int32_t mem_host_get_dev_pointer(std::uint64_t host, std::uint32_t device_id,
                                                              std::uint64_t* address) = 0;
  // halMemCtl with the sizes of MemCtlFeatures.
  [[nodiscard]] virtual std::int32_t mem_ctl(std::int32_t type, const MemCtlFeatures* in, MemCtlFeatures* out) = 0;
};

}  // namespace svmsim
