// SPDX-License-Identifier: Apache-2.0
// A driver library by name, loaded when a function in it is first asked for, and its functions. It stays loaded until
// the process ends: the threads and exit handlers of a driver's libraries outlive whoever loaded them.
// Thread-compatible.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "runtime/result.h"

namespace svmsim {

class DriverLibrary {
 public:
  // As dlopen takes it: a name without a slash is searched for as the dynamic linker does (LD_LIBRARY_PATH).
  explicit DriverLibrary(std::string name) : name_(std::move(name)) {}
  DriverLibrary(const DriverLibrary&) = delete;
  DriverLibrary& operator=(const DriverLibrary&) = delete;

  // Never null. kLoad, with driver code kLibraryNotLoaded (the message has the loader's words; it is asked once) or
  // kSymbolMissing (the message names both).
  [[nodiscard]] svmrt::Result<void*> find(const char* symbol);

 private:
  const std::string name_;
  std::optional<svmrt::Result<void*>> handle_;
};

// One C function of a library, of type `Signature`, looked up at its first use.
template <typename Signature>
class DriverFunction {
 public:
  // Both are borrowed for the function's life.
  DriverFunction(DriverLibrary& library, const char* name) : library_(library), name_(name) {}

  [[nodiscard]] const char* name() const { return name_; }
  // As DriverLibrary::find.
  [[nodiscard]] const svmrt::Result<Signature*>& get() {
    if (!found_) {
      found_ = library_.find(name_).map([](void* address) { return reinterpret_cast<Signature*>(address); });
    }
    return *found_;
  }

 private:
  DriverLibrary& library_;
  const char* name_;
  std::optional<svmrt::Result<Signature*>> found_;
};

// What a library's function said, whatever it is; or why it was not asked.
using LibraryAnswer = svmrt::Result<svmrt::DriverCode>;

}  // namespace svmsim
