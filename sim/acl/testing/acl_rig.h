// SPDX-License-Identifier: Apache-2.0
// An ACL runtime on a small machine whose copies check host addresses, with one thread that has device 0 set. Owned by
// its test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "sim/acl/acl_runtime.h"
#include "sim/driver/hal_flags.h"
#include "sim/testing/test_machine.h"

namespace svmsim {

// Found by GoogleTest.
inline void PrintTo(AclCode code, std::ostream* out) { *out << code_number(code); }

inline Platform acl_platform(Personality personality) {
  Platform platform = test_platform();
  platform.personality = personality;
  return platform;
}

class CallLog final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { records.push_back(record); }
  [[nodiscard]] std::size_t count(CallKind kind) const {
    std::size_t found = 0;
    for (const CallRecord& record : records) found += record.kind == kind ? 1 : 0;
    return found;
  }
  std::vector<CallRecord> records;
};

class AclRig {
 public:
  explicit AclRig(const Platform& platform = test_platform(), std::vector<std::uint32_t> visible_devices = {0}) {
    MachineOptions options;
    options.host_memory = &checked_;
    machine_ = std::move(*Machine::create(platform, CostModel(test_costs()), options));
    machine_->add_observer(log);
    acl_ = std::make_unique<AclRuntime>(*machine_, std::move(visible_devices));
    EXPECT_EQ(acl_->set_device(thread, 0), AclCode::kSuccess);
  }

  AclRuntime& acl() { return *acl_; }
  Machine& machine() { return *machine_; }

  void* alloc(std::uint64_t size, std::uint32_t policy = 0) {
    void* device = nullptr;
    EXPECT_EQ(acl_->malloc(thread, &device, size, policy), AclCode::kSuccess);
    return device;
  }
  void* alloc_host(std::uint64_t size) {
    void* host = nullptr;
    EXPECT_EQ(acl_->malloc_host(thread, &host, size), AclCode::kSuccess);
    return host;
  }

  AclThread thread;
  CallLog log;

 private:
  CheckedHostMemory checked_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<AclRuntime> acl_;
};

// An address that nothing in the process may touch: kept inaccessible as long as this lives.
class ForbiddenPage {
 public:
  ForbiddenPage() : region_(*MappedRegion::anonymous(nullptr, Bytes(4096), MappedRegion::Access::kNone)) {}
  [[nodiscard]] void* address() const { return region_.data(); }

 private:
  MappedRegion region_;
};

}  // namespace svmsim
