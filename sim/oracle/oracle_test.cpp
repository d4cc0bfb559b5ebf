// SPDX-License-Identifier: Apache-2.0
// A planted bug per rule, each made with bare driver calls as a wrong runtime would make them.
#include "sim/oracle/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/machine/runtime_driver.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using svmrt::Policy;
using Outcome = Oracle::AccessOutcome;

constexpr Bytes kSize{1024};

class OracleTest : public ::testing::Test {
 protected:
  explicit OracleTest(Policy policy = Policy::kCached)
      : machine_(make_test_machine()), driver_(*machine_), oracle_(*machine_, policy) {
    block_ = driver_.allocate(kRunnerTimeline, kSize).address;
    run_ = driver_.open_timeline();
    oracle_.run_began(run_);
    oracle_.name_child_memory(block_, kSize, "table");
  }

  // By hand, so that it needs no access.
  void map() {
    oracle_.asked_to_register(run_, block_);
    ASSERT_EQ(driver_.register_to_host(run_, block_, kSize).code, DriverCode::kNone);
  }
  void unmap() { ASSERT_EQ(driver_.unregister_from_host(run_, block_), DriverCode::kNone); }
  void free() { ASSERT_EQ(driver_.free(run_, block_), DriverCode::kNone); }
  void copy_out(DeviceAddr at, std::uint64_t size) {
    std::uint64_t value = 0;
    ASSERT_EQ(driver_.copy_from_device(run_, &value, at, Bytes(size)), DriverCode::kNone);
  }
  void end_bind(std::uint64_t reported_copies, Picoseconds began) {
    oracle_.bind_ended(run_, reported_copies, driver_.now_ps(run_) - began);
  }

  // Around an access of 4 bytes.
  void begin() { oracle_.access_begins(run_, block_, Bytes(4)); }
  void end(DeviceAddr at, Outcome outcome) { oracle_.access_ended({run_, at, Bytes(4)}, outcome); }

  std::vector<std::string> broken() const {
    std::vector<std::string> rules;
    for (const Violation& violation : oracle_.violations()) rules.push_back(violation.rule);
    return rules;
  }
  bool is_broken(const std::string& rule) const {
    const auto rules = broken();
    return std::find(rules.begin(), rules.end(), rule) != rules.end();
  }

  std::unique_ptr<Machine> machine_;
  RuntimeDriver driver_;
  Oracle oracle_;
  TimelineId run_{};
  DeviceAddr block_;
};

TEST_F(OracleTest, CorrectLifeBreaksNoRule) {
  oracle_.begin_round(0);
  oracle_.run_began(run_);
  const Picoseconds began = driver_.now_ps(run_);
  begin();
  copy_out(block_ + Bytes(8), 4);
  end(block_ + Bytes(8), Outcome::kSucceeded);
  begin();
  map();
  end(block_, Outcome::kSucceeded);
  end_bind(1, began);
  oracle_.end_round();
  unmap();
  free();
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), std::vector<std::string>{});
}

TEST_F(OracleTest, I2FreeWhileMappedIsCaught) {
  map();
  free();  // v2 takes it: the block goes to its cache with the mapping alive
  ASSERT_EQ(broken(), std::vector<std::string>{"I2"});
  EXPECT_EQ(oracle_.violations()[0].allocation, "table");
  EXPECT_EQ(oracle_.violations()[0].round, -1);
}

TEST_F(OracleTest, I2FreeAfterTheUnmapIsFine) {
  map();
  unmap();
  free();
  EXPECT_FALSE(is_broken("I2"));
}

TEST_F(OracleTest, I3MappingThatIsNeverDroppedIsCaught) {
  map();
  oracle_.finalized({}, {});
  EXPECT_TRUE(is_broken("I3"));
}

TEST_F(OracleTest, I3SecondMapInOneLifetimeIsCaughtUnderCached) {
  map();
  unmap();
  EXPECT_FALSE(is_broken("I3"));
  oracle_.begin_round(1);
  oracle_.run_began(run_);
  map();
  ASSERT_TRUE(is_broken("I3"));
  EXPECT_EQ(oracle_.violations()[0].round, 1);
}

TEST_F(OracleTest, I3MapAfterFreeAndReuseIsANewLifetime) {
  map();
  unmap();
  free();
  ASSERT_EQ(driver_.allocate(kRunnerTimeline, kSize).address, block_);
  map();
  EXPECT_FALSE(is_broken("I3"));
}

TEST_F(OracleTest, I3SecondUnmapIsCaught) {
  map();
  unmap();
  EXPECT_NE(driver_.unregister_from_host(run_, block_), DriverCode::kNone);
  EXPECT_TRUE(is_broken("I3"));
}

class CopyOnlyOracle : public OracleTest {
 protected:
  CopyOnlyOracle() : OracleTest(Policy::kCopyOnly) {}
};

TEST_F(CopyOnlyOracle, I3AnyMapIsCaught) {
  map();
  EXPECT_TRUE(is_broken("I3"));
}

TEST_F(OracleTest, I6FailureThatTheRuntimeDidNotCountIsCaught) {
  std::uint64_t value = 0;
  EXPECT_NE(driver_.copy_from_device(run_, &value, DeviceAddr(4096), Bytes(4)), DriverCode::kNone);
  free();
  svmrt::DriverFailures counted;
  counted.copy = 1;
  oracle_.finalized({}, counted);
  EXPECT_FALSE(is_broken("I6"));
  oracle_.finalized({}, {});
  EXPECT_TRUE(is_broken("I6"));
}

TEST_F(OracleTest, I6FailedUnregisterThatNobodyReportsIsCaught) {
  map();
  constexpr std::uint32_t kWrongDevice = 5;
  ASSERT_EQ(machine_->host_unregister(run_, block_, kWrongDevice).code, DriverCode::kNotExist);
  svmrt::DriverFailures counted;
  counted.unregister = 1;
  const std::vector<svmrt::QuarantinedBlock> reported = {{block_, kSize, DriverCode::kNotExist, "unregister failed"}};
  oracle_.finalized(reported, counted);
  EXPECT_EQ(broken(), std::vector<std::string>{});
  oracle_.finalized({}, counted);
  EXPECT_TRUE(is_broken("I6"));
}

TEST_F(OracleTest, I7MappingWhoseUnregisterFailedIsNoViewAnyMore) {
  map();
  constexpr std::uint32_t kWrongDevice = 5;
  ASSERT_EQ(machine_->host_unregister(run_, block_, kWrongDevice).code, DriverCode::kNotExist);
  begin();
  copy_out(block_, 4);
  end(block_, Outcome::kSucceeded);
  EXPECT_FALSE(is_broken("I7"));
  begin();
  end(block_, Outcome::kSucceeded);  // through the mapping that must not be used
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I7ReportedCopiesMustBeTheAccessesWithoutAView) {
  oracle_.begin_round(0);
  oracle_.run_began(run_);
  const Picoseconds began = driver_.now_ps(run_);
  begin();
  copy_out(block_, 4);
  end(block_, Outcome::kSucceeded);
  end_bind(1, began);
  EXPECT_FALSE(is_broken("I7"));
  end_bind(2, began);
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I7AccessWithoutViewAndWithoutCopyIsCaught) {
  begin();
  end(block_, Outcome::kSucceeded);  // served from bytes kept on the host
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I7CopyOfOtherBytesIsCaught) {
  begin();
  copy_out(block_, 8);
  end(block_, Outcome::kSucceeded);
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I7CopyOfAnotherAddressIsCaught) {
  begin();
  copy_out(block_, 4);
  end(block_ + Bytes(4), Outcome::kSucceeded);
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I7CopyBesideAViewIsCaught) {
  map();
  begin();
  copy_out(block_, 4);
  end(block_, Outcome::kSucceeded);
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I7AccessToAStagedTensorIsNotItsBusiness) {
  const DeviceAddr staged = driver_.allocate(kRunnerTimeline, kSize).address;
  begin();
  end(staged, Outcome::kSucceeded);
  EXPECT_EQ(broken(), std::vector<std::string>{});
}

TEST_F(OracleTest, I7BindTimeMustBeTheSumOfItsCalls) {
  oracle_.begin_round(0);
  oracle_.run_began(run_);
  const Picoseconds began = driver_.now_ps(run_);
  map();
  end_bind(0, began);
  EXPECT_FALSE(is_broken("I7"));
  oracle_.bind_ended(run_, 0, driver_.now_ps(run_) - began + Picoseconds(1));
  EXPECT_TRUE(is_broken("I7"));
}

TEST_F(OracleTest, I8BlockLeftAfterFinalizeIsCaught) {
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), std::vector<std::string>{"I8"});
}

TEST_F(OracleTest, I8MappingLeftAfterFinalizeIsCaught) {
  map();
  oracle_.finalized({}, {});
  EXPECT_TRUE(is_broken("I8"));
}

TEST_F(OracleTest, UnnamedBlocksAreCalledByTheirAddressInTheSlice) {
  const DeviceAddr unnamed = driver_.allocate(kRunnerTimeline, kSize).address;
  free();
  oracle_.finalized({}, {});
  ASSERT_EQ(oracle_.violations().size(), 1U);
  EXPECT_EQ(
      oracle_.violations()[0].allocation, "svm+0x" + [](std::uint64_t n) {
        char text[32];
        std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(n));
        return std::string(text);
      }(machine_->relative(unnamed)));
}

}  // namespace
}  // namespace svmsim
