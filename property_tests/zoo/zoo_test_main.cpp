// SPDX-License-Identifier: Apache-2.0
// Runs all tests with the fault that the environment variable SVMRT_PLANT names, or with none: to see by hand which
// test notices a fault.
#include <gtest/gtest.h>

#include <cstdlib>

#include "property_tests/zoo/planted.h"

namespace {

// Each test starts with what the fault remembers empty.
class Planter final : public ::testing::EmptyTestEventListener {
 public:
  explicit Planter(const char* fault) : fault_(fault) {}
  void OnTestStart(const ::testing::TestInfo&) override { svmrt::plant(fault_); }

 private:
  const char* const fault_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (const char* const fault = std::getenv("SVMRT_PLANT")) {
    ::testing::UnitTest::GetInstance()->listeners().Append(new Planter(fault));
  }
  return RUN_ALL_TESTS();
}
