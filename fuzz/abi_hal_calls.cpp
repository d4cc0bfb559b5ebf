// SPDX-License-Identifier: Apache-2.0
// The calls of libascend_hal.so and libdrvdsmi_host.so.
#include <cstring>

#include "fuzz/abi_caller.h"
#include "fuzz/abi_judge.h"
#include "sim/dropin/implementation.h"

namespace svmsim {

namespace {

// What halMemCtl reads and writes.
struct CtlFeatures {
  std::uint64_t mask = 0;
  std::uint32_t device_id = 0;
  std::uint32_t padding = 0;
};

constexpr std::uint32_t kDevices = 66;  // the driver's ids are 0 to 65
constexpr std::uint32_t kMapDeviceToHost = 2;

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// Features that are named are there, everything else is not; v3 has no 11.
bool has_feature(Personality personality, std::uint32_t device_id, std::int32_t type) {
  if (device_id >= kDevices) return false;
  return type == 2 || type == 6 || type == 8 || type == 12 || (type == 11 && personality != Personality::kV3);
}

}  // namespace

void AbiCaller::hal_call(AbiFunction function, AbiArguments& given) {
  const Personality personality = world_.platform.personality;
  switch (function) {
    case AbiFunction::halHostRegister:
      return host_register(given);
    case AbiFunction::halHostUnregister: {
      void* const source = given.address(Usual::kBlock);
      answered(svmsim_halHostUnregister(source, static_cast<std::uint32_t>(given.device_id())));
      return;
    }
    case AbiFunction::halHostUnregisterEx: {
      void* const source = given.address(Usual::kBlock);
      const auto device_id = static_cast<std::uint32_t>(given.device_id());
      answered(svmsim_halHostUnregisterEx(source, device_id, given.register_flag()));
      return;
    }
    case AbiFunction::halHostRegisterCapabilities:
      answered(svmsim_halHostRegisterCapabilities());
      return;
    case AbiFunction::halMemHostGetDevPointer: {
      void* const source = given.address(Usual::kArena);
      const auto device_id = static_cast<std::uint32_t>(given.device_id());
      AbiOut<void*> out(given.out());
      judge(answered(svmsim_halMemHostGetDevPointer(source, device_id, out.pointer())), out);
      return;
    }
    case AbiFunction::halMemAlloc:
      return mem_alloc(given);
    case AbiFunction::halMemFree: {
      void* const address = given.address(Usual::kBlock);
      const bool lives = books_.is_block(number_of(address));
      const std::int32_t code = answered(svmsim_halMemFree(address));
      if (exact()) require(lives == (code != 3), "P5: 3 is for what is no block, and for nothing else");
      if (code == 0) books_.block_freed(number_of(address));
      return;
    }
    case AbiFunction::halMemAgentOpen: {
      const auto device_id = static_cast<std::uint32_t>(given.device_id());
      const std::uint32_t flag = given.number(0);
      const std::int32_t code = answered(svmsim_halMemAgentOpen(device_id, flag));
      require(code == (device_id >= kDevices ? 2 : flag != 0 ? 65534 : 0), "the rule says another code");
      return;
    }
    case AbiFunction::halMemCtl:
      return mem_ctl(given);
    case AbiFunction::halSupportFeature: {
      const auto device_id = static_cast<std::uint32_t>(given.device_id());
      const auto type = static_cast<std::int32_t>(given.number(11));
      const bool supported = svmsim_halSupportFeature(device_id, type);
      answered(0);
      if (personality == Personality::kIdentity) return;
      require(supported == has_feature(personality, device_id, type), "the rule says otherwise of this feature");
      return;
    }
    case AbiFunction::svmsim_now_ns:
      return now();
    case AbiFunction::dsmi_get_version:
      return get_version(given);
    default:
      fail("a function without a call");
  }
}

void AbiCaller::host_register(AbiArguments& given) {
  void* const source = given.address(Usual::kBlock);
  const std::uint64_t size = given.size();
  const std::uint32_t flag = given.register_flag();
  const auto device_id = static_cast<std::uint32_t>(given.device_id());
  AbiOut<void*> out(given.out());
  const std::int32_t code = answered(svmsim_halHostRegister(source, size, flag, device_id, out.pointer()));
  judge(code, out);
  if (!out.usable()) require(code == 3 || code == 65534, "R2: a null destination comes after the type alone");
  if (code != 0) return;
  const bool view = (flag & 0xffff) == kMapDeviceToHost;
  const bool identity = !view || world_.platform.non_identity || out.value() == source;
  require(identity, "R1: the view is not at the device address");
  books_.add({view ? HandleKind::kView : HandleKind::kSeen, number_of(out.value()), size});
}

void AbiCaller::mem_alloc(AbiArguments& given) {
  AbiOut<void*> out(given.out());
  const std::uint64_t size = given.size();
  const std::uint64_t flag = given.alloc_flag();
  const std::int32_t code = answered(svmsim_halMemAlloc(out.pointer(), size, flag));
  judge(code, out);
  require(code != 0 || size != 0, "P2: a block of no bytes");
  if (code == 0) judge_new_block(number_of(out.value()), size);
}

void AbiCaller::mem_ctl(AbiArguments& given) {
  const auto type = static_cast<std::int32_t>(given.number(2));
  // Which also says what the buffers hold.
  const std::uint8_t holds = given.next().which;
  const std::uint32_t devices[] = {0, 5, kDevices, ~0u};
  AbiOut<CtlFeatures> in(given.out(), {holds & 0x3fu, devices[holds >> 6], 0});
  const std::size_t in_size = given.number(sizeof(CtlFeatures));
  AbiOut<CtlFeatures> out(given.out());
  const std::size_t capacities[] = {sizeof(CtlFeatures), sizeof(CtlFeatures) - 1, 0, ~std::size_t{0}};
  const std::size_t capacity = capacities[given.next().which % 4];
  AbiOut<std::size_t> out_size(given.out(), capacity);
  const std::int32_t code = answered(svmsim_halMemCtl(type, in.pointer(), in_size, out.pointer(), out_size.pointer()));
  require(in.untouched(), "it wrote into its input");
  judge(code, out);
  judge(code, out_size);
  if (code != 0) return;
  require(in_size >= sizeof(CtlFeatures) && capacity >= sizeof(CtlFeatures), "a buffer is smaller than 16 bytes");
  require(out_size.value() == sizeof(CtlFeatures), "the size of the output is not 16");
  require((out.value().mask & ~(holds & std::uint64_t{0x3f})) == 0, "more is supported than was asked");
}

void AbiCaller::now() {
  const std::uint64_t time = svmsim_svmsim_now_ns();
  answered(0);
  require(time >= last_now_, "the time went back");
  last_now_ = time;
}

void AbiCaller::get_version(AbiArguments& given) {
  struct Text {
    char bytes[64];
  };
  const std::int32_t device_id = given.device_id();
  AbiOut<Text> text(given.out());
  const std::uint32_t length = given.number(sizeof(Text));
  AbiOut<std::uint32_t> written(given.out());
  char* const to = reinterpret_cast<char*>(text.pointer());
  const std::int32_t code = answered(svmsim_dsmi_get_version(device_id, to, length, written.pointer()));
  require((code == 2) == (static_cast<std::uint32_t>(device_id) >= kDevices), "2 is for a bad device id alone");
  if (code != 0) require(text.untouched() && written.untouched(), "it failed, and wrote");
  if (code != 0) return;
  require(written.usable() && length >= sizeof kAbiVersion, "it succeeded without a place to write to");
  require(written.value() == sizeof kAbiVersion - 1, "another length than the version's");
  // The place that begins just before closed pages holds the version, and so may be written.
  if (text.usable()) require(std::memcmp(text.value().bytes, kAbiVersion, sizeof kAbiVersion) == 0, "another version");
}

}  // namespace svmsim
