// SPDX-License-Identifier: Apache-2.0
#include "property_tests/model_driver.h"

#include <algorithm>

namespace svmsim {

using svmrt::Bytes;
using svmrt::DriverCode;

namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::uint64_t kHugePage = 2 * kMib;
constexpr std::uint64_t kLargestOrdinary = kMib - 32;  // P4: aclrtMalloc adds 32 bytes
constexpr std::uint64_t kLargestForStrangers = 2 * kMib;

std::uint64_t rounded_up_quotient(std::uint64_t number, std::uint64_t unit) { return (number + unit - 1) / unit; }

}  // namespace

bool ModelDriver::is_huge(Bytes size) { return size.count() > kLargestOrdinary; }

PageWalk ModelDriver::walk(Bytes size) const {
  const std::uint64_t page = is_huge(size) ? kHugePage : platform_.device_page.count();
  const std::uint64_t pages = rounded_up_quotient(size.count(), page);
  return {pages, rounded_up_quotient(pages * page, platform_.host_page.count())};
}

Bytes ModelDriver::whole_pages(Bytes size) const {
  const std::uint64_t page = is_huge(size) ? kHugePage : platform_.device_page.count();
  return Bytes(rounded_up_quotient(size.count(), page) * page);
}

bool ModelDriver::lets_strangers_map(Bytes size) const {
  if (!platform_.host_map_path || platform_.lenient || platform_.host == HostKind::kVmWithoutWc) return false;
  if (size == Bytes(0) || size.count() > kLargestForStrangers) return false;
  return is_huge(size) || platform_.host_page == platform_.device_page;
}

DriverCode ModelDriver::call(CallKind kind, Picoseconds& now, DriverCode answer, Picoseconds price,
                             Picoseconds price_of_failure) {
  const auto planned = to_fail_.find(kind);
  if (planned != to_fail_.end()) {
    answer = planned->second;
    to_fail_.erase(planned);
  }
  const Picoseconds begin = std::max(now, driver_free_);
  driver_free_ = begin + (answer == DriverCode::kNone ? price : price_of_failure);
  now = driver_free_;
  return answer;
}

DriverCode ModelDriver::allocate(Picoseconds& now, Bytes size) {
  const DriverCode answer = size > platform_.hbm ? DriverCode::kOutOfMemory : DriverCode::kNone;
  return call(CallKind::kAllocate, now, answer, cost_.allocate_cost(), cost_.allocate_cost());
}

// F1, F2: a block up to 2 MiB goes to v2's cache with a stranger's mapping alive; without the cache, and on v3, its
// free is refused.
DriverCode ModelDriver::free_answer(const ModelBlock& block) const {
  if (block.stranger == ModelBlock::Stranger::kNone) return DriverCode::kNone;
  const bool is_cached = platform_.personality == Personality::kV2 && platform_.reuse == AddressReuse::kDriver;
  return is_cached ? DriverCode::kNone : DriverCode::kBusy;
}

DriverCode ModelDriver::free(Picoseconds& now, const ModelBlock& block) {
  return call(CallKind::kFree, now, free_answer(block), cost_.free_cost(), cost_.free_cost());
}

DriverCode ModelDriver::register_answer(const ModelBlock& block) const {
  const bool is_v2 = platform_.personality == Personality::kV2;
  if (is_v2) {  // R7
    if (platform_.host != HostKind::kPhysical) return DriverCode::kNotSupport;
    if (!is_huge(block.size) && platform_.host_page != platform_.device_page) return DriverCode::kNotSupport;
  }
  if (block.stranger == ModelBlock::Stranger::kNone) return DriverCode::kNone;
  return is_v2 ? DriverCode::kParaError : DriverCode::kRepeatedUserd;  // R6
}

DriverCode ModelDriver::register_to_host(Picoseconds& now, const ModelBlock& block) {
  return call(CallKind::kRegister, now, register_answer(block), cost_.register_cost(walk(block.size)),
              cost_.failed_register_cost());
}

DriverCode ModelDriver::unregister_from_host(Picoseconds& now, const ModelBlock& block) {
  return call(CallKind::kUnregister, now, DriverCode::kNone, cost_.unregister_cost(walk(block.size)),
              cost_.failed_unregister_cost());
}

DriverCode ModelDriver::copy_to_device(Picoseconds& now, Bytes size) {
  return call(CallKind::kCopyToDevice, now, DriverCode::kNone, cost_.copy_cost(CopyDirection::kToDevice, size),
              cost_.failed_copy_cost(CopyDirection::kToDevice));
}

DriverCode ModelDriver::copy_from_device(Picoseconds& now, Bytes size) {
  return call(CallKind::kCopyFromDevice, now, DriverCode::kNone, cost_.copy_cost(CopyDirection::kFromDevice, size),
              cost_.failed_copy_cost(CopyDirection::kFromDevice));
}

DriverCode ModelDriver::set_memory(Picoseconds& now, Bytes size) {
  return call(CallKind::kSetMemory, now, DriverCode::kNone, cost_.set_memory_cost(size),
              cost_.failed_set_memory_cost());
}

void ModelDriver::close(Picoseconds& now) {
  call(CallKind::kClose, now, DriverCode::kNone, Picoseconds(0), Picoseconds(0));
}

void ModelDriver::stranger_calls(Picoseconds& runner_now, Picoseconds time) {
  runner_now += time;
  driver_free_ = std::max(driver_free_, runner_now);
}

void ModelDriver::charge_view_accesses(Picoseconds& now, std::uint64_t loads, std::uint64_t stores) const {
  now += cost_.view_access_cost(loads, stores);
}

}  // namespace svmsim
