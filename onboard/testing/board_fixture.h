// SPDX-License-Identifier: Apache-2.0
// A board of fake libraries, fresh for each test, and what was logged. Test code only.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "onboard/board_driver.h"
#include "onboard/testing/fake_board.h"
#include "runtime/testing/test_support.h"

namespace svmsim {

class BoardFixture : public ::testing::Test {
 protected:
  BoardFixture() { board_.reset(); }
  ~BoardFixture() override { board_.reset(); }

  // The path of a fake library.
  static std::string library(const std::string& name) {
    return std::string(SVMSIM_FAKE_BOARD_DIR) + "/" + name + ".so";
  }
  // The whole libraries, until a test says otherwise; a clock that stands still.
  [[nodiscard]] BoardConfig config() {
    BoardConfig config;
    config.acl_library = library("whole_acl");
    config.hal_library = library("whole_hal");
    config.clock = [] { return svmrt::Picoseconds(7); };
    config.log = log_.sink();
    return config;
  }
  [[nodiscard]] BoardConfig with_hal(const std::string& name) {
    BoardConfig changed = config();
    changed.hal_library = library(name);
    return changed;
  }
  [[nodiscard]] BoardConfig with_acl(const std::string& name) {
    BoardConfig changed = config();
    changed.acl_library = library(name);
    return changed;
  }
  static std::unique_ptr<BoardDriver> make(BoardConfig config) {
    auto made = BoardDriver::create(std::move(config));
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : nullptr;
  }
  static svmrt::DeviceAddr allocate(svmrt::Driver& driver, std::uint64_t bytes = 4096) {
    const svmrt::AllocateResult result = driver.allocate(svmrt::kRunnerTimeline, svmrt::Bytes(bytes));
    EXPECT_EQ(result.code, svmrt::DriverCode::kNone);
    return result.address;
  }
  [[nodiscard]] int errors(std::string_view text) const { return log_.count(svmrt::LogLevel::kError, text); }
  // Nothing is left of what was opened, allocated and mapped.
  void expect_nothing_left() const {
    EXPECT_EQ(board_.live_mappings(), 0u);
    EXPECT_EQ(board_.live_blocks(), 0u);
    EXPECT_EQ(board_.device_uses(), 0);
    EXPECT_FALSE(board_.initialized());
  }

  FakeBoard& board_ = FakeBoard::instance();
  svmrt::testing::LogCollector log_;
};

}  // namespace svmsim
