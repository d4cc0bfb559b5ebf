// SPDX-License-Identifier: Apache-2.0
// An orchestration that can be invoked, and the loading of one from a shared object. Thread-compatible: a callable
// may be invoked on several threads at once if its program allows that; the binding is per thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "runtime/orchestration/api/pto_ops.h"
#include "runtime/result.h"

namespace svmrt {

class Callable {
 public:
  Callable() = default;
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;
  virtual ~Callable() = default;

  // How many tensors plus scalars the entry point reads. Arguments are borrowed for the call.
  [[nodiscard]] virtual Result<std::int32_t> expected_arg_count(const ChipTaskArgs& args) = 0;

  // Binds `ops` and `context` on this thread, runs the entry point and unbinds. An exception that escapes is an
  // error kOrchestration, EXPLICIT_ORCH_FATAL. A fatal of the orchestration is none: whoever owns the context knows.
  [[nodiscard]] virtual Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) = 0;
};

// A shared object that exports aicpu_orchestration_entry, aicpu_orchestration_config and, through the public
// header, pto2_bind_orchestration.
class SharedObjectCallable : public Callable {
 public:
  // kLoad: the file is missing, is not a regular file, cannot be loaded (with the loader's words) or lacks one of the
  // three (named).
  [[nodiscard]] static Result<std::unique_ptr<Callable>> load(const std::filesystem::path& path);
  ~SharedObjectCallable() override;  // unloads

  [[nodiscard]] Result<std::int32_t> expected_arg_count(const ChipTaskArgs& args) override;
  [[nodiscard]] Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override;

 private:
  using Entry = void (*)(const ChipTaskArgs&);
  using Config = PTO2OrchestrationConfig (*)(const ChipTaskArgs&);
  using Bind = void (*)(const Pto2Ops*, void*);

  explicit SharedObjectCallable(void* library) : library_(library) {}

  void* library_;
  Entry entry_ = nullptr;
  Config config_ = nullptr;
  Bind bind_ = nullptr;
};

}  // namespace svmrt
