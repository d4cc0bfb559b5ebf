// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_base.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace svmsim {
namespace {

Picoseconds& term_of(MapTerms& terms, std::string_view term) {
  if (term == "call") return terms.call;
  return term == "allocation_page" ? terms.allocation_page : terms.host_page;
}
Picoseconds& term_of(CopyTerms& terms, std::string_view term) { return term == "latency" ? terms.latency : terms.mib; }

// By the name of its TermReport.
Picoseconds& parameter_of(CostParameters& parameters, std::string_view name) {
  const std::string_view call = name.substr(0, name.find('.'));
  const std::string_view term = name.substr(call.size() < name.size() ? call.size() + 1 : call.size());
  if (call == "register") return term_of(parameters.register_to_host, term);
  if (call == "unregister") return term_of(parameters.unregister_from_host, term);
  if (call == "copy_from_device") return term_of(parameters.copy_from_device, term);
  if (call == "copy_to_device") return term_of(parameters.copy_to_device, term);
  if (call == "set_memory") return term_of(parameters.set_memory, term);
  if (call == "allocate") return parameters.allocate;
  if (call == "free") return parameters.free;
  if (call == "view_load") return parameters.view_load;
  if (call == "view_store") return parameters.view_store;
  if (call == "launch") return parameters.launch;
  std::abort();
}

bool is_of_mapping(std::string_view name) { return name.starts_with("register.") || name.starts_with("unregister."); }

bool knows_mapping_of(const Calibration& base, const Calibration& fitted) {
  const bool same_pages = base.host_page == fitted.host_page && base.device_page == fitted.device_page;
  return base.map_measured && base.personality == fitted.personality && (same_pages || !fitted.map_points.empty());
}

}  // namespace

FittedCalibration with_base(FittedCalibration fitted, const Calibration& base) {
  Calibration& calibration = fitted.calibration;
  CostParameters values = base.parameters;
  const bool maps = knows_mapping_of(base, calibration);
  for (TermReport& term : fitted.terms) {
    if (term.determined || (is_of_mapping(term.name) && !maps)) continue;
    term.value = parameter_of(values, term.name);
    term.uncertainty = Picoseconds(0);
    parameter_of(calibration.parameters, term.name) = term.value;
    // What stood in for it so far stands after the semicolon.
    term.reason.resize(std::min(term.reason.find(';'), term.reason.size()));
    term.reason += "; as in calibration " + base.name;
  }
  calibration.map_measured = calibration.map_measured || maps;
  fitted.calibration = with_residuals(std::move(fitted.calibration));
  return fitted;
}

}  // namespace svmsim
