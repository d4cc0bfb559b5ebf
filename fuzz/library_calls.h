// SPDX-License-Identifier: Apache-2.0
// Driver calls as a program makes them: through the functions of the drop-in libraries, wherever those come from. What
// is answered is absolute. Thread-bound: the ACL layer keeps a device for each thread.
#pragma once

#include "fuzz/driver_side.h"
#include "sim/dropin/implementation.h"
#include "sim/dropin/symbols.h"

namespace svmsim {

// The functions of libascend_hal.so and libascendcl.so by their names. Null: there is none.
struct LibraryFunctions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define SVMSIM_FUNCTION(NAME) decltype(&svmsim_##NAME) NAME = nullptr;
  SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_FUNCTION)
  SVMSIM_ASCENDCL_SYMBOLS(SVMSIM_FUNCTION)
#undef SVMSIM_FUNCTION
};

// The code of a call for which there is no function.
inline constexpr std::int32_t kNoFunction = -1;

class LibraryCaller {
 public:
  // Every function that is called must be there, but for halMemHostGetDevPointer, which v3 does not have (U5).
  explicit LibraryCaller(const LibraryFunctions& functions) : functions_(functions) {}

  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address);
  [[nodiscard]] std::uint64_t now_ns() const { return functions_.svmsim_now_ns(); }
  // What the ACL layer keeps of this thread must not reach the next simulation.
  void close();

 private:
  [[nodiscard]] DriverAnswer carry_out_acl(const DriverCall& call, void* pointer) const;
  [[nodiscard]] DriverAnswer open(bool again);

  const LibraryFunctions functions_;
  bool open_ = false;
};

// Of a register that succeeded: where its view is, and the first and the last byte that the view shows.
[[nodiscard]] DriverAnswer view_answer(const DriverCall& call, const void* view);

}  // namespace svmsim
