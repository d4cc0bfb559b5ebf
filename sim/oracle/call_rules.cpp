// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/call_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

using Mapping = MappingBooks::Mapping;

std::int64_t number_of(const CallRecord& record) { return static_cast<std::int64_t>(record.sequence); }

std::string code_text(DriverCode code) {
  return fmt::format("{} ({})", svmrt::code_number(code), svmrt::driver_code_name(code));
}

// "the mapping of 4096 bytes that call 1 registered"
std::string described(const Mapping& mapping) {
  return fmt::format("the mapping of {} bytes that call {} registered", mapping.size.count(), mapping.registered_by);
}

// Whose it is, when the address has another block now.
std::string whose(const Mapping& mapping) {
  if (!mapping.owner) return "when no block was there";
  if (!mapping.owner->freed_by) {
    return fmt::format("for the block of call {} and past its end", mapping.owner->allocated_by);
  }
  return fmt::format("for the block of {} bytes of call {}, which call {} freed", mapping.owner->size.count(),
                     mapping.owner->allocated_by, *mapping.owner->freed_by);
}

DeviceAddr owner_base(DeviceAddr base, const Mapping& mapping) { return mapping.owner ? mapping.owner->base : base; }

// First of the extents, which are in address order, that touches the span.
std::span<const MappedExtent>::iterator first_touching(std::span<const MappedExtent> extents, DeviceAddr base,
                                                       Bytes size) {
  const auto found = std::partition_point(
      extents.begin(), extents.end(), [&](const MappedExtent& extent) { return extent.base + extent.size <= base; });
  return found != extents.end() && found->base < base + size ? found : extents.end();
}

}  // namespace

CallRules::CallRules(Machine& machine) : machine_(machine) { machine.add_observer(*this); }

CallRules::~CallRules() { machine_.remove_observer(*this); }

bool CallRules::is_device_memory(DeviceAddr address) const {
  return svmrt::span_inside(address, Bytes(1), machine_.slice_base(), slice_layout().slice);
}

std::string CallRules::address_text(DeviceAddr address) const {
  if (!is_device_memory(address)) return "no device address";
  return fmt::format("svm+{:#x}", machine_.relative(address));
}

void CallRules::report(const char* rule, std::int64_t call, DeviceAddr allocation, std::string message) {
  Violation violation;
  violation.rule = rule;
  violation.allocation = address_text(allocation);
  violation.message = std::move(message);
  violation.call = call;
  violations_.push_back(std::move(violation));
}

void CallRules::drop(DeviceAddr base, Dropped::How how, std::uint64_t call) {
  dropped_[base] = Dropped{*books_.mapping_at(base), how, call};
  static_cast<void>(books_.unmapped(base));
}

void CallRules::dropped_silently(DeviceAddr base, std::int64_t call) {
  const Mapping mapping = *books_.mapping_at(base);
  report("I3", call, owner_base(base, mapping),
         fmt::format("{} was never unregistered; the driver dropped it silently after call {} had freed its block",
                     described(mapping), *mapping.owner->freed_by));
  drop(base, Dropped::How::kSilently, 0);
}

bool CallRules::outlives_its_block(DeviceAddr base) {
  const Mapping* const mapping = books_.mapping_at(base);
  return mapping != nullptr && mapping->owner && mapping->owner->freed_by;
}

bool CallRules::driver_has(DeviceAddr base) {
  return machine_.is_mapped_during_call(base, books_.mapping_at(base)->size);
}

void CallRules::on_call(const CallRecord& record) {
  const bool succeeded = record.code == DriverCode::kNone;
  const bool maps = record.kind == CallKind::kRegister || record.kind == CallKind::kUnregister;
  if (maps && !is_device_memory(record.address)) return;  // host memory for the device, or nothing at all
  switch (record.kind) {
    case CallKind::kAllocate:
      if (succeeded) on_allocate(record);
      break;
    case CallKind::kFree:
      on_free(record);
      break;
    case CallKind::kRegister:
      succeeded ? on_register(record) : on_refused_register(record);
      break;
    case CallKind::kUnregister:
      succeeded ? on_unregister(record) : on_refused_unregister(record);
      break;
    case CallKind::kClose:
      on_close(record);
      break;
    case CallKind::kCopyToDevice:
    case CallKind::kCopyFromDevice:
    case CallKind::kSetMemory:
    case CallKind::kCopyOnDevice:
    case CallKind::kViewAccesses:
    case CallKind::kLaunch:
      break;
  }
}

void CallRules::on_allocate(const CallRecord& record) {
  books_.allocated(record.address, record.size).allocated_by = record.sequence;
  const auto report_mapped = [&](const Mapping& mapping, const std::string& what) {
    report("I2", number_of(record), record.address,
           fmt::format("the block of {} bytes of call {} arrives mapped: {} {} is still there; a register over it will "
                       "say 8",
                       record.size.count(), record.sequence, what, whose(mapping)));
  };
  if (const Dropped* const rest = rest_in_block(record.address, record.size)) {
    report_mapped(rest->mapping, "a part of " + described(rest->mapping));
  }
  for (const DeviceAddr base : books_.mappings_touching(record.address, record.size)) {
    if (outlives_its_block(base) && !driver_has(base)) {
      dropped_silently(base, number_of(record));
    } else if (machine_.is_mapped_during_call(record.address, record.size)) {
      const Mapping& mapping = *books_.mapping_at(base);
      report_mapped(mapping, described(mapping));
    }
  }
}

void CallRules::on_free(const CallRecord& record) {
  const bool taken = record.code == DriverCode::kNone;
  const auto block = books_.block_at(record.address);
  if (!block) return;
  const Bytes size = block->block->size;
  const std::uint64_t allocated_by = block->block->allocated_by;
  const bool mapped = books_.mapped_block_at(record.address).has_value();
  const auto touching = books_.mappings_touching(record.address, size);
  const Dropped* const rest = rest_in_block(record.address, size);
  if (mapped || rest != nullptr) {
    const std::string what =
        mapped ? described(*books_.mapping_at(touching.front())) : "a part of " + described(rest->mapping);
    const char* outcome = "refused, block and mapping stay";
    if (taken) {
      const bool still_mapped = machine_.is_mapped_during_call(record.address, size);
      outcome =
          still_mapped ? "the block is in the driver's cache, still mapped" : "the mapping is gone with the block";
    }
    report("I2", number_of(record), record.address,
           fmt::format("a free of the block of {} bytes of call {} reached the driver while {} was there; the driver "
                       "said {}: {}",
                       size.count(), allocated_by, what, code_text(record.code), outcome));
  }
  if (!taken) return;
  books_.freed(record.address);
  for (const DeviceAddr base : touching) {
    Mapping& mapping = *books_.mapping_at(base);
    // A mapping of another block that runs into this one goes on being that block's.
    const bool of_this_block = mapping.owner && mapping.owner->allocated_by == allocated_by;
    if (!of_this_block) continue;
    mapping.owner->freed_by = record.sequence;
    if (!driver_has(base)) dropped_silently(base, number_of(record));
  }
}

void CallRules::on_register(const CallRecord& record) {
  for (const DeviceAddr base : books_.mappings_touching(record.address, record.size)) {
    // Only a lenient driver, or one without rules, takes a register over a live mapping.
    if (outlives_its_block(base) && !machine_.platform().lenient) {
      dropped_silently(base, number_of(record));
    } else if (base == record.address) {
      const Mapping mapping = *books_.mapping_at(base);
      report("I3", number_of(record), owner_base(base, mapping),
             fmt::format("registered again by call {}; {} was not unregistered before", record.sequence,
                         described(mapping)));
    }
  }
  Mapping& mapping = books_.mapped(record.address, record.size);
  mapping.registered_by = record.sequence;
  dropped_.erase(record.address);
  if (const auto owner = books_.owner_of(record.address)) {
    mapping.owner = MappingBooks::Owner{owner->base, owner->block->size, owner->block->allocated_by, std::nullopt};
    return;
  }
  report("I3", number_of(record), record.address,
         fmt::format("call {} mapped {} bytes, but no live block holds the address", record.sequence,
                     record.size.count()));
}

void CallRules::on_refused_register(const CallRecord& record) {
  if (record.code != DriverCode::kParaError) return;
  for (const DeviceAddr base : books_.mappings_touching(record.address, record.size)) {
    if (!outlives_its_block(base) || !driver_has(base)) continue;
    const Mapping& mapping = *books_.mapping_at(base);
    report("I2", number_of(record), books_.allocation_of(record.address),
           fmt::format("a register of {} bytes was refused with {}: {} {} is still at {}", record.size.count(),
                       code_text(record.code), described(mapping), whose(mapping), address_text(base)));
  }
}

void CallRules::on_unregister(const CallRecord& record) {
  const Mapping* const mapping = books_.mapping_at(record.address);
  if (mapping == nullptr) {
    report("I3", number_of(record), books_.allocation_of(record.address),
           "an unregister succeeded where no mapping starts");
    return;
  }
  const auto holder = books_.owner_of(record.address);
  if (outlives_its_block(record.address) && holder) {
    report("I3", number_of(record), holder->base,
           fmt::format("an unregister dropped {} {}; the address belongs to the block of call {} now",
                       described(*mapping), whose(*mapping), holder->block->allocated_by));
  }
  drop(record.address, Dropped::How::kUnregister, record.sequence);
}

void CallRules::on_refused_unregister(const CallRecord& record) {
  if (outlives_its_block(record.address) && !driver_has(record.address)) {
    dropped_silently(record.address, number_of(record));
    return;
  }
  // Refused although a mapping starts there: it stays, and is reported if nothing drops it until the end.
  if (books_.mapping_at(record.address) != nullptr) return;
  const auto around = books_.mappings_touching(record.address, Bytes(1));
  std::string why = "nothing is mapped there";
  if (!around.empty()) {
    why = fmt::format("it lies inside {} at {}, and only the start of a mapping can be unregistered",
                      described(*books_.mapping_at(around.front())), address_text(around.front()));
  } else if (const auto found = dropped_.find(record.address); found != dropped_.end()) {
    const Dropped& dropped = found->second;
    switch (dropped.how) {
      case Dropped::How::kUnregister:
        why = fmt::format("call {} unregistered {} before", dropped.by, described(dropped.mapping));
        break;
      case Dropped::How::kSilently:
        why = fmt::format("the driver had dropped {} silently", described(dropped.mapping));
        break;
      case Dropped::How::kDeviceClose:
        why = fmt::format("call {} closed the device and dropped {}", dropped.by, described(dropped.mapping));
        break;
    }
  }
  report("I3", number_of(record), books_.allocation_of(record.address),
         fmt::format("an unregister of an address that is not mapped, code {}: {}", code_text(record.code), why));
}

void CallRules::on_close(const CallRecord& record) {
  while (!books_.mappings().empty()) {
    const auto& [base, mapping] = *books_.mappings().begin();
    report("I3", number_of(record), owner_base(base, mapping),
           fmt::format("{} at {} was never unregistered; call {} closed the device, which dropped it silently",
                       described(mapping), address_text(base), record.sequence));
    drop(DeviceAddr(base), Dropped::How::kDeviceClose, record.sequence);
  }
  while (!books_.blocks().empty()) {
    const auto& [base, block] = *books_.blocks().begin();
    report("I8", number_of(record), base,
           fmt::format("a block of {} bytes, allocated by call {}, was never freed; call {} closed the device",
                       block.size.count(), block.allocated_by, record.sequence));
    books_.freed(DeviceAddr(base));
  }
}

// Of all that were dropped and covered the address, the one dropped last.
const CallRules::Dropped* CallRules::last_dropped_over(DeviceAddr address) const {
  const Dropped* last = nullptr;
  for (auto it = dropped_.begin(); it != dropped_.end() && it->first <= address; ++it) {
    const Dropped& dropped = it->second;
    if (!svmrt::span_inside(address, Bytes(1), it->first, dropped.mapping.size)) continue;
    if (last == nullptr || last->by < dropped.by) last = &dropped;
  }
  return last;
}

const CallRules::Dropped* CallRules::rest_in_block(DeviceAddr base, Bytes size) const {
  if (books_.mapping_touches(base, size) || !machine_.is_mapped_during_call(base, size)) return nullptr;
  const Dropped* const dropped = last_dropped_over(base);
  if (dropped == nullptr) return nullptr;
  const bool of_this_block = dropped->mapping.owner && dropped->mapping.owner->base == base;
  return of_this_block ? nullptr : dropped;
}

void CallRules::finish() {
  machine_.remove_observer(*this);
  const auto extents = machine_.mapped_extents();
  finish_mappings(extents);
  finish_extents(extents);
  finish_blocks(machine_.live_blocks());
}

void CallRules::finish_mappings(std::span<const MappedExtent> held) {
  std::vector<DeviceAddr> gone;
  for (const auto& [base, mapping] : books_.mappings()) {
    const DeviceAddr allocation = owner_base(base, mapping);
    const bool driver_holds = first_touching(held, base, mapping.size) != held.end();
    if (!driver_holds && outlives_its_block(base)) {
      gone.push_back(base);
      continue;
    }
    report("I3", -1, allocation,
           fmt::format("{} at {} was never unregistered", described(mapping), address_text(base)));
    if (!driver_holds) continue;
    report("I8", -1, allocation,
           fmt::format("{} bytes are still mapped at exit, registered by call {}", mapping.size.count(),
                       mapping.registered_by));
  }
  for (const DeviceAddr base : gone) dropped_silently(base, -1);
}

void CallRules::finish_extents(std::span<const MappedExtent> held) {
  for (const MappedExtent& extent : held) {
    const auto registered = books_.mappings_touching(extent.base, extent.size);
    if (!registered.empty()) {
      const Mapping& mapping = *books_.mapping_at(registered.front());
      left_mappings_.push_back({extent, mapping.registered_by, address_text(owner_base(registered.front(), mapping))});
      continue;
    }
    const Dropped* const rest_of = last_dropped_over(extent.base);
    LeftMapping left{extent, std::nullopt, ""};
    std::string whose = "no register that was seen covers them";
    if (rest_of != nullptr) {
      left.registered_by = rest_of->mapping.registered_by;
      if (rest_of->mapping.owner) left.allocation = address_text(rest_of->mapping.owner->base);
      whose =
          fmt::format("the rest of {}, which call {} dropped only in part", described(rest_of->mapping), rest_of->by);
    }
    left_mappings_.push_back(left);
    report("I8", -1, books_.allocation_of(extent.base),
           fmt::format("{} bytes at {} are still mapped at exit: {}", extent.size.count(), address_text(extent.base),
                       whose));
  }
}

void CallRules::finish_blocks(std::span<const BlockInfo> held) {
  for (const BlockInfo& block : held) {
    LeftBlock left{block, std::nullopt};
    std::string by = "before the watch began";
    if (const auto entry = books_.block_at(block.base)) {
      left.allocated_by = entry->block->allocated_by;
      by = fmt::format("by call {}", entry->block->allocated_by);
    }
    left_blocks_.push_back(left);
    report("I8", -1, block.base,
           fmt::format("a block of {} bytes, allocated {}, was never freed", block.size.count(), by));
  }
}

}  // namespace svmsim
