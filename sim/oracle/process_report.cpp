// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/process_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/machine/digest.h"
#include "sim/output/json_document.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

// As in the public driver header; a number alone when it names none.
std::string code_text(std::int32_t code) {
  return fmt::format("{} {}", code, svmrt::driver_code_name(static_cast<DriverCode>(code)));
}

Json number_or_null(const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(nullptr); }

std::string call_or_unknown(const std::optional<std::uint64_t>& call) {
  return call ? count_text(*call) : std::string("unknown");
}

}  // namespace

ProcessReport::ProcessReport(Machine& machine, const std::vector<Assumption>& assumptions)
    : machine_(machine), rules_(machine) {
  for (const Assumption& assumption : assumptions) not_measured_.push_back(assumption.parameter);
  machine.add_observer(*this);
}

ProcessReport::~ProcessReport() { machine_.remove_observer(*this); }

void ProcessReport::on_call(const CallRecord& record) {
  Calls& calls = calls_[{record.kind, svmrt::code_number(record.code)}];
  ++calls.count;
  calls.cost += record.cost;
  end_ = std::max(end_, record.begin + record.cost);
}

void ProcessReport::finish() {
  machine_.remove_observer(*this);
  rules_.finish();
  trace_digest_ = machine_.trace_digest();
}

std::string ProcessReport::text() const {
  const Platform& platform = machine_.platform();
  std::string text = fmt::format("simulated NPU: platform {}, calibration {}\n{}\n\n", platform.name,
                                 platform.calibration, platform.description);
  if (calls_.empty()) {
    text += "no driver call\n";
  } else {
    TextTable table({"call", "code", "count", "cost us"});
    for (const auto& [key, calls] : calls_) {
      table.add({std::string(call_kind_name(key.first)), code_text(key.second), count_text(calls.count),
                 microseconds_text(calls.cost)});
    }
    text += table.text();
  }
  text += fmt::format("\nsimulated time {} us, trace digest {}\n", microseconds_text(end_), digest_text(trace_digest_));
  for (const CallRules::LeftBlock& left : rules_.left_blocks()) {
    text += fmt::format("left allocated: {} bytes at {}, {} pages, by call {}\n", count_text(left.block.size.count()),
                        rules_.address_text(left.block.base), page_kind_name(left.block.kind),
                        call_or_unknown(left.allocated_by));
  }
  for (const CallRules::LeftMapping& left : rules_.left_mappings()) {
    text += fmt::format("left mapped: {} bytes at {}, by call {}\n", count_text(left.extent.size.count()),
                        rules_.address_text(left.extent.base), call_or_unknown(left.registered_by));
  }
  for (const Violation& violation : rules_.violations()) {
    text += fmt::format("violation of {}{} ({}): {}\n", violation.rule,
                        violation.call < 0 ? " at exit" : fmt::format(" in call {}", violation.call),
                        violation.allocation, violation.message);
  }
  if (rules_.violations().empty()) text += "no rule broken\n";
  if (!not_measured_.empty()) text += fmt::format("not measured: {}\n", fmt::join(not_measured_, ", "));
  return text;
}

std::string ProcessReport::json() const {
  Json json;
  json["platform"] = machine_.platform().name;
  json["calibration"] = machine_.platform().calibration;
  json["not_measured"] = not_measured_;
  json["calls"] = Json::array();
  for (const auto& [key, calls] : calls_) {
    Json entry;
    entry["call"] = call_kind_name(key.first);
    entry["code"] = key.second;
    entry["count"] = calls.count;
    entry["cost_ns"] = nanoseconds(calls.cost);
    json["calls"].push_back(entry);
  }
  json["now_ns"] = nanoseconds(end_);
  json["trace_digest"] = digest_text(trace_digest_);
  json["live_blocks"] = Json::array();
  for (const CallRules::LeftBlock& left : rules_.left_blocks()) {
    Json entry;
    entry["address"] = rules_.address_text(left.block.base);
    entry["bytes"] = left.block.size.count();
    entry["page_kind"] = page_kind_name(left.block.kind);
    entry["allocated_by_call"] = number_or_null(left.allocated_by);
    json["live_blocks"].push_back(entry);
  }
  json["live_mappings"] = Json::array();
  for (const CallRules::LeftMapping& left : rules_.left_mappings()) {
    Json entry;
    entry["address"] = rules_.address_text(left.extent.base);
    entry["bytes"] = left.extent.size.count();
    entry["registered_by_call"] = number_or_null(left.registered_by);
    entry["allocation"] = left.allocation;
    json["live_mappings"].push_back(entry);
  }
  json["violations"] = Json::array();
  for (const Violation& violation : rules_.violations()) {
    Json entry;
    entry["rule"] = violation.rule;
    entry["call"] = violation.call;
    entry["allocation"] = violation.allocation;
    entry["message"] = violation.message;
    json["violations"].push_back(entry);
  }
  return document_text(json);
}

}  // namespace svmsim
