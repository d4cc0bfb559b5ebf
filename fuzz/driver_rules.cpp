// SPDX-License-Identifier: Apache-2.0
#include "fuzz/driver_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/driver/hal_flags.h"

namespace svmsim {

namespace {

using svmrt::DriverCode;
using Call = DriverCallKind;

constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;  // of segments (P3) and of huge pages
constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40;

std::uint64_t down(std::uint64_t value, std::uint64_t unit) { return value - value % unit; }
std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return down(value + unit - 1, unit); }

PageKind kind_of(const DriverCall& call) {
  return (call.flag & kAllocHuge) != 0 ? PageKind::kHuge : PageKind::kOrdinary;
}

}  // namespace

DriverRules::DriverRules(const Platform& platform, DeviceAddr base, Bytes size)
    : platform_(platform), base_(base.value()), size_(size.count()) {}

// P1: the granularity of a registration.
std::uint64_t DriverRules::page(PageKind kind) const {
  return kind == PageKind::kOrdinary ? platform_.device_page.count() : kUnit;
}

std::uint64_t DriverRules::pages_begin(const Blocks::value_type& block) const {
  return v3() ? block.first : down(block.first, kUnit);
}

std::uint64_t DriverRules::pages_end(const Blocks::value_type& block) const {
  return up(block.first + block.second.size, v3() ? page(block.second.kind) : kUnit);
}

DriverRules::Blocks::const_iterator DriverRules::block_over(std::uint64_t at) const {
  return std::find_if(blocks_.begin(), blocks_.end(),
                      [&](const auto& block) { return pages_begin(block) <= at && at < pages_end(block); });
}

bool DriverRules::mapped(std::uint64_t from, std::uint64_t to) const {
  return std::any_of(mapped_.begin(), mapped_.end(),
                     [&](const auto& mapping) { return mapping.first < to && from < mapping.second.end; });
}

bool DriverRules::mapped_from(std::uint64_t at) const {
  const auto found = mapped_.find(at);
  return found != mapped_.end() && found->second.owned;
}

// R7.
bool DriverRules::can_map(PageKind kind) const {
  const bool write_combine = platform_.host == HostKind::kPhysical;
  return write_combine && (kind != PageKind::kOrdinary || platform_.device_page == platform_.host_page);
}

// F2: a segment above the threshold is never shared, so that the block is the whole of it. With another reuse than the
// driver's nothing is cached.
bool DriverRules::reaches_kernel(const Block& block) const {
  const std::uint64_t threshold = block.kind == PageKind::kHuge ? 18 * kUnit : 9 * kUnit;
  return platform_.reuse != AddressReuse::kDriver || up(block.size, kUnit) > threshold;
}

// P4, HUGE_FIRST: what the driver is asked for.
DriverCall DriverRules::asked_by_acl(const DriverCall& call) {
  DriverCall asked = call;
  const std::uint64_t room = ~std::uint64_t{0} - 63;
  asked.size = call.size > room ? ~std::uint64_t{0} : (call.size + 31) / 32 * 32 + 32;
  asked.flag = asked.size > kUnit / 2 ? kAllocHuge : 0;
  return asked;
}

// P2, in its order, of the flags that calls have.
DriverRules::Codes DriverRules::alloc_codes(const DriverCall& call) const {
  const bool contiguous = (call.flag & kAllocContiguous) != 0;
  if (v3() && (call.flag & kAllocReadOnly) != 0) return {DriverCode::kNotSupport};
  if (!v3() && contiguous && call.size > 2 * kUnit) return {DriverCode::kInvalidValue};
  if (call.size == 0) return {DriverCode::kInvalidValue};
  if (v3() ? call.size > 208 * kTebibyte : call.size >= 8 * kTebibyte) return {DriverCode::kOutOfMemory};
  std::uint64_t used = 0;
  if (v3()) {
    const std::uint64_t needed = up(call.size, page(kind_of(call)));
    for (const auto& block : blocks_) used += pages_end(block) - block.first;
    return {used + needed > platform_.hbm.count() ? DriverCode::kOutOfMemory : DriverCode::kNone};
  }
  for (const auto& block : blocks_) used += block.second.size;
  if (used + call.size > platform_.hbm.count()) return {DriverCode::kOutOfMemory};
  if (used_since_open_ + up(call.size, kUnit) <= platform_.hbm.count()) return {DriverCode::kNone};
  return {DriverCode::kNone, DriverCode::kOutOfMemory};
}

// P5, F1, F2.
DriverRules::Codes DriverRules::free_codes(std::uint64_t at) const {
  const auto found = blocks_.find(at);
  if (found == blocks_.end()) return {DriverCode::kInvalidValue};
  if (!mapped(at, pages_end(*found)) || (!v3() && !reaches_kernel(found->second))) return {DriverCode::kNone};
  const bool single = !v3() && found->second.size > 256 * kUnit;
  return {single ? DriverCode::kIoctlFail : DriverCode::kBusy};
}

// R2 to R9.
DriverRules::Codes DriverRules::register_codes_v2(const DriverCall& call, std::uint64_t at) const {
  const RegisterFlag flag = decode_register_flag(static_cast<std::uint32_t>(call.flag));
  if (flag.type >= kMapTypeEnd || flag.process_type_v2 >= kProcessTypeEnd) return {DriverCode::kNotSupport};
  if (flag.read_only && (flag.type == kHostMemMapDevPcieTh || flag.type == kHostIoMapDev)) {
    return {DriverCode::kNotSupport};
  }
  if (!in_device_memory(at)) {
    return {call.device >= kDeviceIdLimit ? DriverCode::kInvalidDevice : DriverCode::kParaError};
  }
  const auto block = block_over(at);
  const bool known = block != blocks_.end();
  Codes codes;
  // Where there may be no page, 8 is the answer to everything.
  const auto answers = [&](DriverCode code) {
    codes.push_back(code);
    if (!known) codes.push_back(DriverCode::kParaError);
    return codes;
  };
  if (flag.type == kDevMemMapHost) return answers(DriverCode::kNotSupport);
  if (flag.type != kDevSvmMapHost || call.size == 0) return answers(DriverCode::kParaError);
  if (flag.process_type_v2 != kProcessTypeCp1) return answers(DriverCode::kNotSupport);
  if (!known) {
    for (const PageKind kind : {PageKind::kOrdinary, PageKind::kHuge}) {
      if (!can_map(kind)) codes.push_back(DriverCode::kNotSupport);
    }
    if (!mapped(at, at + 1)) codes.push_back(DriverCode::kNone);
    return answers(DriverCode::kParaError);
  }
  const PageKind kind = block->second.kind;
  if (!can_map(kind)) return {DriverCode::kNotSupport};
  // Sizes beyond a GiB leave the heap.
  const bool too_long = call.size > 512 * kUnit;
  const bool aligned = (base_ + at) % page(kind) == 0;
  if (too_long || !aligned || block->second.read_only) return {DriverCode::kParaError};
  const std::uint64_t end = up(at + call.size, page(kind));
  if (mapped(at, end)) return {DriverCode::kParaError};
  if (end <= pages_end(*block)) return {DriverCode::kNone};
  return {DriverCode::kNone, DriverCode::kParaError};  // R5
}

DriverRules::Codes DriverRules::register_codes_v3(const DriverCall& call, std::uint64_t at) const {
  const RegisterFlag flag = decode_register_flag(static_cast<std::uint32_t>(call.flag));
  const std::uint64_t address = base_ + at;
  if (address == 0 || call.size == 0 || address + call.size < address) return {DriverCode::kParaError};
  if (flag.type >= kMapTypeEnd || flag.above_type) return {DriverCode::kNotSupport};
  if (!in_device_memory(at)) return {DriverCode::kInvalidDevice};
  if (flag.type == kHostIoMapDev) return {DriverCode::kParaError};
  if (flag.type != kDevSvmMapHost) return {DriverCode::kNotSupport};
  const auto block = block_over(at);
  if (block == blocks_.end()) return {DriverCode::kParaError};  // R10
  const std::uint64_t unit = page(block->second.kind);
  const std::uint64_t host = platform_.host_page.count();
  const std::uint64_t bytes = call.size > size_ ? 0 : up(call.size, unit);
  if (address % unit != 0 || address % host != 0 || bytes % host != 0) return {DriverCode::kParaError};
  if (platform_.fragmented && unit < host) return {DriverCode::kParaError};  // R7
  const std::uint64_t block_end = block->first + block->second.size;
  if (at > block_end || call.size > block_end - at) return {DriverCode::kParaError};  // R5
  return {mapped(at, at + bytes) ? DriverCode::kRepeatedUserd : DriverCode::kNone};
}

// U1, U2.
DriverRules::Codes DriverRules::unregister_codes(const DriverCall& call, std::uint64_t at) const {
  if (v3()) {
    if (base_ + at != 0 && !in_device_memory(at)) return {DriverCode::kNotSupport};
    return {mapped_from(at) ? DriverCode::kNone : DriverCode::kParaError};
  }
  if (!records_on_) return unregister_ex_codes({.kind = Call::kUnregisterEx, .flag = kDevSvmMapHost}, at);
  if (call.device != 0 || !records_.contains(at)) return {DriverCode::kNotExist};
  return {mapped_from(at) ? DriverCode::kNone : DriverCode::kParaError};
}

DriverRules::Codes DriverRules::unregister_ex_codes(const DriverCall& call, std::uint64_t at) const {
  if (call.flag >= kMapTypeEnd) return {DriverCode::kNotSupport};
  if (call.flag == kDevMemMapHost || call.flag == kHostMemMapDma) return {DriverCode::kFileOps};
  if (!v3() && !in_device_memory(at)) return {DriverCode::kFileOps};
  return {mapped_from(at) ? DriverCode::kNone : DriverCode::kParaError};
}

DriverRules::Codes DriverRules::codes_of(const DriverCall& call, std::uint64_t at) const {
  switch (call.kind) {
    case Call::kAlloc:
      return alloc_codes(call);
    case Call::kAclAlloc: {
      // Falls back to ordinary pages.
      DriverCall asked = asked_by_acl(call);
      Codes codes = alloc_codes(asked);
      if (codes.front() == DriverCode::kNone) return codes;
      asked.flag = 0;
      return alloc_codes(asked);
    }
    case Call::kFree:
    case Call::kAclFree:
      return free_codes(at);
    case Call::kRegister:
      return v3() ? register_codes_v3(call, at) : register_codes_v2(call, at);
    case Call::kUnregister:
      return unregister_codes(call, at);
    case Call::kUnregisterEx:
      return unregister_ex_codes(call, at);
    case Call::kMemCtl:
      if (call.flag != kMemCtlSupportFeature) return {DriverCode::kNotSupport};
      return {call.device >= kDeviceIdLimit ? DriverCode::kInvalidDevice : DriverCode::kNone};
    case Call::kDevicePointer:  // U5
      if (v3()) return {DriverCode::kNotSupport};
      if (base_ + at == 0) return {DriverCode::kParaError};
      return {records_on_ ? DriverCode::kNotExist : DriverCode::kNotSupport};
    default:
      return {DriverCode::kNone};
  }
}

std::string DriverRules::judge(const DriverCall& call, std::uint64_t address, const DriverAnswer& answer,
                               const DriverState& after) {
  const std::uint64_t at = address - base_;
  const Codes allowed = codes_of(call, at);
  const bool right = std::any_of(allowed.begin(), allowed.end(),
                                 [&](DriverCode code) { return svmrt::code_number(code) == answer.code; });
  if (!right) {
    std::string codes;
    for (const DriverCode code : allowed) codes += fmt::format("{}{}", codes.empty() ? "" : " or ", code_number(code));
    return fmt::format("code {} instead of {}", answer.code, codes);
  }
  if (answer.code == 0) {
    if (std::string wrong = succeeded(call, at, answer, after); !wrong.empty()) return wrong;
  } else if (answer.result != kUntouched) {
    return fmt::format("a failed call wrote {:#x} to its out parameter", answer.result);  // R1
  }
  return compare(after);
}

}  // namespace svmsim
