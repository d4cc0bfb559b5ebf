// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/probe_questions.h"

#include <fmt/format.h>

#include "runtime/driver_code.h"
#include "sim/driver/hal_flags.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kProbedBlock = std::uint64_t{2} << 20;  // a segment of its own: starts at every page size
constexpr std::uint64_t kProbedRange = 65536;                   // whole host pages and device pages of any size
constexpr std::uint64_t kProbedPage = 4096;

// As the ACL runtime asks for memory of device 0.
constexpr std::uint64_t kOrdinaryOfAcl = 0x2100000000904400;
constexpr std::uint64_t kHugeOfAcl = 0x2100000000924400;

std::string number_and_name(std::int32_t code) {
  return fmt::format("{} {}", code, svmrt::driver_code_name(svmrt::DriverCode(code)));
}

Reply register_range(HalPort& port, std::string call, std::uint64_t source, std::uint64_t size, std::uint32_t type) {
  Reply reply;
  reply.call = std::move(call);
  reply.source = source;
  const std::int32_t code = port.host_register(source, size, type, 0, &reply.view);
  reply.why = port.failure();
  if (reply.why.empty()) reply.code = code;
  return reply;
}

Reply without_reply(const std::string& why) {
  Reply reply;
  reply.why = why;
  return reply;
}

// A block in a new case; `why` is empty when there is one.
std::uint64_t new_block(HalPort& port, PageKind kind, std::string& why) {
  std::uint64_t block = 0;
  why = begin_question(port, {HalSymbol::kMemAlloc, HalSymbol::kHostRegister});
  if (!why.empty()) return block;
  const std::int32_t code = port.mem_alloc(&block, kProbedBlock, kind == PageKind::kHuge ? kHugeOfAcl : kOrdinaryOfAcl);
  why = port.failure();
  if (why.empty() && code != 0) why = "halMemAlloc answered " + number_and_name(code);
  return block;
}

}  // namespace

std::string Reply::code_text() const { return number_and_name(*code); }

std::string Reply::what() const { return code ? fmt::format("{} answered {}", call, code_text()) : why; }

std::string begin_question(HalPort& port, std::initializer_list<HalSymbol> symbols) {
  port.begin_case();
  for (const HalSymbol symbol : symbols) {
    const bool there = port.has(symbol);
    if (!port.failure().empty()) return port.failure();
    if (!there) return fmt::format("a library without {}", hal_symbol_name(symbol));
  }
  return {};
}

Reply register_block(HalPort& port, PageKind kind, std::uint64_t offset) {
  std::string why;
  const std::uint64_t block = new_block(port, kind, why);
  if (!why.empty()) return without_reply(why);
  const std::uint64_t size = offset == 0 ? kProbedRange : kProbedPage;
  const std::string where = offset == 0 ? "" : fmt::format(" from byte {} on", offset);
  return register_range(port, fmt::format("a register of {} pages{}", page_kind_name(kind), where), block + offset,
                        size, kDevSvmMapHost);
}

Reply register_block_twice(HalPort& port, PageKind kind) {
  std::string why;
  const std::uint64_t block = new_block(port, kind, why);
  if (!why.empty()) return without_reply(why);
  Reply reply;
  for (const char* const which : {"first", "second"}) {
    reply = register_range(port, fmt::format("the {} register of a range", which), block, kProbedRange, kDevSvmMapHost);
    if (reply.code != 0) break;
  }
  return reply;
}

Reply register_host_memory(HalPort& port, std::uint64_t offset, std::uint32_t type) {
  if (const std::string why = begin_question(port, {HalSymbol::kHostRegister}); !why.empty()) {
    return without_reply(why);
  }
  const std::uint64_t memory = port.host_memory();
  if (!port.failure().empty()) return without_reply(port.failure());
  const std::string where = offset == 0 ? "" : fmt::format(" from byte {} on", offset);
  const char* const as = type == kDevSvmMapHost ? " as device memory" : "";
  return register_range(port, fmt::format("a register of host memory{}{}", where, as), memory + offset, kProbedPage,
                        type);
}

FeatureReply ask_features(HalPort& port) {
  FeatureReply reply;
  reply.why = begin_question(port, {HalSymbol::kMemCtl});
  if (!reply.why.empty()) return reply;
  const MemCtlFeatures in{kMaskPcieBarMem | kMaskPcieBarHugeMem | kMaskGiantPage, 0};
  MemCtlFeatures out;
  const std::int32_t code = port.mem_ctl(kMemCtlSupportFeature, &in, &out);
  reply.why = port.failure();
  if (reply.why.empty() && code != 0) reply.why = "halMemCtl answered " + number_and_name(code);
  if (reply.why.empty()) reply.mask = out.mask;
  return reply;
}

}  // namespace svmsim
