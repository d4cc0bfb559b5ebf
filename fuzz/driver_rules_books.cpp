// SPDX-License-Identifier: Apache-2.0
// What a call that succeeded changes in the reference's books.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "fuzz/driver_rules.h"
#include "sim/driver/hal_flags.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kSegmentUnit = std::uint64_t{2} << 20;

// Where a mapping of `state` begins that ends at `end`; `end` when there is none.
std::uint64_t mapping_that_ends(const DriverState& state, std::uint64_t end) {
  for (const auto& [base, size, access] : state.mapped) {
    if (base + size == end) return base;
  }
  return end;
}

}  // namespace

std::string DriverRules::allocated(const DriverCall& call, std::uint64_t at) {
  const PageKind kind = (call.flag & kAllocHuge) != 0 ? PageKind::kHuge : PageKind::kOrdinary;
  const std::uint64_t granularity = kind == PageKind::kHuge ? kSegmentUnit : 4096;
  const std::uint64_t pages = (call.size + granularity - 1) / granularity * granularity;
  if ((base_ + at) % granularity != 0) return fmt::format("the address {:#x} is no multiple of {}", at, granularity);
  if (!in_device_memory(at) || size_ - at < pages) return fmt::format("the address {:#x} is not device memory", at);
  const auto overlapping = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& block) {
    return block.first < at + pages && at < block.first + block.second.size;
  });
  if (overlapping != blocks_.end()) return fmt::format("{:#x} lies over the block {:#x}", at, overlapping->first);
  const bool again = std::any_of(handed_out_.begin(), handed_out_.end(), [&](const auto& earlier) {
    return earlier.first < at + pages && at < earlier.second;
  });
  if (again) return fmt::format("{:#x} was handed out before, which quarantine excludes", at);
  if (platform_.reuse == AddressReuse::kQuarantine) handed_out_.emplace(at, at + pages);
  blocks_.emplace(at, Block{call.size, kind, (call.flag & kAllocReadOnly) != 0});
  used_since_open_ += (call.size + kSegmentUnit - 1) / kSegmentUnit * kSegmentUnit;
  return "";
}

// Freed blocks of the cache keep their mappings (F2), until their heap goes (F2a). No other mapping goes with a free.
void DriverRules::freed(std::uint64_t at, const DriverState& after) {
  blocks_.erase(at);
  if (v3() || platform_.reuse != AddressReuse::kDriver) return;
  std::erase_if(mapped_, [&](const auto& mapping) {
    const auto& [base, details] = mapping;
    const std::tuple extent(base, details.end - base, details.access);
    if (std::find(after.mapped.begin(), after.mapped.end(), extent) != after.mapped.end()) return false;
    return std::none_of(blocks_.begin(), blocks_.end(), [&](const auto& block) {
      return pages_begin(block) < mapping.second.end && mapping.first < pages_end(block);
    });
  });
}

std::string DriverRules::registered(const DriverCall& call, std::uint64_t at, const DriverAnswer& answer,
                                    const DriverState& after) {
  if (answer.result != at) {  // R1
    return fmt::format("the host address is {:#x} instead of the device's {:#x}", answer.result, at);
  }
  const auto end_in = [&](PageKind kind) { return (at + call.size + page(kind) - 1) / page(kind) * page(kind); };
  const auto block = block_over(at);
  std::uint64_t end = end_in(block == blocks_.end() ? PageKind::kOrdinary : block->second.kind);
  // Nobody knows of what kind a freed block was.
  const std::uint64_t huge_end = end_in(PageKind::kHuge);
  if (block == blocks_.end() && mapping_that_ends(after, huge_end) == at) end = huge_end;
  if (mapped(at, end)) return "mapped what was mapped";  // R6
  const bool read_only = (call.flag & kRegisterReadOnly) != 0;
  mapped_.emplace(at, Mapping{end, true, read_only ? HostAccess::kReadOnly : HostAccess::kReadWrite});
  // U2: a record that is there swallows an overlapping one.
  const bool swallowed = std::any_of(records_.begin(), records_.end(),
                                     [&](const auto& record) { return record.first < end && at < record.second; });
  if (records_on_ && !swallowed) records_.emplace(at, end);
  return "";
}

// U3.
std::string DriverRules::unregistered(std::uint64_t at, const DriverState& after) {
  const Mapping mapping = mapped_.at(at);
  mapped_.erase(at);
  const std::uint64_t rest = mapping_that_ends(after, mapping.end);
  const auto block = block_over(at);
  const bool whole = block != blocks_.end() && mapping.end <= pages_end(*block);
  // A block that is the whole of its segment says where that ends.
  const bool known_end = block != blocks_.end() && reaches_kernel(block->second);
  if (known_end && mapping.end > pages_end(*block) && rest != pages_end(*block)) {
    return fmt::format("the mapping up to {:#x} went to {:#x} instead of the segment's end", mapping.end, rest);
  }
  if (rest == mapping.end || rest <= at) return "";  // all of it; that nothing is left is compared
  const bool in_unit = mapping.end <= at - at % kSegmentUnit + kSegmentUnit;
  if (v3() || whole || in_unit || rest % kSegmentUnit != 0) {
    return fmt::format("{:#x} to {:#x} of the mapping stayed", rest, mapping.end);
  }
  mapped_.emplace(rest, Mapping{mapping.end, false, mapping.access});
  return "";
}

std::string DriverRules::succeeded(const DriverCall& call, std::uint64_t at, const DriverAnswer& answer,
                                   const DriverState& after) {
  switch (call.kind) {
    case DriverCallKind::kAlloc:
    case DriverCallKind::kAclAlloc: {
      const auto found = std::find_if(after.blocks.begin(), after.blocks.end(),
                                      [&](const auto& block) { return std::get<0>(block) == answer.result; });
      if (found == after.blocks.end()) return "the driver does not know the block";
      if (call.kind == DriverCallKind::kAlloc) return allocated(call, answer.result);
      DriverCall asked = asked_by_acl(call);
      const Codes codes = alloc_codes(asked);
      const bool may_fall_back = std::find(codes.begin(), codes.end(), svmrt::DriverCode::kOutOfMemory) != codes.end();
      if (may_fall_back && std::get<2>(*found) == PageKind::kOrdinary) asked.flag = 0;
      return allocated(asked, answer.result);
    }
    case DriverCallKind::kFree:
    case DriverCallKind::kAclFree:
      freed(at, after);
      return "";
    case DriverCallKind::kRegister:
      return registered(call, at, answer, after);
    case DriverCallKind::kUnregister:
    case DriverCallKind::kUnregisterEx: {
      const bool by_record = call.kind == DriverCallKind::kUnregister || call.flag == kDevSvmMapHost;
      if (by_record) records_.erase(at);
      return unregistered(at, after);
    }
    case DriverCallKind::kFeature: {
      const bool known = call.flag == kFeatureUserMallocAttr || (call.flag == kFeatureRegisterQuery && !v3());
      const bool supported = known && call.device < kDeviceIdLimit;
      if (supported && call.flag == kFeatureRegisterQuery) records_on_ = true;
      return answer.result == (supported ? 1u : 0u) ? "" : fmt::format("feature {}", answer.result);
    }
    case DriverCallKind::kMemCtl: {  // R7
      std::uint64_t mask = kMaskGiantPage;
      if (can_map(PageKind::kOrdinary)) mask |= kMaskPcieBarMem;
      if (can_map(PageKind::kHuge)) mask |= kMaskPcieBarHugeMem;
      return answer.result == mask ? "" : fmt::format("mask {:#x} instead of {:#x}", answer.result, mask);
    }
    case DriverCallKind::kReopenDevice:  // F3
      blocks_.clear();
      mapped_.clear();
      records_.clear();
      used_since_open_ = 0;
      [[fallthrough]];
    case DriverCallKind::kOpenDevice:
      records_on_ = !v3();
      return "";
    default:
      return "";
  }
}

std::string DriverRules::compare(const DriverState& after) const {
  DriverState expected;
  expected.now_ns = after.now_ns;
  for (const auto& [base, block] : blocks_) expected.blocks.emplace_back(base, block.size, block.kind);
  for (const auto& [base, mapping] : mapped_) expected.mapped.emplace_back(base, mapping.end - base, mapping.access);
  if (expected == after) return "";
  return fmt::format("the driver holds {}; instead of {}", state_text(after), state_text(expected));
}

}  // namespace svmsim
