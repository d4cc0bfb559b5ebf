// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/runner.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <type_traits>
#include <utility>

#include "runtime/driver_code.h"

namespace svmsim {
namespace {

// What an output parameter holds before a call: no address of device or host.
constexpr std::uint64_t kUntouched = 0xa5a5a5a5a5a5a5a5;

struct StepEnd {
  CaseVerdict verdict = CaseVerdict::kAgrees;
  std::string expected;
  std::string seen;
};

StepEnd deviates(std::string expected, std::string seen) {
  return {CaseVerdict::kDeviates, std::move(expected), std::move(seen)};
}

std::string code_text(std::int32_t code) {
  return fmt::format("code {} {}", code, svmrt::driver_code_name(static_cast<svmrt::DriverCode>(code)));
}

StepEnd compare_code(std::int32_t expected, std::int32_t seen) {
  if (expected == seen) return {};
  return deviates(code_text(expected), code_text(seen));
}

std::string device_text(std::uint32_t device_id) { return device_id == 0 ? "" : fmt::format(", device {}", device_id); }
std::string flag_text(const FlagWord& flag) {
  return flag.value == 2 ? "" : fmt::format(", {}", flag.text);  // DEV_SVM_MAP_HOST goes without saying
}

struct CallText {
  std::string operator()(const AllocStep& step) const {
    return fmt::format("halMemAlloc({}{}, {})", step.null_result ? "null, " : "", step.size.text, step.flag.text);
  }
  std::string operator()(const FreeStep& step) const { return fmt::format("halMemFree({})", step.address.text); }
  std::string operator()(const RegisterStep& step) const {
    return fmt::format("halHostRegister({}, {}{}{}{})", step.source.text, step.size.text, flag_text(step.flag),
                       device_text(step.device_id), step.null_destination ? ", null" : "");
  }
  std::string operator()(const UnregisterStep& step) const {
    return fmt::format("halHostUnregister({}{})", step.source.text, device_text(step.device_id));
  }
  std::string operator()(const UnregisterExStep& step) const {
    return fmt::format("halHostUnregisterEx({}{}{})", step.source.text, device_text(step.device_id),
                       flag_text(step.flag));
  }
  std::string operator()(const FeatureStep& step) const {
    return fmt::format("halSupportFeature({}{})", step.type, device_text(step.device_id));
  }
  std::string operator()(const DevPointerStep& step) const {
    return fmt::format("halMemHostGetDevPointer({}{})", step.host.text, device_text(step.device_id));
  }
  std::string operator()(const MemCtlStep& step) const {
    return fmt::format("halMemCtl({}, {}{}{})", step.type, step.null_in ? "null" : fmt::format("{:#x}", step.mask),
                       device_text(step.device_id), step.null_out ? ", null" : "");
  }
  std::string operator()(const LookUpStep& step) const {
    return fmt::format("dlsym({})", hal_symbol_name(step.symbol));
  }
  std::string operator()(const ReopenStep& /*step*/) const { return "reopen_device"; }
};

// The symbol that a step calls, if any.
template <typename S>
constexpr std::optional<HalSymbol> symbol_of() {
  if constexpr (std::is_same_v<S, AllocStep>) return HalSymbol::kMemAlloc;
  if constexpr (std::is_same_v<S, FreeStep>) return HalSymbol::kMemFree;
  if constexpr (std::is_same_v<S, RegisterStep>) return HalSymbol::kHostRegister;
  if constexpr (std::is_same_v<S, UnregisterStep>) return HalSymbol::kHostUnregister;
  if constexpr (std::is_same_v<S, UnregisterExStep>) return HalSymbol::kHostUnregisterEx;
  if constexpr (std::is_same_v<S, FeatureStep>) return HalSymbol::kSupportFeature;
  if constexpr (std::is_same_v<S, DevPointerStep>) return HalSymbol::kMemHostGetDevPointer;
  if constexpr (std::is_same_v<S, MemCtlStep>) return HalSymbol::kMemCtl;
  return std::nullopt;
}

class CaseRun {
 public:
  explicit CaseRun(HalPort& port) : port_(port) {
    variables_[std::string(kNullVariable)] = 0;
    variables_[std::string(kHostVariable)] = port.host_memory();
    variables_[std::string(kFirstBlockVariable)] = port.surroundings().first_block;
  }

  template <typename S>
  StepEnd operator()(const S& step) {
    if (const auto symbol = symbol_of<S>(); symbol && !port_.has(*symbol)) {
      return {CaseVerdict::kNotApplicable, std::string(hal_symbol_name(*symbol)), "a library without it"};
    }
    return run(step);
  }

 private:
  StepEnd run(const AllocStep& step) {
    std::uint64_t address = kUntouched;
    const std::int32_t code = port_.mem_alloc(step.null_result ? nullptr : &address, step.size.offset, step.flag.value);
    if (code != step.code || code != 0) return compare_code(step.code, code);
    if (address == kUntouched) return deviates("an address", "an untouched result");
    if (step.given && value(*step.given) != address) {
      return {CaseVerdict::kNotApplicable, address_text(*step.given), fmt::format("address {:#x}", address)};
    }
    if (step.given_multiple_of && address % step.given_multiple_of->offset != 0) {
      return {CaseVerdict::kNotApplicable, fmt::format("a multiple of {}", step.given_multiple_of->text),
              fmt::format("address {:#x}", address)};
    }
    if (step.address && value(*step.address) != address) {
      return deviates(address_text(*step.address), fmt::format("address {:#x}", address));
    }
    if (step.differs && value(*step.differs) == address) {
      return deviates(fmt::format("another address than {}", step.differs->text), fmt::format("{:#x}", address));
    }
    keep(step.as, address);
    return {};
  }

  StepEnd run(const FreeStep& step) { return compare_code(step.code, port_.mem_free(value(step.address))); }

  StepEnd run(const RegisterStep& step) {
    std::uint64_t host = kUntouched;
    const std::int32_t code =
        port_.host_register(value(step.source), step.size.offset, static_cast<std::uint32_t>(step.flag.value),
                            step.device_id, step.null_destination ? nullptr : &host);
    if (code != step.code) return compare_code(step.code, code);
    if (code != 0) {
      if (host == kUntouched) return {};
      return deviates("an untouched destination", fmt::format("address {:#x}", host));
    }
    if (host == kUntouched) return deviates("an address", "an untouched destination");
    if (step.host && value(*step.host) != host) {
      return deviates(address_text(*step.host), fmt::format("address {:#x}", host));
    }
    if (step.differs && value(*step.differs) == host) {
      return deviates(fmt::format("another address than {}", step.differs->text), fmt::format("{:#x}", host));
    }
    keep(step.as, host);
    return {};
  }

  StepEnd run(const UnregisterStep& step) {
    return compare_code(step.code, port_.host_unregister(value(step.source), step.device_id));
  }
  StepEnd run(const UnregisterExStep& step) {
    return compare_code(step.code, port_.host_unregister_ex(value(step.source), step.device_id,
                                                            static_cast<std::uint32_t>(step.flag.value)));
  }
  StepEnd run(const FeatureStep& step) {
    const bool seen = port_.support_feature(step.device_id, step.type);
    return seen == step.value ? StepEnd{} : deviates(fmt::format("{}", step.value), fmt::format("{}", seen));
  }
  StepEnd run(const DevPointerStep& step) {
    std::uint64_t address = kUntouched;
    const std::int32_t code = port_.mem_host_get_dev_pointer(value(step.host), step.device_id, &address);
    if (code != step.code || !step.address || value(*step.address) == address) return compare_code(step.code, code);
    return deviates(address_text(*step.address), fmt::format("address {:#x}", address));
  }
  StepEnd run(const MemCtlStep& step) {
    const MemCtlFeatures in{step.mask, step.device_id};
    MemCtlFeatures out;
    const std::int32_t code = port_.mem_ctl(step.type, step.null_in ? nullptr : &in, step.null_out ? nullptr : &out);
    if (code != step.code || !step.mask_out || *step.mask_out == out.mask) return compare_code(step.code, code);
    return deviates(fmt::format("mask {:#x}", *step.mask_out), fmt::format("mask {:#x}", out.mask));
  }
  StepEnd run(const LookUpStep& step) {
    const bool seen = port_.has(step.symbol);
    const auto text = [](bool there) { return std::string(there ? "present" : "absent"); };
    return seen == step.value ? StepEnd{} : deviates(text(step.value), text(seen));
  }
  StepEnd run(const ReopenStep& /*step*/) {
    std::string instead = port_.reopen_device();
    if (instead.empty()) return {};
    return {CaseVerdict::kNotApplicable, "an ACL runtime beside the library", std::move(instead)};
  }

  // The loader refuses variables that no earlier step names, and a step that fails names none.
  std::uint64_t value(const Amount& amount) const {
    return amount.variable.empty() ? amount.offset : variables_.at(amount.variable) + amount.offset;
  }
  std::string address_text(const Amount& amount) const {
    return fmt::format("address {:#x} ({})", value(amount), amount.text);
  }
  void keep(const std::string& name, std::uint64_t address) {
    if (!name.empty()) variables_[name] = address;
  }

  HalPort& port_;
  std::map<std::string, std::uint64_t, std::less<>> variables_;
};

struct Unmet {
  std::string needs;
  std::string there;
};

std::string_view text_of(Personality personality) {
  if (personality == Personality::kV2) return "v2";
  return personality == Personality::kV3 ? "v3" : "identity";
}
std::string_view text_of(HostKind host) { return host == HostKind::kPhysical ? "physical" : "vm_without_wc"; }
std::uint64_t text_of(std::uint64_t number) { return number; }
bool text_of(bool value) { return value; }

template <typename T>
std::optional<Unmet> compare_need(std::string_view key, const std::optional<T>& needs, T there) {
  if (!needs || *needs == there) return std::nullopt;
  return Unmet{fmt::format("{} {}", key, text_of(*needs)), fmt::format("{}", text_of(there))};
}

std::optional<Unmet> first_unmet(const ConformanceScript& script, const HalSurroundings& there) {
  if (auto unmet = compare_need("personality", std::optional(script.personality), there.personality)) return unmet;
  const ScriptNeeds& needs = script.needs;
  if (auto unmet = compare_need("host_page", needs.host_page, there.host_page.count())) return unmet;
  if (auto unmet = compare_need("device_page", needs.device_page, there.device_page.count())) return unmet;
  if (auto unmet = compare_need("host", needs.host, there.host)) return unmet;
  if (auto unmet = compare_need("giant_page", needs.giant_page, there.giant_page)) return unmet;
  return compare_need("fragmented", needs.fragmented, there.fragmented);
}

}  // namespace

std::string CaseOutcome::message() const {
  const std::string place = step == 0 ? "" : fmt::format(" step {}, {}:", step, call);
  switch (verdict) {
    case CaseVerdict::kAgrees:
      return fmt::format("{} {}: agrees", rule, name);
    case CaseVerdict::kDeviates:
      return fmt::format("{} {}:{} expected {}, seen {}", rule, name, place, expected, seen);
    case CaseVerdict::kNotApplicable:
      break;
  }
  return fmt::format("{} {}:{} not applicable: needs {}, there is {}", rule, name, place, expected, seen);
}

std::vector<CaseOutcome> run_script(const ConformanceScript& script, HalPort& port) {
  const std::optional<Unmet> unmet = first_unmet(script, port.surroundings());
  std::vector<CaseOutcome> outcomes;
  for (const ConformanceCase& one : script.cases) {
    CaseOutcome& outcome = outcomes.emplace_back();
    outcome.rule = one.rule;
    outcome.name = one.name;
    if (unmet) {
      outcome.verdict = CaseVerdict::kNotApplicable;
      outcome.expected = unmet->needs;
      outcome.seen = unmet->there;
      continue;
    }
    port.begin_case();
    CaseRun run(port);
    if (std::string failure = port.failure(); !failure.empty()) {
      outcome.verdict = CaseVerdict::kDeviates;
      outcome.expected = "a process with the driver";
      outcome.seen = std::move(failure);
      continue;
    }
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      StepEnd end = std::visit(run, one.steps[i]);
      if (std::string failure = port.failure(); !failure.empty()) end = deviates("an answer", std::move(failure));
      if (end.verdict == CaseVerdict::kAgrees) continue;
      outcome.verdict = end.verdict;
      outcome.step = i + 1;
      outcome.call = std::visit(CallText{}, one.steps[i]);
      outcome.expected = std::move(end.expected);
      outcome.seen = std::move(end.seen);
      break;
    }
  }
  return outcomes;
}

}  // namespace svmsim
