// SPDX-License-Identifier: Apache-2.0
// The C layer of libascendcl.so over the ACL runtime.
#include "sim/dropin/implementation.h"
#include "sim/dropin/out_pointer.h"
#include "sim/dropin/process.h"

namespace svmsim {
namespace {

AclThread& this_thread() {
  static thread_local AclThread thread;
  return thread;
}

// Assumption: in a forked child every call is a driver error, whatever it asks.
AclCode acl_refused_in_child(const Simulation& /*simulation*/) { return AclCode::kDriverError; }

// `call(runtime, thread)`.
template <typename Call>
std::int32_t acl_call(Call call) {
  const auto own = [&](Simulation& simulation) { return call(simulation.acl(), this_thread()); };
  return code_number(Process::instance().call(own, acl_refused_in_child));
}

// The same for a call that gives a value away: `call(runtime, thread, out)`, where `out` is null unless the program's
// pointer can be written.
template <typename T, typename Call>
std::int32_t acl_call_into(T* out, Call call) {
  T value{};
  T* const given = is_writable(out, sizeof value) ? &value : nullptr;
  const std::int32_t code = acl_call([&](AclRuntime& acl, AclThread& thread) { return call(acl, thread, given); });
  if (code == code_number(AclCode::kSuccess) && given != nullptr) put(out, value);
  return code;
}

}  // namespace
}  // namespace svmsim

using namespace svmsim;

std::int32_t svmsim_aclInit(const char* /*config_path: not read*/) {
  return acl_call([](AclRuntime& acl, AclThread& thread) { return acl.init(thread); });
}

std::int32_t svmsim_aclFinalize() {
  return acl_call([](AclRuntime& acl, AclThread& thread) { return acl.finalize(thread); });
}

std::int32_t svmsim_aclrtSetDevice(std::int32_t device_id) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.set_device(thread, device_id); });
}

std::int32_t svmsim_aclrtResetDevice(std::int32_t device_id) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.reset_device(thread, device_id); });
}

std::int32_t svmsim_aclrtMalloc(void** device, std::size_t size, std::uint32_t policy) {
  return acl_call_into(
      device, [=](AclRuntime& acl, AclThread& thread, void** out) { return acl.malloc(thread, out, size, policy); });
}

std::int32_t svmsim_aclrtMallocAlign32(void** device, std::size_t size, std::uint32_t policy) {
  return acl_call_into(device, [=](AclRuntime& acl, AclThread& thread, void** out) {
    return acl.malloc_align32(thread, out, size, policy);
  });
}

std::int32_t svmsim_aclrtFree(void* device) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.free(thread, device); });
}

std::int32_t svmsim_aclrtMemcpy(void* to, std::size_t capacity, const void* from, std::size_t count,
                                std::uint32_t kind) {
  return acl_call(
      [=](AclRuntime& acl, AclThread& thread) { return acl.memcpy(thread, to, capacity, from, count, kind); });
}

std::int32_t svmsim_aclrtMemset(void* to, std::size_t capacity, std::int32_t value, std::size_t count) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.memset(thread, to, capacity, value, count); });
}

std::int32_t svmsim_aclrtMallocHost(void** host, std::size_t size) {
  return acl_call_into(
      host, [=](AclRuntime& acl, AclThread& thread, void** out) { return acl.malloc_host(thread, out, size); });
}

std::int32_t svmsim_aclrtFreeHost(void* host) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.free_host(thread, host); });
}

std::int32_t svmsim_aclrtHostRegister(void* host, std::uint64_t size, std::uint32_t type, void** device) {
  return acl_call_into(device, [=](AclRuntime& acl, AclThread& thread, void** out) {
    return acl.host_register(thread, host, size, type, out);
  });
}

std::int32_t svmsim_aclrtHostRegisterV2(void* host, std::uint64_t size, std::uint32_t flags) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.host_register_v2(thread, host, size, flags); });
}

std::int32_t svmsim_aclrtHostUnregister(void* host) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.host_unregister(thread, host); });
}

std::int32_t svmsim_aclrtHostGetDevicePointer(void* host, void** device, std::uint32_t flag) {
  return acl_call_into(device, [=](AclRuntime& acl, AclThread& thread, void** out) {
    return acl.host_get_device_pointer(thread, host, out, flag);
  });
}

// The text lives as long as the process, and the same in its children.
const char* svmsim_aclrtGetSocName() {
  const auto name = [](const Simulation& simulation) { return simulation.acl().soc_name(); };
  return Process::instance().call(name, name);
}

std::int32_t svmsim_aclrtGetLastError(std::int32_t level) {
  return acl_call([=](AclRuntime& acl, AclThread& thread) { return acl.get_last_error(thread, level); });
}

std::int32_t svmsim_aclrtGetLogicDevIdByUserDevId(std::int32_t user_device, std::int32_t* logic_device) {
  return acl_call_into(logic_device, [=](AclRuntime& acl, AclThread& thread, std::int32_t* out) {
    return acl.get_logic_device(thread, user_device, out);
  });
}
