// SPDX-License-Identifier: Apache-2.0
// Makes one thread's calls and judges each by the rules: its code, its out parameters, and, unless threads call at
// once, what is alive. Aborts with the call, what it answered and all calls before it when one is wrong. Thread-bound:
// made and used on the thread whose calls it makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/abi_arguments.h"
#include "fuzz/abi_books.h"
#include "fuzz/abi_bytes.h"
#include "fuzz/abi_out.h"
#include "sim/platform.h"

namespace svmsim {

// The driver's ids of the devices that ACL calls know as 0 and 1.
inline constexpr std::uint32_t kAbiDevices[AbiBooks::kDevices] = {0, 5};
// What dsmi_get_version answers.
inline constexpr char kAbiVersion[] = "25.5.0";

struct AbiWorld {
  const Platform& platform;
  std::uint64_t slice = 0;  // where device memory begins
  bool at_once = false;     // other threads call meanwhile
};

class AbiCaller {
 public:
  // Borrows both for its life. `name` is the thread's, for messages.
  AbiCaller(std::string name, const AbiWorld& world, AbiBooks& books);

  void call(const AbiCall& call);

  // Says what is wrong, and the calls of this thread.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Made {
    AbiFunction function;
    std::array<std::uint64_t, kMostArguments> values;
    std::size_t arguments;
    std::int64_t answer;
  };

  void hal_call(AbiFunction function, AbiArguments& given);
  void acl_call(AbiFunction function, AbiArguments& given);

  void host_register(AbiArguments& given);
  void mem_alloc(AbiArguments& given);
  void mem_ctl(AbiArguments& given);
  void get_version(AbiArguments& given);
  void now();
  void set_device(AbiArguments& given);
  void reset_device(AbiArguments& given);
  void acl_malloc(AbiFunction function, AbiArguments& given);
  void acl_free(AbiArguments& given);
  void copy(AbiArguments& given);
  void set_memory(AbiArguments& given);
  void malloc_host(AbiArguments& given);
  void free_host(AbiArguments& given);
  void acl_register(AbiArguments& given);
  void last_error(AbiArguments& given);
  void logic_device(AbiArguments& given);

  // Every call ends in one of these: notes the answer and checks that the function may give it.
  std::int32_t answered(std::int32_t code);
  std::int32_t acl_answered(std::int32_t code);  // a failure becomes the thread's last error
  template <typename T>
  void judge(std::int32_t code, const AbiOut<T>& out) const;
  void judge_new_block(std::uint64_t address, std::uint64_t size);
  // A call that needs a device, and gets past what comes before.
  void judge_device(std::int32_t code) const;
  void require(bool holds, const char* what) const {
    if (!holds) fail(what);
  }
  [[nodiscard]] bool exact() const { return !world_.at_once; }
  [[nodiscard]] bool has_device() const;

  const std::string name_;
  const AbiWorld& world_;
  AbiBooks& books_;
  std::vector<Made> made_;
  const AbiArguments* given_ = nullptr;  // of the call under way
  std::int32_t last_error_ = 0;
  std::uint64_t last_now_ = 0;
  std::optional<std::size_t> device_;  // that the thread set last
  std::uint64_t closings_ = 0;         // of it, when it was set
};

}  // namespace svmsim
