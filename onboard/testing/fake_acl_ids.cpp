// SPDX-License-Identifier: Apache-2.0
// Of a fake libascendcl.so: the ids of devices.
#include "onboard/testing/fake_board.h"
#include "runtime/driver_functions.h"

using svmsim::FakeBoard;

extern "C" {

svmrt::AclrtGetLogicDevIdByUserDevId aclrtGetLogicDevIdByUserDevId;
std::int32_t aclrtGetLogicDevIdByUserDevId(std::int32_t user_device, std::int32_t* logic_device) {
  return FakeBoard::instance().acl_driver_id(user_device, logic_device);
}

}  // extern "C"
