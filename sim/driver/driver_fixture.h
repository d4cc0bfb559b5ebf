// SPDX-License-Identifier: Apache-2.0
// A driver of a platform over a recording backing, for tests: short calls, and a check at the end that a device close
// leaves nothing behind and that the backing was never asked for the impossible. Owned by its test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>

#include "sim/driver/hal_driver.h"
#include "sim/driver/hal_flags.h"
#include "sim/driver/recording_backing.h"

namespace svmrt {

// Found by GoogleTest.
inline void PrintTo(DriverCode code, std::ostream* out) { *out << code_number(code) << " " << driver_code_name(code); }

}  // namespace svmrt

namespace svmsim {

// The true v2 layout (P1): 8 TiB from 0x100000000000, device memory from 0x12c000000000 on.
inline constexpr DeviceAddr kDeviceBase{0x12c000000000};
inline constexpr AddressLayout kTrueLayout{kDeviceBase, times(8, kTiB) - Bytes(0x2c000000000)};

inline constexpr std::uint64_t kOrdinaryDevice0 = kAllocSideDevice | kAllocHbm;
inline constexpr std::uint64_t kHugeDevice0 = kOrdinaryDevice0 | kAllocHuge;
inline constexpr std::uint64_t kGiantDevice0 = kOrdinaryDevice0 | kAllocGiant;

inline Platform v2_platform() { return Platform{}; }
inline Platform v2_64k_platform() {
  Platform platform;
  platform.host_page = Bytes(65536);
  return platform;
}
inline Platform v2_vm_platform() {
  Platform platform;
  platform.host = HostKind::kVmWithoutWc;
  return platform;
}
inline Platform v3_platform() {
  Platform platform;
  platform.personality = Personality::kV3;
  return platform;
}
inline Platform v3_64k_platform() {
  Platform platform = v3_platform();
  platform.host_page = Bytes(65536);
  return platform;
}

class DriverRig {
 public:
  explicit DriverRig(const Platform& platform, const AddressLayout& layout = kTrueLayout, Bytes host_offset = Bytes(0))
      : backing_(host_offset), driver_(make_hal_driver(platform, layout, backing_)) {}
  DriverRig(const DriverRig&) = delete;
  DriverRig& operator=(const DriverRig&) = delete;
  ~DriverRig() {
    driver_->device_close();
    EXPECT_EQ(backing_.mapped_bytes(), Bytes(0));
    EXPECT_EQ(backing_.populated_bytes(), Bytes(0));
    EXPECT_THAT(driver_->live_blocks(), testing::SizeIs(0));
    EXPECT_THAT(driver_->mapped_extents(), testing::SizeIs(0));
    EXPECT_THAT(backing_.misuse(), testing::IsEmpty());
  }

  HalDriver& driver() { return *driver_; }
  RecordingBacking& backing() { return backing_; }

  DeviceAddr alloc(Bytes size, std::uint64_t flag = kOrdinaryDevice0) {
    const AllocOutcome outcome = driver_->mem_alloc(size.count(), flag);
    EXPECT_EQ(outcome.code, DriverCode::kNone);
    return outcome.address;
  }
  DeviceAddr alloc_huge(Bytes size) { return alloc(size, kHugeDevice0); }
  DriverCode alloc_code(Bytes size, std::uint64_t flag = kOrdinaryDevice0) {
    return driver_->mem_alloc(size.count(), flag).code;
  }
  DriverCode free(DeviceAddr base) { return driver_->mem_free(base); }
  DriverCode reg(DeviceAddr source, Bytes size, std::uint32_t flag = kDevSvmMapHost, std::uint32_t device_id = 0) {
    return driver_->host_register(source, size.count(), flag, device_id).code;
  }
  DriverCode unreg(DeviceAddr source, std::uint32_t device_id = 0) {
    return driver_->host_unregister(source, device_id).code;
  }
  DriverCode unreg_ex(DeviceAddr source, std::uint32_t type = kDevSvmMapHost) {
    return driver_->host_unregister_ex(source, 0, type).code;
  }
  void records_on() { EXPECT_TRUE(driver_->support_feature(0, kFeatureRegisterQuery)); }
  bool mapped(DeviceAddr base, Bytes size) const { return backing_.is_mapped(base, size); }

 private:
  RecordingBacking backing_;
  std::unique_ptr<HalDriver> driver_;
};

}  // namespace svmsim
