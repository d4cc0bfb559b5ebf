// SPDX-License-Identifier: Apache-2.0
// The calls of libascendcl.so.
#include <algorithm>
#include <cstring>

#include "fuzz/abi_caller.h"
#include "fuzz/abi_judge.h"
#include "sim/dropin/implementation.h"

namespace svmsim {

namespace {

constexpr std::uint32_t kHostToHost = 0;
constexpr std::uint32_t kByAddress = 4;
constexpr std::uint64_t kMostHostToHost = std::uint64_t{1} << 20;
constexpr std::uint32_t kMappedV2 = 2;

bool known_device(std::int32_t id) { return id >= 0 && id < static_cast<std::int32_t>(AbiBooks::kDevices); }
std::uint64_t address_number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

void AbiCaller::acl_call(AbiFunction function, AbiArguments& given) {
  switch (function) {
    case AbiFunction::aclInit: {
      const auto* const path = static_cast<const char*>(given.address(Usual::kArena));
      const bool before = books_.initialized();
      const std::int32_t code = acl_answered(svmsim_aclInit(path));
      if (exact()) require(before == (code != 0), "100002 is for a second aclInit alone");
      return books_.set_initialized(true);
    }
    case AbiFunction::aclFinalize: {
      const bool before = books_.initialized();
      const std::int32_t code = acl_answered(svmsim_aclFinalize());
      if (exact()) require(before == (code == 0), "100001 is for aclFinalize without aclInit alone");
      return books_.set_initialized(false);
    }
    case AbiFunction::aclrtSetDevice:
      return set_device(given);
    case AbiFunction::aclrtResetDevice:
      return reset_device(given);
    case AbiFunction::aclrtMalloc:
    case AbiFunction::aclrtMallocAlign32:
      return acl_malloc(function, given);
    case AbiFunction::aclrtFree:
      return acl_free(given);
    case AbiFunction::aclrtMemcpy:
      return copy(given);
    case AbiFunction::aclrtMemset:
      return set_memory(given);
    case AbiFunction::aclrtMallocHost:
      return malloc_host(given);
    case AbiFunction::aclrtFreeHost:
      return free_host(given);
    case AbiFunction::aclrtHostRegister:
      return acl_register(given);
    case AbiFunction::aclrtHostRegisterV2: {
      void* const host = given.address(Usual::kArena);
      const std::uint64_t size = given.size();
      judge_device(acl_answered(svmsim_aclrtHostRegisterV2(host, size, given.number(kMappedV2))));
      return;
    }
    case AbiFunction::aclrtHostUnregister:
      acl_answered(svmsim_aclrtHostUnregister(given.address(Usual::kArena)));
      return;
    case AbiFunction::aclrtHostGetDevicePointer: {
      void* const host = given.address(Usual::kArena);
      AbiOut<void*> out(given.out());
      const std::int32_t code = acl_answered(svmsim_aclrtHostGetDevicePointer(host, out.pointer(), given.number(0)));
      judge(code, out);
      return judge_device(code);
    }
    case AbiFunction::aclrtGetSocName: {
      const char* const name = svmsim_aclrtGetSocName();
      answered(0);
      const bool v3 = world_.platform.personality == Personality::kV3;
      return require(std::strcmp(name, v3 ? "Ascend950" : "Ascend910B1") == 0, "another name of the device");
    }
    case AbiFunction::aclrtGetLastError:
      return last_error(given);
    case AbiFunction::aclrtGetLogicDevIdByUserDevId:
      return logic_device(given);
    default:
      fail("a function without a call");
  }
}

void AbiCaller::set_device(AbiArguments& given) {
  const std::int32_t id = given.device_id();
  const std::int32_t code = acl_answered(svmsim_aclrtSetDevice(id));
  require(known_device(id) == (code == 0), "107001 is for an id that is not visible, and for nothing else");
  if (code != 0) return;
  const auto device = static_cast<std::size_t>(id);
  books_.device_set(device);
  device_ = device;
  closings_ = books_.closings(device);
}

void AbiCaller::reset_device(AbiArguments& given) {
  const std::int32_t id = given.device_id();
  const std::uint64_t uses = known_device(id) ? books_.uses(static_cast<std::size_t>(id)) : 0;
  const std::int32_t code = acl_answered(svmsim_aclrtResetDevice(id));
  require(known_device(id) == (code != 107001), "107001 is for an id that is not visible, and for nothing else");
  if (exact() && known_device(id)) require((uses == 0) == (code == 107002), "107002 is for a device that nobody uses");
  if (exact() && code == 0) books_.device_reset(static_cast<std::size_t>(id));
}

void AbiCaller::acl_malloc(AbiFunction function, AbiArguments& given) {
  AbiOut<void*> out(given.out());
  const std::uint64_t size = given.size();
  const std::uint32_t policy = given.number(0);
  const std::int32_t code =
      acl_answered(function == AbiFunction::aclrtMalloc ? svmsim_aclrtMalloc(out.pointer(), size, policy)
                                                        : svmsim_aclrtMallocAlign32(out.pointer(), size, policy));
  judge(code, out);
  judge_device(code);
  require((size == 0 || !out.usable()) == (code == 100000), "100000 is for null and size 0");
  if (code == 0) judge_new_block(address_number(out.value()), size);
}

void AbiCaller::acl_free(AbiArguments& given) {
  void* const address = given.address(Usual::kBlock);
  const bool lives = books_.is_block(address_number(address));
  const std::int32_t code = acl_answered(svmsim_aclrtFree(address));
  judge_device(code);
  require((address == nullptr) == (code == 100000), "100000 is for null");
  if (exact() && code != 107002) require(lives == (code == 0 || code == 507899), "P5: 107000 is for what is no block");
  if (code == 0) books_.block_freed(address_number(address));
}

void AbiCaller::copy(AbiArguments& given) {
  const Destination to = given.destination(Usual::kBlock);
  const std::uint64_t capacity = given.count();
  const void* const from = given.address(Usual::kArena);
  std::uint64_t count = std::min(given.count(), to.room);
  const std::uint32_t kind = given.number(kByAddress);
  // Unmapped device memory can be touched with some backings, all of it.
  if (kind == kHostToHost) count = std::min(count, kMostHostToHost);
  const std::int32_t code = acl_answered(svmsim_aclrtMemcpy(to.address, capacity, from, count, kind));
  require((to.address == nullptr || from == nullptr) == (code == 100000), "100000 is for null");
  if (code == 100000) return;
  require(count != 0 || code == 0, "a copy of no bytes fails");
  if (count != 0) judge_device(code);
  require(code != 0 || count <= capacity, "it copied more than there is room for");
}

void AbiCaller::set_memory(AbiArguments& given) {
  const Destination to = given.destination(Usual::kBlock);
  const std::uint64_t capacity = given.count();
  const auto value = static_cast<std::int32_t>(given.number(0xa5));
  const std::uint64_t count = std::min(given.count(), to.room);
  const std::int32_t code = acl_answered(svmsim_aclrtMemset(to.address, capacity, value, count));
  require((to.address == nullptr || count == 0) == (code == 100000), "100000 is for null and count 0");
  judge_device(code);
  require(code != 0 || count <= capacity, "it set more than there is room for");
}

void AbiCaller::malloc_host(AbiArguments& given) {
  AbiOut<void*> out(given.out());
  const std::uint64_t size = given.size();
  const std::int32_t code = acl_answered(svmsim_aclrtMallocHost(out.pointer(), size));
  judge(code, out);
  judge_device(code);
  if (code != 0) return;
  const std::uint64_t address = address_number(out.value());
  if (exact()) require(!books_.is_host_block(address), "the host memory is that of a call before");
  books_.host_block_allocated(address);
  books_.add({HandleKind::kHostBlock, address, size});
}

void AbiCaller::free_host(AbiArguments& given) {
  void* const address = given.address(Usual::kHostBlock);
  const bool lives = books_.is_host_block(address_number(address));
  const std::int32_t code = acl_answered(svmsim_aclrtFreeHost(address));
  if (!exact()) return;
  require(lives == (code == 0), "107000 is for what aclrtMallocHost did not give");
  books_.host_block_freed(address_number(address));
}

void AbiCaller::acl_register(AbiArguments& given) {
  void* const host = given.address(Usual::kArena);
  const std::uint64_t size = given.size();
  const std::uint32_t type = given.number(0);
  AbiOut<void*> out(given.out());
  const std::int32_t code = acl_answered(svmsim_aclrtHostRegister(host, size, type, out.pointer()));
  judge(code, out);
  judge_device(code);
  if (code == 0) books_.add({HandleKind::kSeen, address_number(out.value()), size});
}

void AbiCaller::last_error(AbiArguments& given) {
  const auto level = static_cast<std::int32_t>(given.number(0));
  const std::int32_t code = answered(svmsim_aclrtGetLastError(level));
  if (level != 0) return require(code == 100000, "a level other than 0 is 100000");
  require(code == last_error_, "another error than the thread's last");
  last_error_ = 0;
}

void AbiCaller::logic_device(AbiArguments& given) {
  const std::int32_t id = given.device_id();
  AbiOut<std::int32_t> out(given.out());
  const std::int32_t code = acl_answered(svmsim_aclrtGetLogicDevIdByUserDevId(id, out.pointer()));
  judge(code, out);
  require(out.usable() || code == 100000, "null is 100000");
  if (out.usable()) require(known_device(id) == (code == 0), "107001 is for an id that is not visible");
  if (code != 0) return;
  const auto logic = static_cast<std::uint32_t>(out.value());
  require(logic == kAbiDevices[static_cast<std::size_t>(id)], "another device than the environment's");
}

}  // namespace svmsim
