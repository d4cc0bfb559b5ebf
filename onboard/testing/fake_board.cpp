// SPDX-License-Identifier: Apache-2.0
#include "onboard/testing/fake_board.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace svmsim {

namespace {

constexpr std::int32_t kAclInvalidParam = 100000;
constexpr std::int32_t kAclRepeated = 100002;
constexpr std::int32_t kAclParamInvalid = 107000;
constexpr std::int32_t kAclInvalidDevice = 107001;
constexpr std::int32_t kAclNoDeviceSet = 107002;
constexpr std::int32_t kAclNoDevice = 207004;
constexpr std::int32_t kAclDriverFailed = 507899;
constexpr std::int32_t kHalNoDevice = 1;
constexpr std::int32_t kHalParaError = 8;
constexpr std::int32_t kHalNotExist = 11;
constexpr std::int32_t kLost = -1;

struct CurrentDevice {
  std::int32_t device = -1;
  std::uint64_t life = 0;
};
thread_local CurrentDevice current_device;

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

// One call from the outside: notes it, and says whether it is answered by the plan.
class FakeBoard::Call {
 public:
  Call(FakeBoard& board, const std::string& function, const std::string& arguments) : board_(board) {
    if (++board_.inside_ > 1) board_.overlapped_ = true;
    // Another thread's call, if it may come, comes here.
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    board_.mutex_.lock();
    board_.calls_.push_back(function + "(" + arguments + ")");
    const BoardPlan& plan = board_.plan_;
    const auto planned = plan.answers.find(function);
    if (planned != plan.answers.end()) answer_ = planned->second;
    if (plan.calls_until_lost >= 0 && static_cast<std::int64_t>(board_.calls_.size()) > plan.calls_until_lost) {
      answer_ = kLost;
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    board_.mutex_.unlock();
    --board_.inside_;
  }
  // 0: nothing is planned.
  [[nodiscard]] std::int32_t hal() const { return answer_ == kLost ? kHalNoDevice : answer_; }
  [[nodiscard]] std::int32_t acl() const { return answer_ == kLost ? kAclNoDevice : answer_; }
  // The same for a call that is about the thread's device.
  [[nodiscard]] std::int32_t on_device() const {
    if (acl() != 0) return acl();
    const bool set = current_device.device >= 0 && current_device.life == board_.life_ && board_.uses_ > 0;
    return set ? 0 : kAclNoDeviceSet;
  }

 private:
  FakeBoard& board_;
  std::int32_t answer_ = 0;
};

FakeBoard& FakeBoard::instance() {
  static FakeBoard board;
  return board;
}

void FakeBoard::release(const Block& block) {
  if (block.view != nullptr && block.view != block.device) munmap(block.view, block.size);
  munmap(block.device, block.size);
  close(block.memory_file);
}

void FakeBoard::reset(BoardPlan plan) {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, block] : blocks_) release(block);
  blocks_.clear();
  plan_ = std::move(plan);
  calls_.clear();
  uses_ = 0;
  ++life_;
  initialized_ = false;
  overlapped_ = false;
}

void FakeBoard::plan_answer(const std::string& function, std::int32_t code) {
  const std::lock_guard lock(mutex_);
  plan_.answers[function] = code;
}

std::vector<std::string> FakeBoard::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t FakeBoard::count(const std::string& function) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      calls_.begin(), calls_.end(), [&](const std::string& call) { return call.starts_with(function + "("); }));
}

std::size_t FakeBoard::live_blocks() const {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

std::size_t FakeBoard::live_mappings() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(blocks_.begin(), blocks_.end(), [](const auto& entry) { return entry.second.view != nullptr; }));
}

std::int64_t FakeBoard::device_uses() const {
  const std::lock_guard lock(mutex_);
  return uses_;
}

bool FakeBoard::initialized() const {
  const std::lock_guard lock(mutex_);
  return initialized_;
}

std::byte* FakeBoard::device_bytes(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  return blocks_.at(address).device;
}

bool FakeBoard::holds(const void* address, std::size_t size) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& entry) {
    const std::uint64_t base = entry.first;
    return number(address) >= base && number(address) - base <= entry.second.size &&
           size <= entry.second.size - (number(address) - base);
  });
}

std::int32_t FakeBoard::hal_register(void* source, std::uint64_t size, std::uint32_t flag, std::uint32_t device,
                                     void** view) {
  const Call call(*this, "halHostRegister", std::to_string(flag) + ", " + std::to_string(device));
  if (call.hal() != 0) return call.hal();
  const auto found = blocks_.find(number(source));
  if (found == blocks_.end() || found->second.view != nullptr || size > found->second.size) return kHalParaError;
  Block& block = found->second;
  block.view = block.device;
  if (plan_.views_elsewhere) {
    void* const other = mmap(nullptr, block.size, PROT_READ | PROT_WRITE, MAP_SHARED, block.memory_file, 0);
    if (other == MAP_FAILED) std::abort();
    block.view = static_cast<std::byte*>(other);
  }
  *view = block.view;
  return 0;
}

// U1: by the exact device address and the driver's id of the device.
std::int32_t FakeBoard::hal_unregister(void* source, std::uint32_t device) {
  const Call call(*this, "halHostUnregister", std::to_string(device));
  if (call.hal() != 0) return call.hal();
  const auto found = blocks_.find(number(source));
  const auto& visible = plan_.visible_devices;
  const bool known = std::find(visible.begin(), visible.end(), static_cast<std::int32_t>(device)) != visible.end();
  if (!known || found == blocks_.end() || found->second.view == nullptr) return kHalNotExist;
  Block& block = found->second;
  if (block.view != block.device) munmap(block.view, block.size);
  block.view = nullptr;
  return 0;
}

std::int32_t FakeBoard::acl_init() {
  const Call call(*this, "aclInit", "");
  if (call.acl() != 0) return call.acl();
  if (initialized_) return kAclRepeated;
  initialized_ = true;
  return 0;
}

std::int32_t FakeBoard::acl_finalize() {
  const Call call(*this, "aclFinalize", "");
  if (call.acl() != 0) return call.acl();
  initialized_ = false;
  return 0;
}

std::int32_t FakeBoard::acl_set_device(std::int32_t device) {
  const Call call(*this, "aclrtSetDevice", std::to_string(device));
  if (call.acl() != 0) return call.acl();
  if (device < 0 || static_cast<std::size_t>(device) >= plan_.visible_devices.size()) return kAclInvalidDevice;
  current_device = {device, life_};
  ++uses_;
  return 0;
}

std::int32_t FakeBoard::acl_reset_device(std::int32_t device) {
  const Call call(*this, "aclrtResetDevice", std::to_string(device));
  if (call.acl() != 0) return call.acl();
  if (uses_ == 0) return kAclNoDeviceSet;
  if (--uses_ == 0) ++life_;
  return 0;
}

std::int32_t FakeBoard::acl_driver_id(std::int32_t device, std::int32_t* driver_id) {
  const Call call(*this, "aclrtGetLogicDevIdByUserDevId", std::to_string(device));
  if (call.acl() != 0) return call.acl();
  if (device < 0 || static_cast<std::size_t>(device) >= plan_.visible_devices.size()) return kAclInvalidDevice;
  *driver_id = plan_.visible_devices[static_cast<std::size_t>(device)];
  return 0;
}

std::int32_t FakeBoard::acl_malloc(void** address, std::size_t size, std::uint32_t policy) {
  const Call call(*this, "aclrtMalloc", std::to_string(size) + ", " + std::to_string(policy));
  if (call.on_device() != 0) return call.on_device();
  if (address == nullptr || size == 0) return kAclInvalidParam;
  Block block;
  block.size = (size + 4095) / 4096 * 4096;
  block.memory_file = memfd_create("fake_board", 0);
  if (block.memory_file < 0 || ftruncate(block.memory_file, static_cast<off_t>(block.size)) != 0) std::abort();
  void* const memory = mmap(nullptr, block.size, PROT_READ | PROT_WRITE, MAP_SHARED, block.memory_file, 0);
  if (memory == MAP_FAILED) std::abort();
  block.device = static_cast<std::byte*>(memory);
  blocks_[number(memory)] = block;
  *address = memory;
  return 0;
}

// A free while mapped is refused, as the ACL runtime says it.
std::int32_t FakeBoard::acl_free(void* address) {
  const Call call(*this, "aclrtFree", "");
  if (call.on_device() != 0) return call.on_device();
  const auto found = blocks_.find(number(address));
  if (found == blocks_.end()) return kAclParamInvalid;
  if (found->second.view != nullptr) return kAclDriverFailed;
  release(found->second);
  blocks_.erase(found);
  return 0;
}

std::int32_t FakeBoard::acl_memcpy(void* to, std::size_t capacity, const void* from, std::size_t count,
                                   std::uint32_t kind) {
  const Call call(*this, "aclrtMemcpy", std::to_string(count) + ", " + std::to_string(kind));
  if (call.on_device() != 0) return call.on_device();
  if (count > capacity || !holds(kind == 1 ? to : from, count)) return kAclParamInvalid;
  std::memcpy(to, from, count);
  return 0;
}

std::int32_t FakeBoard::acl_memset(void* to, std::size_t capacity, std::int32_t value, std::size_t count) {
  const Call call(*this, "aclrtMemset", std::to_string(value) + ", " + std::to_string(count));
  if (call.on_device() != 0) return call.on_device();
  if (count > capacity || !holds(to, count)) return kAclParamInvalid;
  std::memset(to, value, count);
  return 0;
}

}  // namespace svmsim
