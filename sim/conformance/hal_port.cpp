// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/hal_port.h"

#include "sim/driver/alloc_rules.h"

namespace svmsim {

HalSurroundings surroundings_of(const Platform& platform, std::uint64_t first_block) {
  return {platform.personality,
          platform.host_page,
          platform.device_page,
          platform.host,
          r7_capabilities(platform).giant_page,
          platform.fragmented,
          first_block};
}

}  // namespace svmsim
