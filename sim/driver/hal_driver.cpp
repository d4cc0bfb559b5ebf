// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/hal_driver.h"

#include "sim/driver/identity_driver.h"
#include "sim/driver/v2_driver.h"
#include "sim/driver/v3_driver.h"

namespace svmsim {

std::unique_ptr<HalDriver> make_hal_driver(const Platform& platform, const AddressLayout& layout, Backing& backing) {
  switch (platform.personality) {
    case Personality::kV2:
      return std::make_unique<V2Driver>(platform, layout, backing);
    case Personality::kV3:
      return std::make_unique<V3Driver>(platform, layout, backing);
    case Personality::kIdentity:
      break;
  }
  return std::make_unique<IdentityDriver>(platform, layout, backing);
}

std::string_view page_kind_name(PageKind kind) {
  switch (kind) {
    case PageKind::kOrdinary:
      return "ordinary";
    case PageKind::kHuge:
      return "huge";
    case PageKind::kGiant:
      return "giant";
  }
  return "unknown";
}

}  // namespace svmsim
