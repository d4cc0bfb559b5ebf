// SPDX-License-Identifier: Apache-2.0
// A program as the drop-in libraries know them: loads libascend_hal.so and libascendcl.so and makes the calls that it
// is asked for on standard input, a socket, until that is closed. Then it ends, which is when the libraries report.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/library_calls.h"
#include "fuzz/loaded_messages.h"

namespace {

void* library_at(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  std::fprintf(stderr, "loaded_calls: %s\n", dlerror());
  std::exit(2);
}

svmsim::LibraryFunctions functions_in(const std::string& folder) {
  svmsim::LibraryFunctions functions;
  void* const hal = library_at(folder + "/libascend_hal.so");
  void* const acl = library_at(folder + "/libascendcl.so");
#define SVMSIM_OF_HAL(NAME) functions.NAME = reinterpret_cast<decltype(functions.NAME)>(dlsym(hal, #NAME));
#define SVMSIM_OF_ACL(NAME) functions.NAME = reinterpret_cast<decltype(functions.NAME)>(dlsym(acl, #NAME));
  SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_OF_HAL)
  SVMSIM_ASCENDCL_SYMBOLS(SVMSIM_OF_ACL)
#undef SVMSIM_OF_HAL
#undef SVMSIM_OF_ACL
  return functions;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: loaded_calls FOLDER, of the libraries; a fuzz target runs it\n");
    return 2;
  }
  svmsim::LibraryCaller caller(functions_in(argv[1]));
  static_cast<void>(caller.now_ns());  // so that there is a machine, and a report, when nothing is asked
  svmsim::LoadedRequest request;
  while (svmsim::receive_all(STDIN_FILENO, &request, sizeof request)) {
    const svmsim::DriverAnswer answer = caller.carry_out(request.call, request.address);
    const svmsim::LoadedReply reply{answer.code, static_cast<std::uint32_t>(answer.bytes.size()), answer.result,
                                    caller.now_ns()};
    if (!svmsim::send_all(STDIN_FILENO, &reply, sizeof reply)) return 2;
    if (!svmsim::send_all(STDIN_FILENO, answer.bytes.data(), answer.bytes.size())) return 2;
  }
}
