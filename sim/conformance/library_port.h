// SPDX-License-Identifier: Apache-2.0
// A driver library, whichever it is, as a conformance script sees it: `libascend_hal.so` in a process of its own per
// case, so that no case sees another's state and a library that crashes or hangs ends a case and not the runner. Never
// loads the library into its own process. Owned by whoever runs scripts; thread-bound: the process of a case ends with
// the thread that began it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "sim/child_environment.h"
#include "sim/conformance/hal_port.h"
#include "sim/conformance/host_protocol.h"
#include "sim/host_process.h"

namespace svmsim {

struct LibrarySetup {
  std::string host_program;        // path of the executable conformance_host
  std::string library;             // as dlopen takes it; libascendcl.so is expected in the same folder, or as this one
  EnvironmentChanges environment;  // of each process
  // How long a call may take before its process is given up. Guards against a hang, so far above any call.
  std::chrono::milliseconds guard{120'000};
  // Asked before each process and while one is waited for; once it says yes, there are no more answers. May be empty.
  std::function<bool()> interrupted;
};

class LibraryPort final : public HalPort {
 public:
  // `surroundings`: what the library runs in, or simulates.
  LibraryPort(LibrarySetup setup, const HalSurroundings& surroundings);
  ~LibraryPort() override;

  [[nodiscard]] HalSurroundings surroundings() const override { return surroundings_; }
  [[nodiscard]] bool has(HalSymbol symbol) override;
  [[nodiscard]] std::string failure() const override { return failure_; }
  // Whether failure() since begin_case() is that there is no library to load, or that it finds no device: no case can
  // be asked, and nobody deviates.
  [[nodiscard]] bool absent() const { return absent_; }
  // Of a failure() since begin_case() that is the end of the process: its exit code, if it had one.
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }
  // Where the loader found the library of the last case that began; empty when it did not.
  [[nodiscard]] const std::string& library_path() const { return library_path_; }
  // Whether it is a library of this simulator, which has a host page of its own.
  [[nodiscard]] bool simulated() const { return simulated_; }
  // dsmi_get_version of device 0, and the ACL runtime's name of the chip; empty with a failure().
  [[nodiscard]] std::string driver_version();
  [[nodiscard]] std::string soc_name();
  void begin_case() override;
  // aclInit, aclrtSetDevice(0), aclrtResetDevice(0), aclrtSetDevice(0). The ACL runtime asks for feature 11 when it
  // opens a device, so from here on registrations are recorded (U1), whatever the case asked for before.
  [[nodiscard]] std::string reopen_device() override;
  [[nodiscard]] std::uint64_t host_memory() override;

  [[nodiscard]] std::int32_t mem_alloc(std::uint64_t* address, std::uint64_t size, std::uint64_t flag) override;
  [[nodiscard]] std::int32_t mem_free(std::uint64_t address) override;
  [[nodiscard]] std::int32_t host_register(std::uint64_t source, std::uint64_t size, std::uint32_t flag,
                                           std::uint32_t device_id, std::uint64_t* host) override;
  [[nodiscard]] std::int32_t host_unregister(std::uint64_t source, std::uint32_t device_id) override;
  [[nodiscard]] std::int32_t host_unregister_ex(std::uint64_t source, std::uint32_t device_id,
                                                std::uint32_t flag) override;
  [[nodiscard]] bool support_feature(std::uint32_t device_id, std::int32_t type) override;
  [[nodiscard]] std::int32_t mem_host_get_dev_pointer(std::uint64_t host, std::uint32_t device_id,
                                                      std::uint64_t* address) override;
  [[nodiscard]] std::int32_t mem_ctl(std::int32_t type, const MemCtlFeatures* in, MemCtlFeatures* out) override;

 private:
  void start_process();
  // Ends the process, which may be dead already; says how it ended.
  std::string end_process();
  // What comes first from the process, before the guard ends; a descriptor of -1: nothing but its end.
  [[nodiscard]] HostEvent wait_for(int descriptor) const;
  // An answer with code 0 and the request's output once there is a failure.
  HostAnswer ask(const HostRequest& request);
  // The code of the answer. `output`, null or what the call gets to see there, takes what the call left.
  std::int32_t ask_for(HostRequest request, std::uint64_t* output);
  std::string ask_for_text(HostCall call);
  HostAnswer receive();
  // The process broke off instead of answering.
  void break_off();

  LibrarySetup setup_;
  HalSurroundings surroundings_;
  std::string failure_ = "no case begun";
  bool absent_ = false;
  std::optional<int> exit_code_;
  bool simulated_ = false;
  std::string library_path_;
  HostProcess process_;
  int socket_ = -1;
};

}  // namespace svmsim
