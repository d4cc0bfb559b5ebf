// SPDX-License-Identifier: Apache-2.0
#include "onboard/driver_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace svmsim {

namespace {

svmrt::Result<void*> not_there(std::string message, svmrt::DriverCode code) {
  return svmrt::fail(svmrt::ErrorCode::kLoad, std::move(message), code);
}

svmrt::Result<void*> load(const std::string& name) {
  // RTLD_NOW: what the library itself lacks shows here and not in the middle of a call.
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* const reason = dlerror();
  return not_there(
      fmt::format("library '{}' cannot be loaded: {}", name, reason != nullptr ? reason : "the loader gives no reason"),
      svmrt::DriverCode::kLibraryNotLoaded);
}

}  // namespace

svmrt::Result<void*> DriverLibrary::find(const char* symbol) {
  if (!handle_) handle_ = load(name_);
  if (!*handle_) return *handle_;
  // A function whose address is null cannot be called either.
  void* const address = dlsym(**handle_, symbol);
  if (address != nullptr) return address;
  return not_there(fmt::format("library '{}' has no function '{}'", name_, symbol), svmrt::DriverCode::kSymbolMissing);
}

}  // namespace svmsim
