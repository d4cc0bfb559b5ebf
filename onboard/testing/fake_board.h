// SPDX-License-Identifier: Apache-2.0
// What the fake driver libraries of the tests have in common: device memory, mappings, devices, with the books that a
// driver keeps and the codes that it answers. Each library is a few C functions over this one object, so that a test
// can load libraries that lack some, fail any of them, and look at the books afterwards. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace svmsim {

struct BoardPlan {
  // By the name of a C function: what it answers instead of doing anything.
  std::map<std::string, std::int32_t> answers{};
  bool views_elsewhere = false;  // a view is at another address than its memory
  // The driver's ids of the devices; their places are the ids of ACL calls.
  std::vector<std::int32_t> visible_devices{0};
  // So many calls are answered; after them every one says that there is no device. -1: all of them.
  std::int64_t calls_until_lost = -1;
};

class FakeBoard {
 public:
  // The one that the libraries act on.
  static FakeBoard& instance();

  // As after a power cycle, for a new test; leaves other threads' current devices behind.
  void reset(BoardPlan plan = {});
  void plan_answer(const std::string& function, std::int32_t code);

  // Each call by name and what matters of its arguments, in order.
  [[nodiscard]] std::vector<std::string> calls() const;
  // Without the arguments.
  [[nodiscard]] std::size_t count(const std::string& function) const;
  [[nodiscard]] std::size_t live_blocks() const;
  [[nodiscard]] std::size_t live_mappings() const;
  [[nodiscard]] std::int64_t device_uses() const;  // sets without their reset
  [[nodiscard]] bool initialized() const;
  [[nodiscard]] bool calls_overlapped() const { return overlapped_; }
  // Of a live block, the bytes as the device sees them.
  [[nodiscard]] std::byte* device_bytes(std::uint64_t address) const;

  // The C functions. Codes of the driver for hal, of the ACL runtime for the others.
  std::int32_t hal_register(void* source, std::uint64_t size, std::uint32_t flag, std::uint32_t device, void** view);
  std::int32_t hal_unregister(void* source, std::uint32_t device);
  std::int32_t acl_init();
  std::int32_t acl_finalize();
  std::int32_t acl_set_device(std::int32_t device);
  std::int32_t acl_reset_device(std::int32_t device);
  std::int32_t acl_driver_id(std::int32_t device, std::int32_t* driver_id);
  std::int32_t acl_malloc(void** address, std::size_t size, std::uint32_t policy);
  std::int32_t acl_free(void* address);
  std::int32_t acl_memcpy(void* to, std::size_t capacity, const void* from, std::size_t count, std::uint32_t kind);
  std::int32_t acl_memset(void* to, std::size_t capacity, std::int32_t value, std::size_t count);

 private:
  struct Block {
    std::size_t size = 0;
    int memory_file = -1;
    std::byte* device = nullptr;
    std::byte* view = nullptr;  // while it is mapped
  };
  class Call;
  using Blocks = std::map<std::uint64_t, Block>;
  void release(const Block& block);
  [[nodiscard]] bool holds(const void* address, std::size_t size) const;

  mutable std::mutex mutex_;
  BoardPlan plan_;
  std::vector<std::string> calls_;
  Blocks blocks_;
  std::int64_t uses_ = 0;
  std::uint64_t life_ = 1;  // grows when a device is closed: threads must set it again
  bool initialized_ = false;
  std::atomic<int> inside_{0};
  std::atomic<bool> overlapped_{false};
};

}  // namespace svmsim
