// SPDX-License-Identifier: Apache-2.0
#include "runtime/journal.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

TEST(Journal, EachFailureIsLoggedOnceWithCodeCallAddressAndBytes) {
  testing::LogCollector log;
  Journal journal(log.sink());
  journal.driver_failed(DriverCall::kUnregister, DriverCode::kParaError, DeviceAddr(0x12c0), Bytes(4096));
  EXPECT_EQ(log.count(LogLevel::kError, ""), 1);
  EXPECT_EQ(log.count(LogLevel::kError, "unregister_from_host failed with PARA_ERROR (8): 0x12c0 (4096 bytes)"), 1);
}

TEST(Journal, LineIsMadeOnlyForASink) {
  int made = 0;
  const auto line = [&] {
    ++made;
    return std::string("a line");
  };
  Journal{LogSink{}}.log(LogLevel::kInfo, line);
  EXPECT_EQ(made, 0);
  testing::LogCollector log;
  Journal(log.sink()).log(LogLevel::kInfo, line);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(log.count(LogLevel::kInfo, "a line"), 1);
}

TEST(Journal, RefusedRegisterIsAWarningOtherRegisterFailuresAreErrors) {
  testing::LogCollector log;
  Journal journal(log.sink());
  journal.driver_failed(DriverCall::kRegister, DriverCode::kNotSupport, DeviceAddr(1), Bytes(1));
  EXPECT_EQ(log.count(LogLevel::kWarn, "NOT_SUPPORT (65534)"), 1);
  EXPECT_EQ(log.count(LogLevel::kError, ""), 0);
  journal.driver_failed(DriverCall::kRegister, DriverCode::kParaError, DeviceAddr(1), Bytes(1));
  EXPECT_EQ(log.count(LogLevel::kError, "PARA_ERROR (8)"), 1);
}

TEST(Journal, EachKindHasItsCounterAndCopiesShareOne) {
  Journal journal{LogSink{}};
  const auto failed = [&](DriverCall call) {
    journal.driver_failed(call, DriverCode::kInnerErr, DeviceAddr(1), Bytes(1));
  };
  failed(DriverCall::kAllocate);
  for (int i = 0; i < 2; ++i) failed(DriverCall::kFree);
  for (int i = 0; i < 3; ++i) failed(DriverCall::kRegister);
  for (int i = 0; i < 4; ++i) failed(DriverCall::kUnregister);
  failed(DriverCall::kCopyToDevice);
  failed(DriverCall::kCopyFromDevice);
  failed(DriverCall::kSetMemory);
  const DriverFailures failures = journal.failures();
  EXPECT_EQ(failures.allocate, 1u);
  EXPECT_EQ(failures.free, 2u);
  EXPECT_EQ(failures.register_to_host, 3u);
  EXPECT_EQ(failures.unregister, 4u);
  EXPECT_EQ(failures.copy, 3u);
  EXPECT_EQ(failures.total(), 13u);
}

TEST(Journal, CallNamesAreThoseOfTheDriverPort) {
  EXPECT_EQ(driver_call_name(DriverCall::kAllocate), "allocate");
  EXPECT_EQ(driver_call_name(DriverCall::kFree), "free");
  EXPECT_EQ(driver_call_name(DriverCall::kRegister), "register_to_host");
  EXPECT_EQ(driver_call_name(DriverCall::kUnregister), "unregister_from_host");
  EXPECT_EQ(driver_call_name(DriverCall::kCopyToDevice), "copy_to_device");
  EXPECT_EQ(driver_call_name(DriverCall::kCopyFromDevice), "copy_from_device");
  EXPECT_EQ(driver_call_name(DriverCall::kSetMemory), "set_memory");
}

}  // namespace
}  // namespace svmrt
