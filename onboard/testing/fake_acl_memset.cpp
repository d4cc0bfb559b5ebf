// SPDX-License-Identifier: Apache-2.0
// Of a fake libascendcl.so: the function that fills memory.
#include "onboard/testing/fake_board.h"
#include "runtime/driver_functions.h"

using svmsim::FakeBoard;

extern "C" {

svmrt::AclrtMemset aclrtMemset;
std::int32_t aclrtMemset(void* to, std::size_t capacity, std::int32_t value, std::size_t count) {
  return FakeBoard::instance().acl_memset(to, capacity, value, count);
}

}  // extern "C"
