// SPDX-License-Identifier: Apache-2.0
// One device through libascendcl.so, which is loaded when the device is opened: its memory, and the driver's id of it.
// The ACL runtime keeps the device that calls are about per thread; each thread that calls here is given it, and loses
// what else it had set. Calls must not overlap, on whatever threads they are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onboard/driver_library.h"
#include "runtime/driver_functions.h"
#include "runtime/units.h"

namespace svmsim {

class AclDevice {
 public:
  // `device`: the id that ACL calls take, 0 or above.
  AclDevice(std::string library, std::int32_t device) : library_(std::move(library)), device_(device) {}

  // aclInit, unless somebody else in the process did, and aclrtSetDevice. Tried once; the answer stays. kLoad; kDriver
  // with what the call answered. Everything below opens first.
  [[nodiscard]] svmrt::Result<void> open();
  [[nodiscard]] bool is_open() const { return opened_ && opened_->has_value(); }
  // Undoes what open() and other threads' first calls did, whatever of it worked; the memory goes with it. Returns a
  // line for each call that failed. Nothing may be called afterwards.
  [[nodiscard]] std::vector<std::string> close();

  // The id that hal calls take: another one where the process may not see all devices.
  [[nodiscard]] svmrt::Result<std::uint32_t> driver_id();

  // By the rules of aclrtMalloc with HUGE_FIRST.
  [[nodiscard]] LibraryAnswer allocate(svmrt::Bytes size, svmrt::DeviceAddr* address);
  [[nodiscard]] LibraryAnswer free(svmrt::DeviceAddr base);
  [[nodiscard]] LibraryAnswer copy_to_device(svmrt::DeviceAddr to, const void* from, svmrt::Bytes size);
  [[nodiscard]] LibraryAnswer copy_from_device(void* to, svmrt::DeviceAddr from, svmrt::Bytes size);
  [[nodiscard]] LibraryAnswer set_memory(svmrt::DeviceAddr to, std::uint8_t value, svmrt::Bytes size);

  [[nodiscard]] const char* allocate_name() const { return malloc_.name(); }
  [[nodiscard]] const char* free_name() const { return free_.name(); }
  [[nodiscard]] const char* copy_name() const { return memcpy_.name(); }
  [[nodiscard]] const char* set_memory_name() const { return memset_.name(); }

 private:
  [[nodiscard]] svmrt::Result<void> try_open();
  // Makes the device the calling thread's.
  [[nodiscard]] svmrt::Result<void> set_device();
  [[nodiscard]] svmrt::Result<void> enter_thread();
  template <typename Signature, typename... Arguments>
  [[nodiscard]] LibraryAnswer call(DriverFunction<Signature>& function, Arguments... arguments);

  DriverLibrary library_;
  const std::int32_t device_;
  DriverFunction<svmrt::AclInit> init_{library_, "aclInit"};
  DriverFunction<svmrt::AclFinalize> finalize_{library_, "aclFinalize"};
  DriverFunction<svmrt::AclrtSetDevice> set_{library_, "aclrtSetDevice"};
  DriverFunction<svmrt::AclrtResetDevice> reset_{library_, "aclrtResetDevice"};
  DriverFunction<svmrt::AclrtMalloc> malloc_{library_, "aclrtMalloc"};
  DriverFunction<svmrt::AclrtFree> free_{library_, "aclrtFree"};
  DriverFunction<svmrt::AclrtMemcpy> memcpy_{library_, "aclrtMemcpy"};
  DriverFunction<svmrt::AclrtMemset> memset_{library_, "aclrtMemset"};
  DriverFunction<svmrt::AclrtGetLogicDevIdByUserDevId> translate_{library_, "aclrtGetLogicDevIdByUserDevId"};

  // What a thread that has this device remembers: it lives as long as the device is open, and no other is the same.
  std::shared_ptr<const bool> mark_ = std::make_shared<const bool>(true);
  std::optional<svmrt::Result<void>> opened_;
  bool initialized_ = false;  // aclInit was this one's
  std::uint64_t sets_ = 0;    // the ACL runtime counts them, so each needs its reset
  std::optional<std::uint32_t> driver_id_;
};

}  // namespace svmsim
