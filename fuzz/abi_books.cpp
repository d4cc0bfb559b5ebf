// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_books.h"

#include <algorithm>
#include <iterator>

namespace svmsim {

namespace {

using Guard = std::lock_guard<std::mutex>;

}  // namespace

void AbiBooks::add(const Handle& handle) {
  const Guard guard(mutex_);
  handles_.push_back(handle);
}

std::optional<Handle> AbiBooks::latest(std::uint8_t back) const {
  const Guard guard(mutex_);
  if (handles_.empty()) return std::nullopt;
  return handles_[handles_.size() - 1 - back % handles_.size()];
}

std::optional<Handle> AbiBooks::latest(HandleKind kind, std::uint8_t back) const {
  const Guard guard(mutex_);
  const auto count =
      std::count_if(handles_.begin(), handles_.end(), [&](const Handle& one) { return one.kind == kind; });
  if (count == 0) return std::nullopt;
  auto left = back % count;
  for (auto one = handles_.rbegin(); one != handles_.rend(); ++one) {
    if (one->kind == kind && left-- == 0) return *one;
  }
  return std::nullopt;
}

void AbiBooks::block_allocated(std::uint64_t address, std::uint64_t size) {
  const Guard guard(mutex_);
  blocks_.insert_or_assign(address, size);
}

void AbiBooks::block_freed(std::uint64_t address) {
  const Guard guard(mutex_);
  blocks_.erase(address);
}

bool AbiBooks::is_block(std::uint64_t address) const {
  const Guard guard(mutex_);
  return blocks_.count(address) != 0;
}

bool AbiBooks::touches_block(std::uint64_t address, std::uint64_t size) const {
  const Guard guard(mutex_);
  const auto next = blocks_.lower_bound(address);
  if (next != blocks_.end() && next->first - address < size) return true;
  return next != blocks_.begin() && address - std::prev(next)->first < std::prev(next)->second;
}

std::vector<std::uint64_t> AbiBooks::blocks() const {
  const Guard guard(mutex_);
  std::vector<std::uint64_t> addresses;
  addresses.reserve(blocks_.size());
  for (const auto& [address, size] : blocks_) addresses.push_back(address);
  return addresses;
}

void AbiBooks::host_block_allocated(std::uint64_t address) {
  const Guard guard(mutex_);
  host_blocks_.insert(address);
}

void AbiBooks::host_block_freed(std::uint64_t address) {
  const Guard guard(mutex_);
  host_blocks_.erase(address);
}

bool AbiBooks::is_host_block(std::uint64_t address) const {
  const Guard guard(mutex_);
  return host_blocks_.count(address) != 0;
}

std::vector<std::uint64_t> AbiBooks::host_blocks() const {
  const Guard guard(mutex_);
  return {host_blocks_.begin(), host_blocks_.end()};
}

std::uint64_t AbiBooks::uses(std::size_t device) const {
  const Guard guard(mutex_);
  return uses_.at(device);
}

std::uint64_t AbiBooks::closings(std::size_t device) const {
  const Guard guard(mutex_);
  return closings_.at(device);
}

void AbiBooks::device_set(std::size_t device) {
  const Guard guard(mutex_);
  ++uses_.at(device);
}

void AbiBooks::device_reset(std::size_t device) {
  const Guard guard(mutex_);
  if (--uses_.at(device) == 0) ++closings_.at(device);
  if (std::all_of(uses_.begin(), uses_.end(), [](std::uint64_t uses) { return uses == 0; })) blocks_.clear();
}

bool AbiBooks::initialized() const {
  const Guard guard(mutex_);
  return initialized_;
}

void AbiBooks::set_initialized(bool initialized) {
  const Guard guard(mutex_);
  initialized_ = initialized;
}

}  // namespace svmsim
