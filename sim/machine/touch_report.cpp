// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/touch_report.h"

#include <fmt/format.h>

#include <utility>

namespace svmsim {

namespace {

// Appends to a buffer of fixed size.
class Text {
 public:
  explicit Text(std::span<char> buffer) : buffer_(buffer) {}
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::size_t room = buffer_.size() - length_;
    const auto result = fmt::format_to_n(buffer_.data() + length_, room, format, std::forward<Arguments>(arguments)...);
    length_ += std::min(result.size, room);
  }
  [[nodiscard]] std::size_t length() const { return length_; }

 private:
  std::span<char> buffer_;
  std::size_t length_ = 0;
};

void add_call(Text& text, const CallName& call) { text.add("call {} ({})", call.sequence, call_kind_name(call.kind)); }

void add_reason(Text& text, const Touch& touch, const AddressHistory& history) {
  const auto& mapping = history.mapping;
  text.add("svmsim: forbidden touch of {:#x}: ", touch.host_address);
  if (touch.in_forked_child) {
    text.add("this process was forked, and a child does not inherit host mappings (R11)\n");
  } else if (touch.range == TouchedRange::kRawDevice) {
    text.add("this is a device address, and on this platform views lie elsewhere: use what register returned (R1)\n");
  } else if (mapping && mapping->mapped && mapping->access == HostAccess::kReadOnly) {
    text.add("a store to a read-only mapping (R9)\n");
  } else if (mapping && mapping->mapped) {
    text.add("it is mapped, so this was no load or store of mapped memory\n");
  } else {
    text.add("device memory that is not mapped (F4)\n");
  }
}

void add_owner(Text& text, const Touch& touch, const AddressHistory& history) {
  const auto& owner = history.owner ? history.owner : history.below;
  if (!history.owner) {
    text.add("  allocation: none was ever at svm+{:#x}\n", (touch.device_address - touch.slice_base).count());
  }
  if (!owner) return;
  const char* const role = owner->freed_by ? "last owner" : "allocation";
  text.add("  {}: svm+{:#x}, {} bytes, allocated by call {}", history.owner ? role : "nearest below",
           (owner->base - touch.slice_base).count(), owner->size.count(), owner->allocated_by);
  if (owner->freed_by) {
    text.add(", freed by ");
    add_call(text, *owner->freed_by);
  }
  text.add("; offset {}\n", (touch.device_address - owner->base).count());
}

void add_mapping(Text& text, const std::optional<AddressHistory::Mapping>& mapping) {
  text.add("  mapping: ");
  if (!mapping) {
    text.add("never mapped\n");
    return;
  }
  text.add("mapped by ");
  if (mapping->mapped_by) {
    add_call(text, *mapping->mapped_by);
  } else {
    text.add("the call under way");
  }
  if (mapping->mapped) {
    text.add(", still mapped\n");
    return;
  }
  text.add(", unmapped by ");
  if (mapping->unmapped_by) {
    add_call(text, *mapping->unmapped_by);
  } else {
    text.add("the call under way");
  }
  text.add("\n");
}

}  // namespace

std::size_t describe_touch(const Touch& touch, const AddressHistory* history, std::span<char> buffer) {
  Text text(buffer);
  if (history == nullptr) {
    text.add("svmsim: forbidden touch of {:#x}, svm+{:#x}; the books are in use by another thread\n",
             touch.host_address, (touch.device_address - touch.slice_base).count());
    return text.length();
  }
  add_reason(text, touch, *history);
  add_owner(text, touch, *history);
  add_mapping(text, history->mapping);
  return text.length();
}

}  // namespace svmsim
