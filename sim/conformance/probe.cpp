// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/driver_code.h"
#include "sim/conformance/in_process_port.h"
#include "sim/conformance/probe_questions.h"
#include "sim/driver/hal_flags.h"
#include "sim/driver/recording_backing.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kSmallPage = 4096;
constexpr std::uint64_t kLargePage = 65536;

std::string page_text(std::uint64_t page) { return std::to_string(page); }

bool was(const Reply& reply, svmrt::DriverCode code) { return reply.code == svmrt::code_number(code); }

// The answers that several findings rest on.
struct Answers {
  Reply host_memory;      // registering it as if it were the device's
  Reply ordinary;         // a block of ordinary pages, from its start
  Reply huge;             // the same of huge pages
  Reply inside_ordinary;  // 4 KiB in an ordinary block
  Reply inside_huge;      // the same of huge pages, whose page it is not aligned to (R3)
  Reply twice;            // a register of what is mapped
  FeatureReply features;  // halMemCtl
};

Answers ask_all(HalPort& port) {
  Answers answers;
  answers.host_memory = register_host_memory(port, 0, kDevSvmMapHost);
  answers.ordinary = register_block(port, PageKind::kOrdinary, 0);
  answers.huge = register_block(port, PageKind::kHuge, 0);
  answers.inside_ordinary = register_block(port, PageKind::kOrdinary, kSmallPage);
  answers.inside_huge = register_block(port, PageKind::kHuge, kSmallPage);
  answers.twice = register_block_twice(port, PageKind::kHuge);
  answers.features = ask_features(port);
  return answers;
}

Finding not_found(const char* name, const std::string& why) { return {name, std::nullopt, why}; }

Finding by_probing(const char* name, const std::string& value, const Reply& reply) {
  return {name, value, "by probing: " + reply.what()};
}

Finding host_page(HalPort& port, const ProbeSources& sources, const Answers& answers) {
  if (sources.system_page) return {"host_page", page_text(sources.system_page->count()), "sysconf"};
  if (was(answers.inside_huge, svmrt::DriverCode::kNone)) {
    return not_found("host_page", "unaligned registers are accepted");
  }
  // Host memory, too, is registered from a host page on.
  const Reply reply = register_host_memory(port, kSmallPage, kHostMemMapDev);
  if (was(reply, svmrt::DriverCode::kNone)) return by_probing("host_page", page_text(kSmallPage), reply);
  if (was(reply, svmrt::DriverCode::kParaError)) return by_probing("host_page", page_text(kLargePage), reply);
  return not_found("host_page", reply.what());
}

// R8: a host address with DEV_SVM_MAP_HOST.
Finding driver(const Answers& answers) {
  const Reply& reply = answers.host_memory;
  if (!reply.code) return not_found("driver", reply.what());
  if (was(reply, svmrt::DriverCode::kParaError)) return by_probing("driver", "v2", reply);
  if (was(reply, svmrt::DriverCode::kInvalidDevice)) return by_probing("driver", "v3", reply);
  if (was(reply, svmrt::DriverCode::kNone)) return by_probing("driver", "identity", reply);
  return by_probing("driver", "unknown", reply);
}

Finding device_page(const Answers& answers, const Finding& host_page, const Finding& driver) {
  constexpr const char* kName = "device_page";
  const Reply& inside = answers.inside_ordinary;
  if (was(answers.inside_huge, svmrt::DriverCode::kNone)) return not_found(kName, "unaligned registers are accepted");
  if (was(inside, svmrt::DriverCode::kNone)) return by_probing(kName, page_text(kSmallPage), inside);
  if (!host_page.value) return not_found(kName, "the host page is not known");
  const bool host_has_small_pages = host_page.value == page_text(kSmallPage);
  if (was(answers.ordinary, svmrt::DriverCode::kNone) && was(inside, svmrt::DriverCode::kParaError)) {
    // R3: v3 asks for multiples of the host page too.
    if (driver.value == "v2" || host_has_small_pages) return by_probing(kName, page_text(kLargePage), inside);
    return not_found(kName, "alignment to the host page hides it");
  }
  if (driver.value == "v2" && was(answers.ordinary, svmrt::DriverCode::kNotSupport) &&
      was(answers.huge, svmrt::DriverCode::kNone)) {
    return {kName, page_text(host_has_small_pages ? kLargePage : kSmallPage),
            "by rule R7: ordinary pages are refused and huge ones mapped, so it is not the host's"};
  }
  return not_found(kName, "ordinary pages: " + answers.ordinary.what());
}

// halMemCtl says it, else the driver's log, else on v2, where a register asks for the capability, the register does.
Finding bar_support(const char* name, const Answers& answers, std::uint64_t mask, std::optional<bool> log,
                    const Reply& reply, const Finding& driver) {
  const auto text = [](bool supported) { return supported ? "1" : "0"; };
  if (answers.features.mask) {
    const bool supported = (*answers.features.mask & mask) != 0;
    std::string how = "halMemCtl";
    if (log && *log != supported) how += fmt::format(", but the driver's log says {}", text(*log));
    return {name, text(supported), how};
  }
  if (log) return {name, text(*log), "the driver's log"};
  if (driver.value != "v2") return not_found(name, answers.features.why + "; only v2 asks for it in a register");
  if (was(reply, svmrt::DriverCode::kNone)) return by_probing(name, "1", reply);
  if (was(reply, svmrt::DriverCode::kNotSupport)) return by_probing(name, "0", reply);
  return not_found(name, answers.features.why + "; " + reply.what());
}

// R7: nothing else is asked of the host for huge pages.
Finding write_combine(const Finding& bar_huge) {
  if (!bar_huge.value) return not_found("write_combine", "support_bar_huge_mem is not known");
  return {"write_combine", bar_huge.value == "1" ? "yes" : "no",
          "by rule R7: support_bar_huge_mem needs it and nothing else"};
}

Finding mapped_pages(const char* name, const Reply& reply) {
  if (!reply.code) return not_found(name, reply.what());
  return by_probing(name, was(reply, svmrt::DriverCode::kNone) ? "mapped" : "refused with " + reply.code_text(), reply);
}

Finding host_address(const Answers& answers) {
  for (const Reply* reply : {&answers.huge, &answers.ordinary}) {
    if (!was(*reply, svmrt::DriverCode::kNone)) continue;
    return {"host_address", reply->view == reply->source ? "the device's" : "another",
            "by probing: what a register returned"};
  }
  return not_found("host_address", "no register succeeded");
}

// A host that refuses the page kind says so before it looks at the range (R2).
Finding refused_or_not(const char* name, const Answers& answers, const Reply& reply) {
  if (!was(answers.huge, svmrt::DriverCode::kNone)) return not_found(name, "huge pages: " + answers.huge.what());
  if (!reply.code) return not_found(name, reply.what());
  return by_probing(name, was(reply, svmrt::DriverCode::kNone) ? "accepted" : "refused with " + reply.code_text(),
                    reply);
}

Finding records(HalPort& port) {
  if (const std::string why = begin_question(port, {HalSymbol::kSupportFeature}); !why.empty()) {
    return not_found("records", why);
  }
  const bool supported = port.support_feature(0, kFeatureRegisterQuery);
  if (!port.failure().empty()) return not_found("records", port.failure());
  return {"records", supported ? "yes" : "no", "halSupportFeature(0, 11)"};
}

// Reported only: no platform says these, and a library may lack a function that its driver has.
Finding giant_pages(const Answers& answers) {
  if (!answers.features.mask) return {"giant_pages", std::nullopt, answers.features.why, false};
  return {"giant_pages", (*answers.features.mask & kMaskGiantPage) != 0 ? "yes" : "no", "halMemCtl", false};
}

Finding device_pointer(HalPort& port) {
  constexpr const char* kName = "device_pointer";
  port.begin_case();
  const bool there = port.has(HalSymbol::kMemHostGetDevPointer);
  if (!port.failure().empty()) return {kName, std::nullopt, port.failure(), false};
  return {kName, there ? "there" : "absent", "halMemHostGetDevPointer looked up", false};
}

}  // namespace

std::optional<BarSupport> bar_support_in_log(std::string_view log) {
  const auto flag = [&](std::string_view key, std::size_t from) -> std::optional<bool> {
    const std::size_t at = log.find(key, from);
    if (at == std::string_view::npos || at + key.size() >= log.size()) return std::nullopt;
    const char digit = log[at + key.size()];
    if (digit != '0' && digit != '1') return std::nullopt;
    return digit == '1';
  };
  const std::size_t last = log.rfind("support_bar_mem=");
  if (last == std::string_view::npos) return std::nullopt;
  const auto ordinary = flag("support_bar_mem=", last);
  const auto huge = flag("support_bar_huge_mem=", last);
  if (!ordinary || !huge) return std::nullopt;
  return BarSupport{*ordinary, *huge};
}

std::vector<Finding> probe(HalPort& port, const ProbeSources& sources) {
  const Answers answers = ask_all(port);
  const auto log = [&](bool BarSupport::*kind) {
    return sources.log ? std::optional<bool>((*sources.log).*kind) : std::nullopt;
  };
  const Finding driver_found = driver(answers);
  const Finding host_page_found = host_page(port, sources, answers);
  const Finding bar_huge = bar_support("support_bar_huge_mem", answers, kMaskPcieBarHugeMem, log(&BarSupport::huge),
                                       answers.huge, driver_found);
  return {host_page_found,
          device_page(answers, host_page_found, driver_found),
          bar_support("support_bar_mem", answers, kMaskPcieBarMem, log(&BarSupport::ordinary), answers.ordinary,
                      driver_found),
          bar_huge,
          write_combine(bar_huge),
          driver_found,
          mapped_pages("ordinary_pages", answers.ordinary),
          mapped_pages("huge_pages", answers.huge),
          host_address(answers),
          refused_or_not("unaligned_register", answers, answers.inside_huge),
          refused_or_not("second_register", answers, answers.twice),
          records(port),
          giant_pages(answers),
          device_pointer(port)};
}

std::vector<Finding> probe_in_process(const Platform& platform, const AddressLayout& layout, HostPageSource source) {
  RecordingBacking backing(view_offset(platform));
  InProcessPort port(platform, layout, backing);
  ProbeSources sources;
  if (source == HostPageSource::kSystem) sources.system_page = platform.host_page;
  return probe(port, sources);
}

const Finding& finding_of(const std::vector<Finding>& findings, std::string_view name) {
  return *std::find_if(findings.begin(), findings.end(), [&](const Finding& one) { return one.name == name; });
}

}  // namespace svmsim
