// SPDX-License-Identifier: Apache-2.0
// What the conformance runner and the process that holds a driver library say to each other: one datagram per message
// over a socket, both ends of one build. Plain structs, thread-compatible.
#pragma once

#include <cstdint>

namespace svmsim {

enum class HostCall : std::uint32_t {
  kLookUp,
  kReopenDevice,
  kHostMemory,
  kMemAlloc,
  kMemFree,
  kHostRegister,
  kHostUnregister,
  kHostUnregisterEx,
  kSupportFeature,
  kMemHostGetDevPointer,
  kMemCtl,
  kDriverVersion,
  kSocName,
};

struct HostRequest {
  HostCall call = HostCall::kLookUp;
  std::uint32_t device_id = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t flag = 0;    // the flag argument; of kMemCtl the mask
  std::int32_t type = 0;     // of kSupportFeature and kMemCtl
  std::uint32_t symbol = 0;  // of kLookUp: a HalSymbol
  bool null_in = false;      // pass no input struct
  bool null_out = false;     // pass no place for the output
  std::uint64_t output = 0;  // what the output parameter holds before the call
};

// The process sends a first one unasked when the library is loaded, or not.
struct HostAnswer {
  std::int32_t code = 0;        // or whether: kLookUp and kSupportFeature
  std::uint32_t device_id = 0;  // of kMemCtl: the second field of the output
  std::uint64_t output = 0;     // what the output parameter holds now; of kHostMemory the address
  char failure[512] = {};       // why there is no answer, as HalPort::failure() says it; empty when there is one
  bool absent = false;          // of the first: there is no library to load, or it finds no device
  char library[512] = {};       // of the first: where the loader found it
  char no_runtime[512] = {};    // of kReopenDevice: HalPort::reopen_device()
  bool simulated = false;       // of the first: it is a library of this simulator
  char text[256] = {};          // of kDriverVersion and kSocName: the answer
};

}  // namespace svmsim
