// SPDX-License-Identifier: Apache-2.0
#include "onboard/board_driver.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/journal.h"

namespace svmsim {

using svmrt::DriverCode;

svmrt::Result<std::unique_ptr<BoardDriver>> BoardDriver::create(BoardConfig config) {
  if (config.device < 0) {
    return svmrt::fail(svmrt::ErrorCode::kInvalidArgument,
                       fmt::format("device id '{}'; it must be 0 or above", config.device));
  }
  return std::unique_ptr<BoardDriver>(new BoardDriver(std::move(config)));
}

BoardDriver::BoardDriver(BoardConfig config)
    : device_id_(config.device),
      clock_(config.clock ? std::move(config.clock) : monotonic_clock()),
      log_(std::move(config.log)),
      device_(std::move(config.acl_library), config.device) {
  if (config.kind == BoardKind::kA2a3) host_map_.emplace(std::move(config.hal_library));
}

BoardDriver::~BoardDriver() {
  if (lost_ || !owner_.is_this()) return;
  for (const std::string& failure : device_.close()) log(failure);
}

void BoardDriver::log(const std::string& line) const {
  if (log_) log_(svmrt::LogLevel::kError, line);
}

svmrt::Result<void> BoardDriver::open() {
  const std::lock_guard lock(mutex_);
  return device_.open();
}

bool BoardDriver::device_lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

svmrt::Capabilities BoardDriver::capabilities() const { return {host_map_.has_value()}; }

template <typename Call>
DriverCode BoardDriver::ask(const char* function, Call call) {
  DriverCode code = DriverCode::kNoDevice;
  std::string line;
  {
    const std::lock_guard lock(mutex_);
    if (lost_) return code;
    const LibraryAnswer answer = call();
    code = answer ? *answer : answer.error().driver_code;
    if (!answer) line = fmt::format("{} is not called: {}", function, answer.error().message);
    // A device that was never open is not lost: that it does not open has been said.
    if (code == DriverCode::kNoDevice && device_.is_open()) {
      lost_ = true;
      line = fmt::format("device '{}' is lost: {}", device_id_,
                         answer ? fmt::format("{} answered {}", function, svmrt::code_text(code)) : line);
    }
    if (!line.empty() && !said_.insert(line).second) line.clear();
  }
  if (!line.empty()) log(line);
  return code;
}

template <typename Call>
DriverCode BoardDriver::ask_host_map(const char* function, Call call) {
  return ask(function, [&]() -> LibraryAnswer {
    const auto device = device_.driver_id();
    if (!device) return tl::unexpected(device.error());
    return call(*host_map_, *device);
  });
}

svmrt::AllocateResult BoardDriver::allocate(svmrt::TimelineId /*timeline*/, svmrt::Bytes size) {
  if (size == svmrt::Bytes(0)) return {DriverCode::kInvalidValue, {}};
  svmrt::AllocateResult result;
  result.code = ask(device_.allocate_name(), [&] { return device_.allocate(size, &result.address); });
  return result;
}

DriverCode BoardDriver::free(svmrt::TimelineId /*timeline*/, svmrt::DeviceAddr base) {
  return ask(device_.free_name(), [&] { return device_.free(base); });
}

svmrt::RegisterResult BoardDriver::register_to_host(svmrt::TimelineId /*timeline*/, svmrt::DeviceAddr base,
                                                    svmrt::Bytes size) {
  if (!host_map_) return {DriverCode::kNotSupport, nullptr};
  svmrt::RegisterResult result;
  result.code = ask_host_map(host_map_->register_name(), [&](HostMap& map, std::uint32_t device) {
    return map.register_range(device, base, size, &result.host);
  });
  return result;
}

DriverCode BoardDriver::unregister_from_host(svmrt::TimelineId /*timeline*/, svmrt::DeviceAddr base) {
  if (!host_map_) return DriverCode::kNotSupport;
  return ask_host_map(host_map_->unregister_name(),
                      [&](HostMap& map, std::uint32_t device) { return map.unregister(device, base); });
}

DriverCode BoardDriver::copy_to_device(svmrt::TimelineId /*timeline*/, svmrt::DeviceAddr to, const void* from,
                                       svmrt::Bytes size) {
  return ask(device_.copy_name(), [&] { return device_.copy_to_device(to, from, size); });
}

DriverCode BoardDriver::copy_from_device(svmrt::TimelineId /*timeline*/, void* to, svmrt::DeviceAddr from,
                                         svmrt::Bytes size) {
  return ask(device_.copy_name(), [&] { return device_.copy_from_device(to, from, size); });
}

DriverCode BoardDriver::set_memory(svmrt::TimelineId /*timeline*/, svmrt::DeviceAddr to, std::uint8_t value,
                                   svmrt::Bytes size) {
  return ask(device_.set_memory_name(), [&] { return device_.set_memory(to, value, size); });
}

svmrt::TimelineId BoardDriver::open_timeline() { return svmrt::TimelineId{++timelines_}; }

}  // namespace svmsim
