// SPDX-License-Identifier: Apache-2.0
// Small helpers of the runtime's unit tests: sizes, a log that can be searched, the error code of a result, values in
// device memory. Test code only; LogCollector is thread-safe.
#pragma once

#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"
#include "runtime/runner_reports.h"
#include "runtime/testing/fake_driver.h"

namespace svmrt::testing {

inline constexpr Bytes kPage = FakeDriver::kPage;
inline constexpr Bytes kWord{8};

class LogCollector {
 public:
  // Borrows this collector.
  [[nodiscard]] LogSink sink() {
    return [this](LogLevel level, const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(level, line);
    };
  }
  // Lines of this level that contain the text.
  [[nodiscard]] int count(LogLevel level, std::string_view text) const {
    const std::lock_guard lock(mutex_);
    int found = 0;
    for (const auto& [line_level, line] : lines_) {
      if (line_level == level && line.find(text) != std::string::npos) ++found;
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> lines_;
};

// nullopt for a success.
template <typename T>
[[nodiscard]] std::optional<ErrorCode> error_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code;
}

template <typename T>
void poke(FakeDriver& driver, DeviceAddr address, T value) {
  std::memcpy(driver.bytes_at(address), &value, sizeof value);
}

template <typename T>
[[nodiscard]] T peek(const FakeDriver& driver, DeviceAddr address) {
  T value;
  std::memcpy(&value, driver.bytes_at(address), sizeof value);
  return value;
}

}  // namespace svmrt::testing
