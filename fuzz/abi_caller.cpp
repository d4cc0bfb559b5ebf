// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "fuzz/abi_codes.h"
#include "sim/dropin/implementation.h"

namespace svmsim {

AbiCaller::AbiCaller(std::string name, const AbiWorld& world, AbiBooks& books)
    : name_(std::move(name)), world_(world), books_(books) {
  made_.reserve(kMostAbiCalls);
}

void AbiCaller::fail(const std::string& what) const {
  std::string text = fmt::format("abi: platform '{}', {}:\n", world_.platform.name, name_);
  for (const Made& one : made_) {
    text += fmt::format("  {}(", name_of(one.function));
    for (std::size_t i = 0; i < one.arguments; ++i) text += fmt::format("{}{:#x}", i == 0 ? "" : ", ", one.values[i]);
    text += fmt::format(") -> {}\n", one.answer);
  }
  // What is wrong stands first and last: a reader of the end of a log sees it too.
  std::fprintf(stderr, "abi: %s\n%sabi: %s\n", what.c_str(), text.c_str(), what.c_str());
  std::abort();
}

void AbiCaller::call(const AbiCall& call) {
  const bool v3 = world_.platform.personality == Personality::kV3;
  if (v3 && call.function == AbiFunction::halMemHostGetDevPointer) return;  // U5: the library does not have it
  AbiArguments given(call, books_, world_.slice, world_.at_once);
  given_ = &given;
  made_.push_back({call.function, {}, 0, -1});
  if (name_of(call.function).starts_with("acl")) {
    acl_call(call.function, given);
  } else {
    hal_call(call.function, given);
  }
  given_ = nullptr;
}

std::int32_t AbiCaller::answered(std::int32_t code) {
  Made& made = made_.back();
  made.values = given_->values();
  made.arguments = given_->drawn();
  made.answer = code;
  const std::string_view name = name_of(made.function);
  if (!may_return(name, world_.platform.personality, code)) {
    fail(fmt::format("{} answered {}, which no rule allows", name, code));
  }
  return code;
}

std::int32_t AbiCaller::acl_answered(std::int32_t code) {
  if (code != 0) last_error_ = code;
  return answered(code);
}

bool AbiCaller::has_device() const {
  return device_ && books_.uses(*device_) > 0 && books_.closings(*device_) == closings_;
}

void AbiCaller::judge_device(std::int32_t code) const {
  if (!exact()) return;
  require(has_device() || code != 0, "the thread has no device, but the call succeeded");
  require(!has_device() || code != 107002, "the thread has a device, but the call misses one");
}

void AbiCaller::judge_new_block(std::uint64_t address, std::uint64_t size) {
  if (exact()) {
    require(address >= world_.slice, "the block lies below device memory");
    require(!books_.touches_block(address, size), "the block overlaps one that is allocated");
  }
  books_.block_allocated(address, size);
  books_.add({HandleKind::kBlock, address, size});
}

}  // namespace svmsim
