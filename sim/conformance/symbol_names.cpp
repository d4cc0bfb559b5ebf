// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/hal_port.h"

namespace svmsim {

std::string_view hal_symbol_name(HalSymbol symbol) {
  switch (symbol) {
    case HalSymbol::kMemAlloc:
      return "halMemAlloc";
    case HalSymbol::kMemFree:
      return "halMemFree";
    case HalSymbol::kHostRegister:
      return "halHostRegister";
    case HalSymbol::kHostUnregister:
      return "halHostUnregister";
    case HalSymbol::kHostUnregisterEx:
      return "halHostUnregisterEx";
    case HalSymbol::kSupportFeature:
      return "halSupportFeature";
    case HalSymbol::kMemHostGetDevPointer:
      return "halMemHostGetDevPointer";
    case HalSymbol::kMemCtl:
      break;
  }
  return "halMemCtl";
}

}  // namespace svmsim
