// SPDX-License-Identifier: Apache-2.0
// One of two drivers that are asked the same calls. Each keeps its own addresses; what it answers is relative to where
// its device memory begins, so that the answers of two sides can be equal. Thread-bound.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "fuzz/driver_calls.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

inline constexpr std::uint64_t kUntouched = 0x5aa55aa55aa55aa5;

struct DriverAnswer {
  std::int32_t code = 0;
  std::uint64_t result = kUntouched;  // of an out parameter; an address relative to device memory; 0 or 1
  std::vector<std::uint8_t> bytes;    // that a copy fetched, or the first and the last that a new view shows
  bool operator==(const DriverAnswer&) const = default;
};
[[nodiscard]] std::string answer_text(const DriverAnswer& answer);

// Addresses relative to device memory.
struct DriverState {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, PageKind>> blocks;    // live, as asked for
  std::vector<std::tuple<std::uint64_t, std::uint64_t, HostAccess>> mapped;  // whole pages
  std::uint64_t now_ns = 0;
  bool operator==(const DriverState&) const = default;
};
[[nodiscard]] DriverState driver_state(const std::vector<BlockInfo>& blocks, const std::vector<MappedExtent>& mapped,
                                       DeviceAddr base);
[[nodiscard]] std::string state_text(const DriverState& state);

class DriverSide {
 public:
  DriverSide() = default;
  DriverSide(const DriverSide&) = delete;
  DriverSide& operator=(const DriverSide&) = delete;
  virtual ~DriverSide() = default;

  [[nodiscard]] DriverAnswer answer(const DriverCall& call);
  [[nodiscard]] std::uint64_t address(const DriverCall& call) const { return slots_[call.slot] + call.offset; }
  [[nodiscard]] virtual DriverState state() const = 0;
  [[nodiscard]] virtual DeviceAddr base() const = 0;
  // What this side alone finds wrong with itself; empty: nothing.
  [[nodiscard]] virtual std::string complaint() const { return {}; }

 protected:
  // `result` of an allocation or a register is its address as it is.
  [[nodiscard]] virtual DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) = 0;
  // False: views lie where the kernel chose, and their addresses are not compared.
  [[nodiscard]] virtual bool has_identity() const { return true; }

 private:
  std::array<std::uint64_t, kSlots + 1> slots_{};
};

// The driver of a platform and nothing else, over a backing without bytes that knows what no backing can do.
class BareSide final : public DriverSide {
 public:
  explicit BareSide(const Platform& platform);
  ~BareSide() override;
  [[nodiscard]] DriverState state() const override;
  [[nodiscard]] DeviceAddr base() const override;
  [[nodiscard]] std::string complaint() const override;
  [[nodiscard]] static Bytes size();

 protected:
  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) override;

 private:
  struct Driver;
  std::unique_ptr<Driver> own_;
};

}  // namespace svmsim
