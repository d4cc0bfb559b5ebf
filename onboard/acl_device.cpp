// SPDX-License-Identifier: Apache-2.0
#include "onboard/acl_device.h"

#include <fmt/format.h>

#include "onboard/acl_code.h"
#include "runtime/journal.h"

namespace svmsim {

using svmrt::DriverCode;

namespace {

constexpr std::uint32_t kHugeFirst = 0;
// aclrtMemcpyKind.
constexpr std::uint32_t kHostToDevice = 1;
constexpr std::uint32_t kDeviceToHost = 2;

void* acl_pointer(svmrt::DeviceAddr address) { return reinterpret_cast<void*>(address.value()); }

std::string failed_call(const char* function, const std::string& arguments, DriverCode code) {
  return fmt::format("{}({}) failed with {}", function, arguments, svmrt::code_text(code));
}

svmrt::Result<void> refused(const char* function, const std::string& arguments, DriverCode code) {
  return svmrt::fail(svmrt::ErrorCode::kDriver, failed_call(function, arguments, code), code);
}

// The mark of the device that this thread set last. The ACL runtime's own state is per thread, so this is too.
std::weak_ptr<const bool>& device_of_this_thread() {
  static thread_local std::weak_ptr<const bool> mark;
  return mark;
}

}  // namespace

svmrt::Result<void> AclDevice::open() {
  if (!opened_) opened_ = try_open();
  return *opened_;
}

svmrt::Result<void> AclDevice::try_open() {
  const auto& init = init_.get();
  if (!init) return tl::unexpected(init.error());
  // What is opened must be closed again, so the way back is looked up before the way in is taken.
  if (const auto& finalize = finalize_.get(); !finalize) return tl::unexpected(finalize.error());
  if (const auto& reset = reset_.get(); !reset) return tl::unexpected(reset.error());
  const std::int32_t code = (*init)(nullptr);
  initialized_ = code == 0;
  if (!initialized_ && code != kAclRepeatInitialize) return refused(init_.name(), "", driver_code_of_acl(code));
  return set_device();
}

svmrt::Result<void> AclDevice::set_device() {
  const auto& set = set_.get();
  if (!set) return tl::unexpected(set.error());
  const DriverCode code = driver_code_of_acl((*set)(device_));
  if (code != DriverCode::kNone) return refused(set_.name(), std::to_string(device_), code);
  ++sets_;
  device_of_this_thread() = mark_;
  return {};
}

svmrt::Result<void> AclDevice::enter_thread() {
  if (svmrt::Result<void> opened = open(); !opened) return opened;
  return device_of_this_thread().lock() == mark_ ? svmrt::Result<void>() : set_device();
}

std::vector<std::string> AclDevice::close() {
  std::vector<std::string> failures;
  const auto note = [&](const char* function, const std::string& arguments, std::int32_t code) {
    if (code != 0) failures.push_back(failed_call(function, arguments, driver_code_of_acl(code)));
  };
  for (; sets_ > 0; --sets_) note(reset_.name(), std::to_string(device_), (*reset_.get())(device_));
  if (initialized_) note(finalize_.name(), "", (*finalize_.get())());
  initialized_ = false;
  mark_.reset();
  opened_ = svmrt::fail(svmrt::ErrorCode::kFinalized, "the device was closed", DriverCode::kUninit);
  return failures;
}

svmrt::Result<std::uint32_t> AclDevice::driver_id() {
  if (driver_id_) return *driver_id_;
  std::int32_t id = -1;
  const LibraryAnswer answer = call(translate_, device_, &id);
  if (!answer) return tl::unexpected(answer.error());
  if (*answer != DriverCode::kNone) {
    return tl::unexpected(refused(translate_.name(), std::to_string(device_), *answer).error());
  }
  if (id < 0) {
    return svmrt::fail(svmrt::ErrorCode::kDriver,
                       fmt::format("{}({}) gave device id '{}'; it must be 0 or above", translate_.name(), device_, id),
                       DriverCode::kInvalidDevice);
  }
  driver_id_ = static_cast<std::uint32_t>(id);
  return *driver_id_;
}

template <typename Signature, typename... Arguments>
LibraryAnswer AclDevice::call(DriverFunction<Signature>& function, Arguments... arguments) {
  if (svmrt::Result<void> entered = enter_thread(); !entered) return tl::unexpected(std::move(entered.error()));
  const auto& found = function.get();
  if (!found) return tl::unexpected(found.error());
  return driver_code_of_acl((*found)(arguments...));
}

LibraryAnswer AclDevice::allocate(svmrt::Bytes size, svmrt::DeviceAddr* address) {
  void* device = nullptr;
  LibraryAnswer answer = call(malloc_, &device, size.count(), kHugeFirst);
  *address = svmrt::DeviceAddr(reinterpret_cast<std::uint64_t>(device));
  return answer;
}

LibraryAnswer AclDevice::free(svmrt::DeviceAddr base) { return call(free_, acl_pointer(base)); }

LibraryAnswer AclDevice::copy_to_device(svmrt::DeviceAddr to, const void* from, svmrt::Bytes size) {
  return call(memcpy_, acl_pointer(to), size.count(), from, size.count(), kHostToDevice);
}

LibraryAnswer AclDevice::copy_from_device(void* to, svmrt::DeviceAddr from, svmrt::Bytes size) {
  return call(memcpy_, to, size.count(), acl_pointer(from), size.count(), kDeviceToHost);
}

LibraryAnswer AclDevice::set_memory(svmrt::DeviceAddr to, std::uint8_t value, svmrt::Bytes size) {
  return call(memset_, acl_pointer(to), size.count(), std::int32_t{value}, size.count());
}

}  // namespace svmsim
