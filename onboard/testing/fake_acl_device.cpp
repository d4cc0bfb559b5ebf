// SPDX-License-Identifier: Apache-2.0
// Of a fake libascendcl.so: opening and closing a device.
#include "onboard/testing/fake_board.h"
#include "runtime/driver_functions.h"

using svmsim::FakeBoard;

extern "C" {

svmrt::AclInit aclInit;
svmrt::AclFinalize aclFinalize;
svmrt::AclrtSetDevice aclrtSetDevice;
svmrt::AclrtResetDevice aclrtResetDevice;

std::int32_t aclInit(const char* /*config_path*/) { return FakeBoard::instance().acl_init(); }
std::int32_t aclFinalize() { return FakeBoard::instance().acl_finalize(); }
std::int32_t aclrtSetDevice(std::int32_t device_id) { return FakeBoard::instance().acl_set_device(device_id); }
std::int32_t aclrtResetDevice(std::int32_t device_id) { return FakeBoard::instance().acl_reset_device(device_id); }

}  // extern "C"
