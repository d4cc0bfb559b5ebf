// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_run.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fuzz/abi_arena.h"
#include "fuzz/abi_books.h"
#include "fuzz/abi_caller.h"
#include "fuzz/dropin_machine.h"
#include "fuzz/fixtures_folder.h"
#include "sim/dropin/environment.h"
#include "sim/dropin/implementation.h"
#include "sim/dropin/process.h"

namespace svmsim {

namespace {

// All of device memory: small enough for every kind of build, large enough for blocks above 512 MiB and giant ones.
constexpr Bytes kHbm{std::uint64_t{1} << 30};
constexpr std::uint64_t kHugeFlag = 0x2100000000924400;
constexpr std::uint32_t kHostMemory = 0;  // HOST_MEM_MAP_DEV

Environment environment_of(const std::string& platform) {
  auto environment =
      read_environment({{"SVMSIM_PLATFORM", platform},
                        {"SVMSIM_VERSION", kAbiVersion},
                        {"ASCEND_RT_VISIBLE_DEVICES", fmt::format("{},{}", kAbiDevices[0], kAbiDevices[1])}},
                       fixtures_folder());
  if (!environment) {
    std::fprintf(stderr, "%s\n", environment.error().c_str());
    std::exit(2);
  }
  environment->platform.hbm = kHbm;
  return *std::move(environment);
}

// What an input can choose from; `identity` has no rules to hold calls against.
const std::vector<Environment>& environments() {
  static const std::vector<Environment> all = [] {
    std::vector<Environment> made;
    made.reserve(7);
    for (const char* const name : {"a2a3", "a5-map", "a2a3-64k", "a2a3-vm", "a2a3-nonidentity", "lenient"}) {
      made.push_back(environment_of(name));
    }
    made.push_back(environment_of("a5-map"));
    made.back().platform.name = "a5-map, host page 65536";
    made.back().platform.host_page = Bytes(65536);
    return made;
  }();
  return all;
}

// Lets threads pass in the order of the calls.
class Turns {
 public:
  void wait_for(std::size_t turn) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == turn; });
  }
  void pass() {
    const std::lock_guard lock(mutex_);
    ++next_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
};

// The calls of one thread; with `turns` each waits until those before it are done.
void run_thread(const AbiInput& input, bool second, AbiCaller& caller, Turns* turns) {
  for (std::size_t i = 0; i < input.calls.size(); ++i) {
    if (input.calls[i].second_thread != second) continue;
    if (turns != nullptr) turns->wait_for(i);
    caller.call(input.calls[i]);
    if (turns != nullptr) turns->pass();
  }
}

void run_two_threads(const AbiInput& input, const AbiWorld& world, AbiBooks& books, AbiCaller& first) {
  Turns turns;
  Turns* const taken = input.threads == AbiThreads::kTwoByTurns ? &turns : nullptr;
  std::thread other([&] {
    AbiCaller second("thread 2", world, books);
    run_thread(input, true, second, taken);
  });
  run_thread(input, false, first, taken);
  other.join();
}

std::vector<std::uint64_t> live_blocks() {
  return look_at_machine([](const Machine& machine) {
    std::vector<std::uint64_t> addresses;
    for (const BlockInfo& block : machine.live_blocks()) addresses.push_back(block.base.value());
    return addresses;
  });
}

// Gives back what the input left, by the calls that a program has for it.
void close_everything(const AbiCaller& caller, const AbiBooks& books, bool exact) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) caller.fail(std::string("at the end: ") + what);
  };
  for (const std::uint64_t address : books.host_blocks()) {
    const std::int32_t code = svmsim_aclrtFreeHost(reinterpret_cast<void*>(address));
    if (exact) require(code == 0, "memory of aclrtMallocHost cannot be freed");
  }
  require(svmsim_aclrtSetDevice(0) == 0, "no device");  // so that there is a use to end
  for (std::int32_t device = 0; device < static_cast<std::int32_t>(AbiBooks::kDevices); ++device) {
    std::size_t resets = 0;
    while (svmsim_aclrtResetDevice(device) == 0) require(++resets <= kMostAbiCalls + 1, "a device does not close");
  }
  static_cast<void>(svmsim_aclFinalize());
  require(svmsim_aclFinalize() == 100001, "finalized twice");
  require(svmsim_aclrtGetLastError(0) == 100001, "the last error is another");
  require(svmsim_aclrtGetLastError(0) == 0, "the last error is told again");
  require(live_blocks().empty(), "a block outlives the device");
  require(look_at_machine([](const Machine& machine) { return machine.mapped_extents().empty(); }),
          "a mapping outlives the device");

  // What is gone can be had again: every page of the device, every page of host memory.
  void* out = nullptr;
  require(svmsim_halMemAlloc(&out, kHbm.count(), kHugeFlag) == 0, "the closed device has no room for all its memory");
  require(svmsim_halMemFree(out) == 0, "its one block cannot be freed");
  void* const buffer = reinterpret_cast<void*>(abi_arena().buffer);
  require(svmsim_halHostRegister(buffer, AbiArena::kSize, kHostMemory, 0, &out) == 0,
          "host memory is registered still");
  require(svmsim_halHostUnregisterEx(buffer, 0, kHostMemory) == 0, "its one registration cannot be dropped");
  require(live_blocks().empty(), "a block outlives its free");
}

}  // namespace

void run_abi(const AbiInput& input) {
  Environment environment = environments()[input.platform % environments().size()];
  environment.backing = input.backing;
  const Platform platform = environment.platform;
  if (const auto error = Process::instance().begin_anew(std::move(environment))) {
    std::fprintf(stderr, "abi: no machine: %s\n", error->c_str());
    std::abort();
  }
  const bool exact = input.threads != AbiThreads::kTwoAtOnce;
  const std::uint64_t slice = look_at_machine([](const Machine& machine) { return machine.slice_base().value(); });
  const AbiWorld world{platform, slice, !exact};
  AbiBooks books;
  AbiCaller first("thread 1", world, books);
  if (input.threads == AbiThreads::kOne) {
    for (const AbiCall& call : input.calls) first.call(call);
  } else {
    run_two_threads(input, world, books, first);
  }
  if (exact && live_blocks() != books.blocks()) first.fail("the blocks that live are not those that were not freed");
  close_everything(first, books, exact);
}

}  // namespace svmsim
