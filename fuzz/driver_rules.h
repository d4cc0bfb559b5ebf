// SPDX-License-Identifier: Apache-2.0
// What the driver must answer, by the rules of hicann/driver ef377e9 and in plain containers: a reference for the v2
// and v3 drivers. It shares with them numbers of the C interface and nothing else. Where an allocation lies it is told.
// What it does not know it allows both ways: on v2 the memory that no live block covers (which freed blocks stay in the
// user-space cache, F2, and when that lets go of them, F2a and F2b), and whether a device that was full once is full
// still. For one device, without giant pages and without the switches `lenient` and `non_identity`. Thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/driver_side.h"

namespace svmsim {

class DriverRules {
 public:
  // Device memory is at [base, base + size).
  DriverRules(const Platform& platform, DeviceAddr base, Bytes size);

  // The rule that the answer to a call for `address`, or what the driver holds `after` it, breaks; empty: none.
  [[nodiscard]] std::string judge(const DriverCall& call, std::uint64_t address, const DriverAnswer& answer,
                                  const DriverState& after);

 private:
  // Addresses here are relative to device memory.
  struct Block {
    std::uint64_t size = 0;
    PageKind kind = PageKind::kOrdinary;
    bool read_only = false;
  };
  struct Mapping {
    std::uint64_t end = 0;
    bool owned = true;  // false: what is left of one that ran over the end of its segment (U3)
    HostAccess access = HostAccess::kReadWrite;
  };
  using Blocks = std::map<std::uint64_t, Block>;
  using Codes = std::vector<svmrt::DriverCode>;

  [[nodiscard]] static DriverCall asked_by_acl(const DriverCall& call);
  [[nodiscard]] Codes alloc_codes(const DriverCall& call) const;
  [[nodiscard]] Codes free_codes(std::uint64_t at) const;
  [[nodiscard]] Codes register_codes_v2(const DriverCall& call, std::uint64_t at) const;
  [[nodiscard]] Codes register_codes_v3(const DriverCall& call, std::uint64_t at) const;
  [[nodiscard]] Codes unregister_codes(const DriverCall& call, std::uint64_t at) const;
  [[nodiscard]] Codes unregister_ex_codes(const DriverCall& call, std::uint64_t at) const;
  [[nodiscard]] Codes codes_of(const DriverCall& call, std::uint64_t at) const;

  [[nodiscard]] std::string allocated(const DriverCall& call, std::uint64_t at);
  [[nodiscard]] std::string registered(const DriverCall& call, std::uint64_t at, const DriverAnswer& answer,
                                       const DriverState& after);
  [[nodiscard]] std::string unregistered(std::uint64_t at, const DriverState& after);
  void freed(std::uint64_t at, const DriverState& after);
  [[nodiscard]] std::string succeeded(const DriverCall& call, std::uint64_t at, const DriverAnswer& answer,
                                      const DriverState& after);
  [[nodiscard]] std::string compare(const DriverState& after) const;

  [[nodiscard]] bool v3() const { return platform_.personality == Personality::kV3; }
  [[nodiscard]] bool in_device_memory(std::uint64_t at) const { return at < size_; }
  [[nodiscard]] std::uint64_t page(PageKind kind) const;
  // What a live block certainly covers with pages: on v2 whole units of a segment.
  [[nodiscard]] std::uint64_t pages_begin(const Blocks::value_type& block) const;
  [[nodiscard]] std::uint64_t pages_end(const Blocks::value_type& block) const;
  [[nodiscard]] Blocks::const_iterator block_over(std::uint64_t at) const;
  [[nodiscard]] bool mapped(std::uint64_t from, std::uint64_t to) const;
  [[nodiscard]] bool mapped_from(std::uint64_t at) const;
  [[nodiscard]] bool can_map(PageKind kind) const;
  [[nodiscard]] bool reaches_kernel(const Block& block) const;

  const Platform platform_;
  const std::uint64_t base_;
  const std::uint64_t size_;
  Blocks blocks_;
  std::map<std::uint64_t, Mapping> mapped_;
  std::map<std::uint64_t, std::uint64_t> records_;  // v2's, of device 0; by start, to their end
  bool records_on_ = false;
  std::uint64_t used_since_open_ = 0;                  // v2: what would be used if nothing had been given back
  std::map<std::uint64_t, std::uint64_t> handed_out_;  // with reuse quarantine: every address ever, to its end
};

}  // namespace svmsim
