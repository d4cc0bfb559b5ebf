// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/terms.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include "sim/driver/hal_flags.h"

namespace svmsim {
namespace {

struct Word {
  std::string_view name;
  std::uint64_t value;
};

constexpr std::uint64_t side(MemorySide number) { return static_cast<std::uint64_t>(number) << kAllocSideShift; }

// The words that aclrtMalloc passes for device 0 (hicann/runtime 681ef76): module APP, alignment 9, HBM, device side.
constexpr std::uint64_t kOrdinaryWord = 0x2100000000904400;
constexpr std::uint64_t kHugeWord = kOrdinaryWord | kAllocHuge;

constexpr Word kAllocWords[] = {
    {"ordinary", kOrdinaryWord},
    {"huge", kHugeWord},
    {"giant", kOrdinaryWord | kAllocGiant},
    {"SVM", side(MemorySide::kSvm)},
    {"DEV", side(MemorySide::kDevice)},
    {"HOST_AGENT", side(MemorySide::kHostAgent)},
    {"RESERVE", side(MemorySide::kReserve)},
    {"HBM", kAllocHbm},
    {"HUGE", kAllocHuge},
    {"CONTIGUOUS", kAllocContiguous},
    {"BELOW_4G", kAlloc4G},
    {"TS", kAllocTs},
    {"READONLY", kAllocReadOnly},
    {"GIANT", kAllocGiant},
};

constexpr Word kRegisterWords[] = {
    {"HOST_MEM_MAP_DEV", kHostMemMapDev}, {"HOST_SVM_MAP_DEV", kHostSvmMapDev},
    {"DEV_SVM_MAP_HOST", kDevSvmMapHost}, {"HOST_MEM_MAP_DEV_PCIE_TH", kHostMemMapDevPcieTh},
    {"DEV_MEM_MAP_HOST", kDevMemMapHost}, {"HOST_MEM_MAP_DMA", kHostMemMapDma},
    {"HOST_IO_MAP_DEV", kHostIoMapDev},   {"MEM_REGISTER_READ_ONLY", kRegisterReadOnly},
};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  unsigned shift = 0;
  if (hexadecimal) {
    text.remove_prefix(2);
  } else if (!text.empty()) {
    if (const auto suffix = std::string_view("KMGT").find(text.back()); suffix != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(suffix) + 1);
      text.remove_suffix(1);
    }
  }
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || stop != end || value > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return std::nullopt;
  }
  return value << shift;
}

std::optional<FlagWord> parse_flag(std::string_view text, std::span<const Word> words) {
  FlagWord flag{std::string(text), 0};
  while (true) {
    const std::size_t bar = text.find('|');
    const std::string_view term = text.substr(0, bar);
    const auto word = std::find_if(words.begin(), words.end(), [&](const Word& one) { return one.name == term; });
    const std::optional<std::uint64_t> value = word != words.end() ? word->value : parse_number(term);
    if (!value) return std::nullopt;
    flag.value |= *value;
    if (bar == std::string_view::npos) return flag;
    text.remove_prefix(bar + 1);
  }
}

std::string list_of(std::span<const Word> words) {
  std::string list = "numbers and these words, joined by '|':";
  for (const Word& word : words) (list += ' ') += word.name;
  return list;
}

}  // namespace

std::optional<Amount> parse_amount(std::string_view text) {
  Amount amount{std::string(text), "", 0};
  bool first = true;
  bool negative = false;
  while (true) {
    const std::size_t sign = text.find_first_of("+-");
    const std::string_view term = text.substr(0, sign);
    if (first && is_variable_name(term)) {
      amount.variable = std::string(term);
    } else {
      const std::optional<std::uint64_t> value = parse_number(term);
      if (!value) return std::nullopt;
      amount.offset = negative ? amount.offset - *value : amount.offset + *value;
    }
    if (sign == std::string_view::npos) return amount;
    first = false;
    negative = text[sign] == '-';
    text.remove_prefix(sign + 1);
  }
}

bool is_variable_name(std::string_view text) {
  const auto lower = [](char c) { return 'a' <= c && c <= 'z'; };
  const auto other = [&](char c) { return lower(c) || ('0' <= c && c <= '9') || c == '_'; };
  return !text.empty() && lower(text.front()) && std::all_of(text.begin(), text.end(), other);
}

std::optional<FlagWord> parse_alloc_flag(std::string_view text) { return parse_flag(text, kAllocWords); }

std::optional<FlagWord> parse_register_flag(std::string_view text) {
  auto flag = parse_flag(text, kRegisterWords);
  if (flag && flag->value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return flag;
}

std::string alloc_flag_words() { return list_of(kAllocWords); }
std::string register_flag_words() { return list_of(kRegisterWords); }

}  // namespace svmsim
