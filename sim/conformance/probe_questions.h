// SPDX-License-Identifier: Apache-2.0
// The single questions of `probe.h`, each a case of its own on the port. Thread-bound as the port is.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "sim/conformance/hal_port.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

// Of one register.
struct Reply {
  std::string call;                  // in words
  std::optional<std::int32_t> code;  // absent: there is no answer, and `why` says why
  std::string why;
  std::uint64_t source = 0;
  std::uint64_t view = 0;  // what a success returned

  // "65534 NOT_SUPPORT". Precondition: there is a code.
  [[nodiscard]] std::string code_text() const;
  // "a register of … answered 0 NONE", or why there is no answer.
  [[nodiscard]] std::string what() const;
};

// Of halMemCtl: the capabilities of device 0.
struct FeatureReply {
  std::optional<std::uint64_t> mask;
  std::string why;  // there is none
};

// Begins a case; says what stands in the way of one that calls these functions, empty for nothing.
[[nodiscard]] std::string begin_question(HalPort& port, std::initializer_list<HalSymbol> symbols);

// From `offset` in a fresh block of 2 MiB, to the host: the first 64 KiB, or one device page of at most that.
[[nodiscard]] Reply register_block(HalPort& port, PageKind kind, std::uint64_t offset);
// The answer to the second of two.
[[nodiscard]] Reply register_block_twice(HalPort& port, PageKind kind);
// One small page of host memory with a map type of the driver.
[[nodiscard]] Reply register_host_memory(HalPort& port, std::uint64_t offset, std::uint32_t type);
[[nodiscard]] FeatureReply ask_features(HalPort& port);

}  // namespace svmsim
