// SPDX-License-Identifier: Apache-2.0
// What an input's calls got so far: the addresses that later calls may be given, and, unless threads call at once, what
// is alive by the rules. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace svmsim {

enum class HandleKind : std::uint8_t {
  kBlock,      // device memory
  kView,       // what registering a block gave
  kHostBlock,  // aclrtMallocHost
  kSeen        // a device's address of host memory: a number that nothing may follow
};

struct Handle {
  HandleKind kind = HandleKind::kBlock;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

class AbiBooks {
 public:
  static constexpr std::size_t kDevices = 2;  // that ACL calls know

  // --- Handles, freed or not; `back` counts from the latest, around when there are fewer. None: absent.
  void add(const Handle& handle);
  [[nodiscard]] std::optional<Handle> latest(std::uint8_t back) const;
  [[nodiscard]] std::optional<Handle> latest(HandleKind kind, std::uint8_t back) const;

  // --- What is alive. Without meaning when threads call at once.
  void block_allocated(std::uint64_t address, std::uint64_t size);
  void block_freed(std::uint64_t address);
  [[nodiscard]] bool is_block(std::uint64_t address) const;
  // Whether any of the bytes belongs to a block.
  [[nodiscard]] bool touches_block(std::uint64_t address, std::uint64_t size) const;
  [[nodiscard]] std::vector<std::uint64_t> blocks() const;

  void host_block_allocated(std::uint64_t address);
  void host_block_freed(std::uint64_t address);
  [[nodiscard]] bool is_host_block(std::uint64_t address) const;
  [[nodiscard]] std::vector<std::uint64_t> host_blocks() const;

  [[nodiscard]] std::uint64_t uses(std::size_t device) const;
  // How often its last use ended.
  [[nodiscard]] std::uint64_t closings(std::size_t device) const;
  void device_set(std::size_t device);
  // One use less; the last of all closes the machine's memory (F3).
  void device_reset(std::size_t device);

  [[nodiscard]] bool initialized() const;
  void set_initialized(bool initialized);

 private:
  mutable std::mutex mutex_;
  std::vector<Handle> handles_;
  std::map<std::uint64_t, std::uint64_t> blocks_;  // size by address
  std::set<std::uint64_t> host_blocks_;
  std::array<std::uint64_t, kDevices> uses_{};
  std::array<std::uint64_t, kDevices> closings_{};
  bool initialized_ = false;
};

}  // namespace svmsim
