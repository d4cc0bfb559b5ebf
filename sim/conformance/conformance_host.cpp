// SPDX-License-Identifier: Apache-2.0
// The process in which a driver library is asked: loads it, then makes one call per request until the runner closes
// the connection. Prints nothing. usage: conformance_host LIBRARY, with a socket on descriptor kHostDescriptor.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/driver_functions.h"
#include "sim/conformance/hal_port.h"
#include "sim/conformance/host_protocol.h"
#include "sim/host_process.h"

// Under AddressSanitizer too a signal must end this process as it ends any other: the runner reports which.
extern "C" const char* __asan_default_options();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0:detect_leaks=0";
}

namespace svmsim {
namespace {

constexpr int kNoDevice = 1;

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

HostAnswer without_answer(const std::string& why) {
  HostAnswer answer;
  std::snprintf(answer.failure, sizeof answer.failure, "%s", why.c_str());
  return answer;
}

HostAnswer without_runtime(const std::string& what_is_there) {
  HostAnswer answer;
  std::snprintf(answer.no_runtime, sizeof answer.no_runtime, "%s", what_is_there.c_str());
  return answer;
}

class Library {
 public:
  // Loads the library as a program that knows nothing of it does, and opens device 0.
  HostAnswer load(const std::string& path) {
    path_ = path;
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      HostAnswer answer = without_answer(std::string("a library that cannot be loaded: ") + dlerror());
      answer.absent = true;
      return answer;
    }
    HostAnswer answer;
    link_map* loaded = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) == 0) {
      std::snprintf(answer.library, sizeof answer.library, "%s", loaded->l_name);
    }
    answer.simulated = dlsym(handle_, "svmsim_now_ns") != nullptr;
    if (auto* open = symbol<svmrt::HalMemAgentOpen>(handle_, "halMemAgentOpen")) {
      if (const int code = open(0, 0); code != 0) {
        answer = without_answer("halMemAgentOpen(0, 0) with code " + std::to_string(code));
        answer.absent = code == kNoDevice;
      }
    }
    return answer;
  }

  HostAnswer answer(const HostRequest& request) {
    HostAnswer answer;
    answer.output = request.output;
    void* place = pointer(request.output);
    void** const place_argument = request.null_out ? nullptr : &place;
    void* const source = pointer(request.address);
    const auto flag32 = static_cast<std::uint32_t>(request.flag);
    switch (request.call) {
      case HostCall::kLookUp:
        answer.code = dlsym(handle_, name_of(static_cast<HalSymbol>(request.symbol)).c_str()) != nullptr ? 1 : 0;
        return answer;
      case HostCall::kReopenDevice:
        return reopen();
      case HostCall::kHostMemory:
        return host_memory();
      case HostCall::kMemAlloc:
        answer.code = find<svmrt::HalMemAlloc>(HalSymbol::kMemAlloc)(place_argument, request.size, request.flag);
        break;
      case HostCall::kMemFree:
        answer.code = find<svmrt::HalMemFree>(HalSymbol::kMemFree)(source);
        break;
      case HostCall::kHostRegister:
        answer.code = find<svmrt::HalHostRegister>(HalSymbol::kHostRegister)(source, request.size, flag32,
                                                                             request.device_id, place_argument);
        break;
      case HostCall::kHostUnregister:
        answer.code = find<svmrt::HalHostUnregister>(HalSymbol::kHostUnregister)(source, request.device_id);
        break;
      case HostCall::kHostUnregisterEx:
        answer.code = find<svmrt::HalHostUnregisterEx>(HalSymbol::kHostUnregisterEx)(source, request.device_id, flag32);
        break;
      case HostCall::kSupportFeature:
        answer.code =
            find<svmrt::HalSupportFeature>(HalSymbol::kSupportFeature)(request.device_id, request.type) ? 1 : 0;
        break;
      case HostCall::kMemHostGetDevPointer:
        answer.code = find<svmrt::HalMemHostGetDevPointer>(HalSymbol::kMemHostGetDevPointer)(source, request.device_id,
                                                                                             place_argument);
        break;
      case HostCall::kMemCtl:
        return mem_ctl(request);
      case HostCall::kDriverVersion:
        return driver_version();
      case HostCall::kSocName:
        return soc_name();
    }
    answer.output = reinterpret_cast<std::uint64_t>(place);
    return answer;
  }

 private:
  template <typename Function>
  static Function* symbol(void* handle, const char* name) {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }
  static std::string name_of(HalSymbol symbol) { return std::string(hal_symbol_name(symbol)); }
  // The runner asks for a symbol before it calls it.
  template <typename Function>
  Function* find(HalSymbol which) {
    return symbol<Function>(handle_, name_of(which).c_str());
  }

  HostAnswer mem_ctl(const HostRequest& request) {
    MemCtlFeatures in{request.flag, request.device_id};
    MemCtlFeatures out{request.output, 0};
    std::size_t out_size = sizeof out;
    HostAnswer answer;
    answer.code = find<svmrt::HalMemCtl>(HalSymbol::kMemCtl)(request.type, request.null_in ? nullptr : &in, sizeof in,
                                                             request.null_out ? nullptr : &out, &out_size);
    answer.output = out.mask;
    answer.device_id = out.device_id;
    return answer;
  }

  // A library of this name beside the driver's, or where the loader looks; null, and dlerror() says why.
  void* load_other(const std::string& name) const {
    void* const beside = dlopen((path_.substr(0, path_.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    return beside != nullptr ? beside : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }

  HostAnswer driver_version() const {
    void* const dsmi = load_other("libdrvdsmi_host.so");
    if (dsmi == nullptr) return without_answer(std::string("no libdrvdsmi_host.so: ") + dlerror());
    auto* const get_version = symbol<svmrt::DsmiGetVersion>(dsmi, "dsmi_get_version");
    if (get_version == nullptr) return without_answer("a libdrvdsmi_host.so without dsmi_get_version");
    HostAnswer answer;
    std::uint32_t written = 0;
    if (const int code = get_version(0, answer.text, sizeof answer.text - 1, &written); code != 0) {
      return without_answer("dsmi_get_version(0) with code " + std::to_string(code));
    }
    return answer;
  }

  // The ACL runtime knows it once it is initialised.
  HostAnswer soc_name() const {
    void* const acl = load_other("libascendcl.so");
    if (acl == nullptr) return without_answer(std::string("no libascendcl.so: ") + dlerror());
    auto* const initialise = symbol<svmrt::AclInit>(acl, "aclInit");
    auto* const get_name = symbol<svmrt::AclrtGetSocName>(acl, "aclrtGetSocName");
    if (initialise == nullptr || get_name == nullptr) {
      return without_answer("a libascendcl.so without aclInit or aclrtGetSocName");
    }
    static_cast<void>(initialise(nullptr));  // the name is asked for all the same
    const char* const name = get_name();
    if (name == nullptr) return without_answer("aclrtGetSocName answered null");
    HostAnswer answer;
    std::snprintf(answer.text, sizeof answer.text, "%s", name);
    return answer;
  }

  // Through the ACL runtime beside the library, as programs close a device.
  HostAnswer reopen() {
    const std::string acl_path = path_.substr(0, path_.rfind('/') + 1) + "libascendcl.so";
    void* const acl = dlopen(acl_path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (acl == nullptr) return without_runtime(std::string("one that cannot be loaded: ") + dlerror());
    auto* const initialise = symbol<svmrt::AclInit>(acl, "aclInit");
    auto* const set_device = symbol<svmrt::AclrtSetDevice>(acl, "aclrtSetDevice");
    auto* const reset_device = symbol<svmrt::AclrtResetDevice>(acl, "aclrtResetDevice");
    if (initialise == nullptr || set_device == nullptr || reset_device == nullptr) {
      return without_runtime("one without aclInit, aclrtSetDevice or aclrtResetDevice");
    }
    static_cast<void>(initialise(nullptr));  // refused when it is not the first
    for (auto* const call : {set_device, reset_device, set_device}) {
      if (const int code = call(0); code != 0) {
        return without_answer(std::string(call == set_device ? "aclrtSetDevice" : "aclrtResetDevice") +
                              "(0) with code " + std::to_string(code));
      }
    }
    return {};
  }

  // HalPort::host_memory() on the largest host page.
  static HostAnswer host_memory() {
    constexpr std::uint64_t kPage = 65536;
    constexpr std::uint64_t kPages = 16;
    void* const memory =
        mmap(nullptr, (kPages + 1) * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return without_answer("no host memory");
    HostAnswer answer;
    answer.output = (reinterpret_cast<std::uint64_t>(memory) + kPage - 1) / kPage * kPage;
    return answer;
  }

  std::string path_;
  void* handle_ = nullptr;
};

int serve(const std::string& path) {
  const auto runner = begin_host();
  if (!runner) return EXIT_FAILURE;
  Library library;
  HostAnswer answer = library.load(path);
  HostRequest request;
  do {
    if (send(*runner, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) return EXIT_FAILURE;
    if (recv(*runner, &request, sizeof request, 0) != sizeof request) return EXIT_SUCCESS;
    answer = library.answer(request);
  } while (true);
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: conformance_host LIBRARY\n", stderr);
    return 2;
  }
  _exit(svmsim::serve(argv[1]));  // without what the library would print at its end
}
