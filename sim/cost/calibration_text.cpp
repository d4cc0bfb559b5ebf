// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_text.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "sim/config/toml_text.h"

namespace svmsim {
namespace {

// "register" of "register.host_page".
std::string_view call_of(std::string_view term) { return term.substr(0, term.find('.')); }

// One sentence for each term of `call` that is not determined.
std::string open_terms(const std::vector<TermReport>& terms, std::string_view call) {
  std::string text;
  for (const TermReport& term : terms) {
    if (term.determined || call_of(term.name) != call) continue;
    if (!text.empty()) text += ' ';
    text += fmt::format("{} is {} ps: {}.", term.name, term.value.count(), term.reason);
  }
  return text;
}

std::string map_terms_text(std::string_view name, const MapTerms& terms) {
  return fmt::format("\n[parameters.{}]\ncall_ps = {}\nallocation_page_ps = {}\nhost_page_ps = {}\n", name,
                     terms.call.count(), terms.allocation_page.count(), terms.host_page.count());
}

std::string copy_terms_text(std::string_view name, const CopyTerms& terms) {
  return fmt::format("\n[parameters.{}]\nlatency_ps = {}\nmib_ps = {}\n", name, terms.latency.count(),
                     terms.mib.count());
}

std::string call_text(std::string_view prefix, const MeasuredCall& call) {
  std::string text;
  if (call.min) text += fmt::format("{}min_ns = {}\n", prefix, call.min->count() / 1000);
  text += fmt::format("{}median_ns = {}\n", prefix, call.median.count() / 1000);
  if (call.p99) text += fmt::format("{}p99_ns = {}\n", prefix, call.p99->count() / 1000);
  return text + fmt::format("{}residual_percent = {:.2f}\n", prefix, call.residual_percent);
}

std::string points_text(const Calibration& calibration) {
  std::string text;
  for (const MapPoint& point : calibration.map_points) {
    text += fmt::format("\n[[map_point]]\nbytes = {}\npage_kind = \"{}\"\npages = {}\n", point.bytes.count(),
                        word_of(kPageKindWords, point.page_kind), point.walk.allocation_pages);
    text += call_text("register_", point.register_call) + call_text("unregister_", point.unregister_call);
  }
  for (const CopyPoint& point : calibration.copy_points) {
    text += fmt::format("\n[[copy_point]]\ndirection = \"{}\"\nbytes = {}\n", word_of(kDirectionWords, point.direction),
                        point.bytes.count());
    text += call_text("", point.call);
  }
  for (const ViewPoint& point : calibration.view_points) {
    text += fmt::format("\n[[view_point]]\naccess = \"{}\"\naccesses = {}\n", word_of(kViewAccessWords, point.access),
                        point.accesses);
    text += call_text("", point.call);
  }
  return text;
}

}  // namespace

Calibration named_calibration(const FittedCalibration& fitted, const std::string& name) {
  Calibration calibration = fitted.calibration;
  calibration.name = name;
  calibration.description = "Fitted to " + calibration.source.what;
  calibration.assumptions.clear();
  if (calibration.map_measured) {
    calibration.assumptions.push_back(
        {"failed_call", "A refused or failed call costs its call term: how far a failing call gets is not measured."});
  }
  for (const char* call : {"register", "unregister", "copy_from_device", "copy_to_device", "set_memory", "allocate",
                           "free", "view_load", "view_store", "launch"}) {
    const std::string text = open_terms(fitted.terms, call);
    if (!text.empty()) calibration.assumptions.push_back({call, text});
  }
  return calibration;
}

std::string calibration_text(const Calibration& calibration) {
  const CostParameters& parameters = calibration.parameters;
  const CalibrationSource& source = calibration.source;
  std::string text = fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\nname = {}\ndescription = {}\npersonality = \"{}\"\ndevice_page = {}\n"
      "host_page = {}\n\n[source]\nwhat = {}\nwhere = {}\nwhen = {}\ndriver = {}\nmethod = {}\n",
      toml_quoted(calibration.name), toml_quoted(calibration.description),
      word_of(kPersonalityWords, calibration.personality), calibration.device_page.count(),
      calibration.host_page.count(), toml_quoted(source.what), toml_quoted(source.where), toml_quoted(source.when),
      toml_quoted(source.driver), toml_quoted(source.method));
  text += fmt::format(
      "\n[parameters]\nallocate_ps = {}\nfree_ps = {}\nview_load_ps = {}\nview_store_ps = {}\nlaunch_ps = {}\n",
      parameters.allocate.count(), parameters.free.count(), parameters.view_load.count(), parameters.view_store.count(),
      parameters.launch.count());
  if (calibration.map_measured) {
    text += map_terms_text("register", parameters.register_to_host);
    text += map_terms_text("unregister", parameters.unregister_from_host);
  }
  text += copy_terms_text("copy_from_device", parameters.copy_from_device);
  text += copy_terms_text("copy_to_device", parameters.copy_to_device);
  text += copy_terms_text("set_memory", parameters.set_memory);
  text += points_text(calibration);
  for (const Assumption& assumption : calibration.assumptions) {
    text += fmt::format("\n[[assumption]]\nparameter = {}\ntext = {}\n", toml_quoted(assumption.parameter),
                        toml_quoted(assumption.text));
  }
  return text;
}

}  // namespace svmsim
