// SPDX-License-Identifier: Apache-2.0
// RAII for memory of the host process that stands for device memory: a region at a fixed or a free address, and the
// slice of device address space that a machine reserves. Thread-compatible.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "runtime/units.h"

namespace svmsim {

// One mmap of the process, unmapped on destruction. Movable.
class MappedRegion {
 public:
  enum class Access { kNone, kReadWrite };

  MappedRegion() = default;
  MappedRegion(MappedRegion&& other) noexcept;
  MappedRegion& operator=(MappedRegion&& other) noexcept;
  ~MappedRegion();

  // Anonymous, zero-filled, private memory without swap reservation: untouched pages cost nothing. `at` null: the
  // kernel chooses. nullopt with errno set when the kernel refuses (EEXIST: something is there already).
  [[nodiscard]] static std::optional<MappedRegion> anonymous(void* at, svmrt::Bytes size, Access access);
  // The same, backed by `size` bytes of the memory file `fd`, shared with every other mapping of it.
  [[nodiscard]] static std::optional<MappedRegion> of_file(void* at, svmrt::Bytes size, Access access, int fd);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] svmrt::Bytes size() const { return size_; }

 private:
  MappedRegion(std::byte* data, svmrt::Bytes size) : data_(data), size_(size) {}
  std::byte* data_ = nullptr;
  svmrt::Bytes size_;
};

// For people: that it was refused to do `what`, a verb and its object, and errno's reason.
[[nodiscard]] std::string refused(const char* what);

// Asks for 2 MiB pages of the host behind large memory, where a page fault per 4 KiB would cost more than the copy that
// causes it. Small memory keeps 4 KiB pages, so that a touched byte costs no more. Bytes and results are the same.
void prefer_huge_pages_if_large(std::byte* begin, svmrt::Bytes size);

// A slice of the device address space, held by a mapping of the process so that no two machines share one.
struct AddressSlice {
  svmrt::DeviceAddr base;
  svmrt::Bytes size;
  MappedRegion region;
};

// Takes the first free slice of the build's layout; what is parked is not free. The error says what the kernel refused
// and what limits it. `fd` -1: anonymous memory; otherwise that memory file.
[[nodiscard]] tl::expected<AddressSlice, std::string> reserve_slice(MappedRegion::Access access, int fd);

// Memory of a machine that is gone: zero everywhere.
struct ParkedSlice {
  AddressSlice slice;
  MappedRegion views;  // empty: views lie at the device address
};

// Keeps memory for the next take_parked_slice(), of each kind the one that lies lowest. Thread-safe.
void park_slice(ParkedSlice parked);
[[nodiscard]] std::optional<ParkedSlice> take_parked_slice(bool with_views);
// To the kernel, so that a machine lies where it would if none had been parked. Thread-safe.
void give_back_parked_slices();

}  // namespace svmsim
