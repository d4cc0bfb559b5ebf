// SPDX-License-Identifier: Apache-2.0
// Four blocks of device memory of one size, to be used in turn, with what of them is mapped. Thread-bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/hal.h"
#include "runtime/journal.h"
#include "runtime/result.h"
#include "runtime/units.h"

namespace svmsim {

class RotatingBlocks {
 public:
  // Borrows the driver.
  RotatingBlocks(svmrt::Driver& driver, svmrt::Bytes size) : driver_(driver), size_(size) {}
  RotatingBlocks(const RotatingBlocks&) = delete;
  RotatingBlocks& operator=(const RotatingBlocks&) = delete;
  ~RotatingBlocks() { static_cast<void>(give_back()); }

  // All four, or an error. Each call below needs them.
  [[nodiscard]] svmrt::Result<void> allocate();
  [[nodiscard]] svmrt::DeviceAddr base(std::uint64_t iteration) const { return block(iteration).base; }
  // Maps the whole block; the view.
  [[nodiscard]] svmrt::Result<void*> map(std::uint64_t iteration);
  [[nodiscard]] svmrt::Result<void> unmap(std::uint64_t iteration);
  // Unmaps and frees what is left; a block that stays mapped is not freed. The first failure. Afterwards nothing is.
  [[nodiscard]] svmrt::Result<void> give_back();
  // kDriver: "register_to_host of 0x1000 (64 bytes) failed with BUSY (13)".
  [[nodiscard]] tl::unexpected<svmrt::Error> failed(svmrt::DriverCall call, std::uint64_t iteration,
                                                    svmrt::DriverCode code) const;

 private:
  struct Block {
    svmrt::DeviceAddr base;  // null: none
    bool mapped = false;
  };
  static constexpr std::size_t kBlocks = 4;
  [[nodiscard]] const Block& block(std::uint64_t iteration) const { return blocks_[iteration % kBlocks]; }
  [[nodiscard]] Block& block(std::uint64_t iteration) { return blocks_[iteration % kBlocks]; }

  svmrt::Driver& driver_;
  const svmrt::Bytes size_;
  std::array<Block, kBlocks> blocks_;
};

}  // namespace svmsim
