// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/digest.h"

namespace svmsim {

namespace {

std::string relative(svmrt::DeviceAddr address, svmrt::DeviceAddr slice_base) {
  return fmt::format("svm+{:#x}", address.value() - slice_base.value());
}

Json call_json(const CallRecord& record, svmrt::DeviceAddr slice_base) {
  const bool has_address = record.address >= slice_base;
  Json call;
  call["call"] = std::string(call_kind_name(record.kind));
  call["timeline"] = static_cast<std::uint32_t>(record.timeline);
  call["address"] = has_address ? Json(relative(record.address, slice_base)) : Json(nullptr);
  call["size"] = record.size.count();
  call["code"] = svmrt::code_number(record.code);
  call["cost_ns"] = nanoseconds(record.cost);
  return call;
}

Json blocks_json(const std::vector<Snapshot::Block>& blocks, svmrt::DeviceAddr slice_base) {
  Json list = Json::array();
  for (const Snapshot::Block& block : blocks) {
    Json entry;
    entry["address"] = relative(block.base, slice_base);
    entry["bytes"] = block.size.count();
    list.push_back(std::move(entry));
  }
  return list;
}

// Two hex digits a byte, "??" for one that nobody ever wrote.
std::string bytes_text(const StepReport& step) {
  std::string text;
  for (std::size_t i = 0; i < step.outcome.bytes.size(); ++i) {
    const bool known = i >= step.known.size() || step.known[i];
    text += known ? fmt::format("{:02x}", step.outcome.bytes[i]) : "??";
  }
  return text;
}

std::string blocks_text(const Json& blocks) {
  std::string text;
  for (const Json& block : blocks) {
    text += fmt::format("{}{} ({} bytes)", text.empty() ? "" : ", ", block.at("address").get<std::string>(),
                        block.at("bytes").get<std::uint64_t>());
  }
  return text.empty() ? "nothing" : text;
}

// The number of a document that document_text has not printed yet.
std::string number_text(const Json& number) {
  const std::string text = document_text(number);
  return text.substr(0, text.size() - 1);
}

std::string call_text(const Json& call) {
  const Json& address = call.at("address");
  return fmt::format("       {} {}, {} bytes, timeline {}: code {}, {} ns\n", call.at("call").get<std::string>(),
                     address.is_null() ? "no address" : address.get<std::string>(),
                     call.at("size").get<std::uint64_t>(), call.at("timeline").get<std::uint64_t>(),
                     call.at("code").get<std::int64_t>(), number_text(call.at("cost_ns")));
}

std::string step_text(const Json& step) {
  std::string text = fmt::format("{:>4}  {}\n       {}", step.at("index").get<std::uint64_t>(),
                                 step.at("operation").get<std::string>(), step.at("answer").get<std::string>());
  if (const auto code = step.at("code").get<std::int64_t>(); code != 0) text += fmt::format(" ({})", code);
  if (const std::string bytes = step.at("bytes"); !bytes.empty()) text += " " + bytes;
  text += "\n";
  for (const Json& call : step.at("calls")) text += call_text(call);
  text += fmt::format("       mapped: {}\n", blocks_text(step.at("mapped")));
  if (!step.at("quarantined").empty()) {
    text += fmt::format("       quarantined: {}\n", blocks_text(step.at("quarantined")));
  }
  return text;
}

}  // namespace

Json step_json(const StepReport& step, const Scenario& scenario) {
  const bool tears_down = step.index >= scenario.operations.size();
  Json document;
  document["index"] = step.index;
  document["operation"] = tears_down ? "tear down" : operation_text(step.operation);
  document["answer"] = tears_down ? "ok" : std::string(answer_name(step.outcome.answer));
  document["code"] = step.outcome.code;
  document["bytes"] = bytes_text(step);
  document["calls"] = Json::array();
  for (const CallRecord& call : step.calls) document["calls"].push_back(call_json(call, step.slice_base));
  document["mapped"] = blocks_json(step.after.mapped, step.slice_base);
  document["quarantined"] = blocks_json(step.after.quarantined, step.slice_base);
  document["held"]["count"] = step.after.held.count;
  document["held"]["bytes"] = step.after.held.bytes.count();
  return document;
}

Json verdict_json(const ScenarioResult& result) {
  Json document;
  document["digest"] = digest_text(result.digest);
  document["failure"] = nullptr;
  if (result.failure) {
    Json failure;
    failure["property"] = result.failure->property;
    failure["operation"] = result.failure->operation;
    failure["message"] = result.failure->message;
    document["failure"] = failure;
  }
  document["error"] = result.error;
  return document;
}

Json replay_json(const std::string& file, const Scenario& scenario, Json steps, const Json& verdict) {
  Json document;
  document["file"] = file;
  document["name"] = scenario.name;
  document["platform"] = scenario.platform;
  document["policy"] = svmrt::policy_name(scenario.policy);
  document["fault"] = scenario.fault.empty() ? Json(nullptr) : Json(scenario.fault);
  document["operations"] = scenario.operations.size();
  document["skipped"] = std::count_if(steps.begin(), steps.end(), [](const Json& step) {
    return step.at("answer") == std::string(answer_name(Answer::kSkipped));
  });
  document["steps"] = std::move(steps);
  document["digest"] = verdict.at("digest");
  document["failure"] = verdict.at("failure");
  return document;
}

std::string replay_text(const Json& document) {
  const std::string name = document.at("name");
  std::string text = fmt::format("{}: {} operations on {}, policy {}\n\n",
                                 name.empty() ? document.at("file").get<std::string>() : name,
                                 document.at("operations").get<std::uint64_t>(),
                                 document.at("platform").get<std::string>(), document.at("policy").get<std::string>());
  for (const Json& step : document.at("steps")) text += step_text(step);
  if (const Json& fault = document.at("fault"); !fault.is_null()) {
    text +=
        fmt::format("\nthis is the runtime without the fault \"{}\", which the scenario exposes where it is planted\n",
                    fault.get<std::string>());
  }
  if (const auto skipped = document.at("skipped").get<std::uint64_t>(); skipped > 0) {
    text += fmt::format("\n{} operations found nothing to act on and were skipped\n", skipped);
  }
  const Json& failure = document.at("failure");
  if (failure.is_null()) {
    return text + fmt::format("\nevery property holds, digest {}\n", document.at("digest").get<std::string>());
  }
  return text + fmt::format("\nfails at operation {}\n  property   {}\n  message    {}\n",
                            failure.at("operation").get<std::uint64_t>(), failure.at("property").get<std::string>(),
                            failure.at("message").get<std::string>());
}

}  // namespace svmsim
