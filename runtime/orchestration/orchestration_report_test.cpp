// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/orchestration_report.h"

#include <gtest/gtest.h>

namespace svmrt {
namespace {

TEST(OrchestrationReportTest, CodesHaveTheirPublicNames) {
  EXPECT_EQ(orchestration_error_name(0), "NONE");
  EXPECT_EQ(orchestration_error_name(1), "SCOPE_DEADLOCK");
  EXPECT_EQ(orchestration_error_name(2), "HEAP_RING_DEADLOCK");
  EXPECT_EQ(orchestration_error_name(3), "FLOW_CONTROL_DEADLOCK");
  EXPECT_EQ(orchestration_error_name(4), "DEP_POOL_OVERFLOW");
  EXPECT_EQ(orchestration_error_name(5), "INVALID_ARGS");
  EXPECT_EQ(orchestration_error_name(6), "UNKNOWN");
  EXPECT_EQ(orchestration_error_name(7), "REQUIRE_SYNC_START_INVALID");
  EXPECT_EQ(orchestration_error_name(8), "TENSOR_WAIT_TIMEOUT");
  EXPECT_EQ(orchestration_error_name(9), "EXPLICIT_ORCH_FATAL");
  EXPECT_EQ(orchestration_error_name(10), "SCOPE_TASKS_OVERFLOW");
  EXPECT_EQ(orchestration_error_name(11), "TENSORMAP_OVERFLOW");
}

TEST(OrchestrationReportTest, FirstFatalWins) {
  OrchestrationReport report({});
  EXPECT_TRUE(report.result());
  report.raise(5, "first");
  report.raise(2, "second");
  EXPECT_EQ(report.code(), 5);
  EXPECT_EQ(report.message(), "first");
}

TEST(OrchestrationReportTest, ResultNamesStatusCodeAndReason) {
  OrchestrationReport report({});
  report.raise(5, "rt_submit_task: no active kernel slot");
  const Result<void> result = report.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kOrchestration);
  EXPECT_EQ(result.error().orchestration_code, 5);
  EXPECT_EQ(result.error().message,
            "run failed with code -5: orch_error_code=5 INVALID_ARGS: rt_submit_task: no active kernel slot");
}

TEST(OrchestrationReportTest, OfAFatalAndADeferralTheFirstWins) {
  OrchestrationReport fatal({});
  fatal.raise(5, "first");
  fatal.defer(3, "second");
  ASSERT_FALSE(fatal.result());
  EXPECT_EQ(fatal.result().error().code, ErrorCode::kOrchestration);
  EXPECT_EQ(fatal.message(), "first");

  OrchestrationReport deferred({});
  deferred.defer(3, "first");
  deferred.raise(5, "second");
  deferred.defer(4, "third");
  EXPECT_TRUE(deferred.is_fatal());
  EXPECT_EQ(deferred.code(), PTO2_ERROR_NONE);
  ASSERT_FALSE(deferred.result());
  EXPECT_EQ(deferred.result().error().code, ErrorCode::kDeferred);
  EXPECT_EQ(deferred.result().error().after_run, 3u);
  EXPECT_EQ(deferred.result().error().message, "prepared incompatible, retry after run 3: first");
}

}  // namespace
}  // namespace svmrt
