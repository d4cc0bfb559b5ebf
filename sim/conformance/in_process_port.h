// SPDX-License-Identifier: Apache-2.0
// The simulated driver of a platform as a conformance script sees it: the thin C layer over HalDriver, without a
// library or a machine. Owned by whoever runs scripts; thread-bound.
#pragma once

#include <memory>

#include "sim/conformance/hal_port.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

// How far a backing without bytes shows views from device addresses: a platform that maps elsewhere does so above all
// of them.
[[nodiscard]] svmrt::Bytes view_offset(const Platform& platform);

class InProcessPort final : public HalPort {
 public:
  // `backing` is borrowed for the port's life and holds no page at its start and end. host_memory() is an address
  // that `layout` must not contain: 0x7f0000000000; nothing touches it.
  InProcessPort(const Platform& platform, const AddressLayout& layout, Backing& backing);
  // The same, passed off as a driver in these surroundings: what would this platform answer to scripts of another?
  InProcessPort(const Platform& platform, const AddressLayout& layout, Backing& backing,
                const HalSurroundings& surroundings);
  ~InProcessPort() override;

  [[nodiscard]] HalSurroundings surroundings() const override { return surroundings_; }
  // Everything, but halMemHostGetDevPointer on v3 (U5).
  [[nodiscard]] bool has(HalSymbol symbol) override;
  void begin_case() override;
  [[nodiscard]] std::string reopen_device() override;
  [[nodiscard]] std::uint64_t host_memory() override;

  [[nodiscard]] std::int32_t mem_alloc(std::uint64_t* address, std::uint64_t size, std::uint64_t flag) override;
  [[nodiscard]] std::int32_t mem_free(std::uint64_t address) override;
  [[nodiscard]] std::int32_t host_register(std::uint64_t source, std::uint64_t size, std::uint32_t flag,
                                           std::uint32_t device_id, std::uint64_t* host) override;
  [[nodiscard]] std::int32_t host_unregister(std::uint64_t source, std::uint32_t device_id) override;
  [[nodiscard]] std::int32_t host_unregister_ex(std::uint64_t source, std::uint32_t device_id,
                                                std::uint32_t flag) override;
  [[nodiscard]] bool support_feature(std::uint32_t device_id, std::int32_t type) override;
  [[nodiscard]] std::int32_t mem_host_get_dev_pointer(std::uint64_t host, std::uint32_t device_id,
                                                      std::uint64_t* address) override;
  [[nodiscard]] std::int32_t mem_ctl(std::int32_t type, const MemCtlFeatures* in, MemCtlFeatures* out) override;

 private:
  Platform platform_;
  AddressLayout layout_;
  Backing& backing_;
  HalSurroundings surroundings_;
  std::unique_ptr<HalDriver> driver_;
};

}  // namespace svmsim
