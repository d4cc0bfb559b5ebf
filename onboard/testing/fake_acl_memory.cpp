// SPDX-License-Identifier: Apache-2.0
// Of a fake libascendcl.so: memory and copies.
#include "onboard/testing/fake_board.h"
#include "runtime/driver_functions.h"

using svmsim::FakeBoard;

extern "C" {

svmrt::AclrtMalloc aclrtMalloc;
svmrt::AclrtFree aclrtFree;
svmrt::AclrtMemcpy aclrtMemcpy;

std::int32_t aclrtMalloc(void** device, std::size_t size, std::uint32_t policy) {
  return FakeBoard::instance().acl_malloc(device, size, policy);
}
std::int32_t aclrtFree(void* device) { return FakeBoard::instance().acl_free(device); }
std::int32_t aclrtMemcpy(void* to, std::size_t capacity, const void* from, std::size_t count, std::uint32_t kind) {
  return FakeBoard::instance().acl_memcpy(to, capacity, from, count, kind);
}

}  // extern "C"
