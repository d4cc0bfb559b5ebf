// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/callable.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/orchestration/orchestration_report.h"

namespace svmrt {

namespace {

// Null when the object does not define it.
template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

tl::unexpected<Error> escaped(const char* call, const char* what) {
  OrchestrationReport report({});
  report.raise(PTO2_ERROR_EXPLICIT_ORCH_FATAL, fmt::format("{} threw: {}", call, what));
  return tl::unexpected<Error>(report.result().error());
}

// Runs `body`, which returns a Result, and turns an exception into an error.
template <typename Body>
auto guarded(const char* call, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& exception) {
    return escaped(call, exception.what());
  } catch (...) {
    return escaped(call, "something that is no std::exception");
  }
}

constexpr const char* kEntry = "aicpu_orchestration_entry";
constexpr const char* kConfig = "aicpu_orchestration_config";
constexpr const char* kBind = "pto2_bind_orchestration";

}  // namespace

Result<std::unique_ptr<Callable>> SharedObjectCallable::load(const std::filesystem::path& path) {
  std::error_code ignored;
  // Absolute, because the loader searches its own directories for a name without a slash.
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  const std::filesystem::file_status status = std::filesystem::status(absolute, ignored);
  if (!std::filesystem::exists(status)) {
    return fail(ErrorCode::kLoad, fmt::format("orchestration {} does not exist", path.string()));
  }
  // Opening a FIFO would wait for a writer. What cannot be looked at (unknown) is left to the loader's words.
  if (!std::filesystem::is_regular_file(status) && status.type() != std::filesystem::file_type::unknown) {
    return fail(ErrorCode::kLoad, fmt::format("orchestration {} is not a regular file", path.string()));
  }
  void* const library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return fail(ErrorCode::kLoad, fmt::format("orchestration {} cannot be loaded: {}", path.string(),
                                              reason != nullptr ? reason : "the loader gives no reason"));
  }
  std::unique_ptr<SharedObjectCallable> callable(new SharedObjectCallable(library));
  callable->entry_ = symbol<Entry>(library, kEntry);
  callable->config_ = symbol<Config>(library, kConfig);
  callable->bind_ = symbol<Bind>(library, kBind);
  const char* const missing = callable->entry_ == nullptr    ? kEntry
                              : callable->config_ == nullptr ? kConfig
                              : callable->bind_ == nullptr   ? kBind
                                                             : nullptr;
  if (missing != nullptr) {
    return fail(ErrorCode::kLoad, fmt::format("orchestration {} does not export {}", path.string(), missing));
  }
  return std::unique_ptr<Callable>(std::move(callable));
}

SharedObjectCallable::~SharedObjectCallable() { dlclose(library_); }

Result<std::int32_t> SharedObjectCallable::expected_arg_count(const ChipTaskArgs& args) {
  return guarded(kConfig, [&]() -> Result<std::int32_t> { return config_(args).expected_arg_count; });
}

Result<void> SharedObjectCallable::invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
  bind_(&ops, context);
  Result<void> result = guarded(kEntry, [&]() -> Result<void> {
    entry_(args);
    return {};
  });
  bind_(nullptr, nullptr);
  return result;
}

}  // namespace svmrt
