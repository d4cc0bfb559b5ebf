// SPDX-License-Identifier: Apache-2.0
// What a fuzz target defines. An engine (libFuzzer, AFL++, replay_main.cpp) calls it; the names and signatures are
// libFuzzer's. Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// Carries the input out. Does not return when something is wrong: says what to stderr and aborts.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Change the `size` bytes at `data`, of which `most` fit, in place; returns how many there are then.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t most, unsigned seed);
// What the engine defines for mutators: its own changes of bytes, in place; returns how many there are then.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
}

namespace svmsim {

// Before each input. Does nothing, but in programs with planted faults.
void prepare_input();

}  // namespace svmsim
