// SPDX-License-Identifier: Apache-2.0
// What the rounds of a session leave in the scene's tensors: their digests, and whether it is what it should be.
// Borrows everything; thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/cli_error.h"
#include "cli/host_tensors.h"
#include "cli/scene/scene.h"
#include "sim/kernels/golden.h"
#include "sim/machine/digest.h"
#include "sim/oracle/violation.h"

namespace svmsim {

// The element that lay furthest from the golden, over all rounds.
struct GoldenReport {
  std::string tensor;
  std::uint64_t round = 0;
  GoldenDifference worst;
};

// What device memory holds, in a copy or in place; valid until the next call for the same address.
using DeviceBytes = std::function<std::span<const std::byte>(svmrt::DeviceAddr base, svmrt::Bytes size)>;

class SessionOutputs {
 public:
  SessionOutputs(const Scene& scene, const HostTensors& tensors, DeviceBytes device_bytes)
      : scene_(scene), tensors_(tensors), device_bytes_(std::move(device_bytes)) {}

  // A session begins; `child_memory` has an address per tensor, null for staged ones.
  void begin(std::span<const svmrt::DeviceAddr> child_memory);
  // Computes what the scene's golden expects, from the bytes that the tensors have now. The error says what the golden
  // has against the scene.
  [[nodiscard]] CliResult<void> expect_golden();
  // What is wrong after a round. Every round starts from the same bytes, so every round must end with the same outputs
  // and with the golden's; unless an inout tensor in device memory carries state from round to round.
  [[nodiscard]] std::vector<Violation> check_round(std::uint64_t round);

  // Over all outputs that have data, wherever they live: the same for a scene and its child-memory variants.
  [[nodiscard]] std::uint64_t outputs_digest() const;
  // Over all outputs and all child-memory tensors that have data.
  [[nodiscard]] std::uint64_t result_digest() const;
  // Of all sessions so far; nothing without a golden.
  [[nodiscard]] const std::optional<GoldenReport>& golden() const { return golden_; }

 private:
  [[nodiscard]] bool carries_state() const;
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t index) const;
  void add_tensor(Digest& digest, std::size_t index) const;
  void compare_with_golden(std::uint64_t round, std::vector<Violation>& violations);

  const Scene& scene_;
  const HostTensors& tensors_;
  const DeviceBytes device_bytes_;
  std::vector<svmrt::DeviceAddr> child_memory_;
  std::uint64_t first_outputs_ = 0;  // of round 0
  GoldenOutputs expected_;           // empty without a golden
  std::optional<GoldenReport> golden_;
};

}  // namespace svmsim
