// SPDX-License-Identifier: Apache-2.0
// The plain C function table that one run's code calls, together with the context of that run. Everything a run
// does to the machine goes through it, so that a test can put any backend under a TensorAccess. Thread-bound: one
// table belongs to one run, which is used by one thread at a time. Device addresses are plain integers here: they
// must not convert to pointers.
#pragma once

#include <atomic>
#include <cstdint>

namespace svmrt {

// What the table answers where the runner itself refuses and the driver was not asked; every other number is the
// driver's.
inline constexpr std::int32_t kRefusedByRunner = -1;

enum class HostViewStatus : std::int32_t {
  kMapped = 0,       // *view is where to load and store
  kNoView = 1,       // no mapping is to be had in this run: use device copies
  kBadSpan = 2,      // the span is not inside one live allocation of the runner: the access must fail
  kUnavailable = 3,  // the runner was finalized or the device is lost: the access must fail
};

struct HostApi {
  void* context = nullptr;

  // Device address of at least `bytes` bytes, or 0.
  std::uint64_t (*device_malloc)(void* context, std::uint64_t bytes) = nullptr;
  // 0, or the driver's code (or -1 where the runner itself refuses); see DeviceRunner::free_tensor.
  std::int32_t (*device_free)(void* context, std::uint64_t device) = nullptr;

  // 0, or the driver's code (or -1 where the runner refuses: device lost). Zero bytes make no driver call.
  std::int32_t (*copy_to_device)(void* context, std::uint64_t device, const void* host, std::uint64_t bytes) = nullptr;
  std::int32_t (*copy_from_device)(void* context, void* host, std::uint64_t device, std::uint64_t bytes) = nullptr;
  std::int32_t (*device_memset)(void* context, std::uint64_t device, std::int32_t value, std::uint64_t bytes) = nullptr;

  // Host address of a new mapping of [device, device + bytes), or null. It may differ from `device`; callers use
  // it and never `device`, and pair each success with one unregister (of the *device* address) before the free. A
  // backend without a host-map path returns null, and so does a policy that never maps. `device` must be the base of
  // a live allocation, not yet registered by this run. The unregister returns 0, or the driver's code, or -1 when
  // there is nothing to unregister; whether it drops the mapping at once is the policy's affair.
  void* (*register_device_memory_to_host)(void* context, std::uint64_t device, std::uint64_t bytes) = nullptr;
  std::int32_t (*unregister_device_memory_from_host)(void* context, std::uint64_t device) = nullptr;

  // A view of the span [device, device + bytes) out of the runner's host-view cache. The view belongs to the cache
  // and stays valid until this run closes its host views; after that the answer is kUnavailable.
  HostViewStatus (*acquire_child_memory_host_view)(void* context, std::uint64_t device, std::uint64_t bytes,
                                                   void** view) = nullptr;

  // The number of another live run that declared to write any of the bytes [device, device + bytes); 0: none does.
  // Null: nobody knows of other runs.
  std::uint64_t (*other_producer)(void* context, std::uint64_t device, std::uint64_t bytes) = nullptr;

  // Grows with each change of what runs declare, so that an answer of other_producer holds as long as this number
  // stands. Borrowed from the runner. Null: every read asks.
  const std::atomic<std::uint64_t>* declarations = nullptr;

  // Loads and stores made through views since the last call; told once, at close.
  void (*charge_view_accesses)(void* context, std::uint64_t loads, std::uint64_t stores) = nullptr;
  // The present of the run's timeline in picoseconds.
  std::uint64_t (*now_ps)(void* context) = nullptr;
};

}  // namespace svmrt
