// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/recording_runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <deque>

#include "cli/scene/tensor_data.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kHeapBase = std::uint64_t{1} << 41;
constexpr std::uint64_t kArgumentStride = std::uint64_t{1} << 42;  // above the largest tensor

class RecordingRuntime {
 public:
  explicit RecordingRuntime(const Scene& scene) : scene_(scene) {}

  Recording& recording() { return recording_; }

  void fatal(std::int32_t code, const std::string& message) {
    if (recording_.fatal_code != 0) return;
    recording_.fatal_code = code;
    recording_.fatal_message = message;
  }

  // The element's bytes, or null after a fatal.
  std::byte* element(const ChipTensor& tensor, std::uint32_t ndims, const std::uint32_t* indices,
                     std::map<std::string, std::uint64_t>& counts) {
    if (recording_.fatal_code != 0) return nullptr;
    const std::uint64_t size = get_element_size(tensor.dtype);
    const std::uint64_t address = tensor.buffer.addr + tensor.compute_flat_offset(indices, ndims) * size;
    for (std::size_t i = 0; i < scene_.tensors.size(); ++i) {
      const SceneTensor& argument = scene_.tensors[i];
      const std::uint64_t base = recorded_address(i);
      if (address < base || address + size > base + argument.bytes().count()) continue;
      if (!argument.has_data() || argument.direction == Direction::kOut) break;
      std::vector<std::byte>& bytes = recording_.bytes[argument.name];
      if (bytes.empty()) {
        bytes.resize(argument.bytes().count());
        if (!fill_tensor(argument, 1, bytes)) std::abort();
      }
      ++counts[argument.name];
      return bytes.data() + (address - base);
    }
    fatal(-1, "host access to bytes of no readable argument");
    return nullptr;
  }

  TaskOutputTensors add_task(RecordedTask task, const CoreTaskArgs& args) {
    if (recording_.fatal_code != 0) return {};
    if (args.has_error) {
      fatal(PTO2_ERROR_INVALID_ARGS, args.error_msg);
      return {};
    }
    std::vector<ChipTensor>& created = created_.emplace_back();
    for (std::int32_t i = 0; i < args.tensor_count(); ++i) {
      if (args.tag(i) == TensorArgType::OUTPUT) {
        created.push_back(create(args.create_info(i)));
        task.tensors.push_back({args.tag(i), created.back()});
      } else {
        task.tensors.push_back({args.tag(i), args.tensor(i).ref()});
      }
    }
    for (std::int32_t i = 0; i < args.scalar_count(); ++i) task.scalars.push_back(args.scalar(i));
    task.block_num = args.launch_spec.block_num();
    recording_.tasks.push_back(std::move(task));
    return TaskOutputTensors(id(), created.data(), static_cast<std::uint32_t>(created.size()));
  }

 private:
  [[nodiscard]] PTO2TaskId id() const {
    return PTO2TaskId::make(0, static_cast<std::uint32_t>(recording_.tasks.size() - 1));
  }

  ChipTensor create(const TensorCreateInfo& info) {
    const std::uint64_t start = (recording_.heap_bytes + 1023) / 1024 * 1024;
    ChipTensor tensor = make_tensor_external(reinterpret_cast<void*>(static_cast<std::uintptr_t>(kHeapBase + start)),
                                             info.shapes(), info.ndims(), info.dtype());
    recording_.heap_bytes = start + tensor.nbytes();
    return tensor;
  }

  const Scene& scene_;
  Recording recording_;
  std::deque<std::vector<ChipTensor>> created_;  // per task; handed out by pointer
};

RecordingRuntime& of(void* context) { return *static_cast<RecordingRuntime*>(context); }

std::uint64_t get_element(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices) {
  const std::byte* element = of(context).element(*tensor, ndims, indices, of(context).recording().reads);
  std::uint64_t bits = 0;
  if (element != nullptr) std::memcpy(&bits, element, get_element_size(tensor->dtype));
  return bits;
}

void set_element(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices,
                 std::uint64_t bits) {
  std::byte* element = of(context).element(*tensor, ndims, indices, of(context).recording().writes);
  if (element != nullptr) std::memcpy(element, &bits, get_element_size(tensor->dtype));
}

TaskOutputTensors alloc(void* context, const CoreTaskArgs* args) {
  RecordedTask task;
  task.is_alloc = true;
  return of(context).add_task(std::move(task), *args);
}

TaskOutputTensors submit(void* context, const char*, const MixedKernels* kernels, const CoreTaskArgs* args) {
  RecordedTask task;
  if (kernels != nullptr) task.kernels = *kernels;
  return of(context).add_task(std::move(task), *args);
}

constexpr Pto2Ops kOps = {
    get_element,
    set_element,
    alloc,
    submit,
    [](void*, PTO2ScopeMode) {},
    [](void*) {},
    [](void*) -> std::int32_t { return 24; },
    [](void*) -> std::int32_t { return 48; },
    [](void* context) { return of(context).recording().fatal_code != 0; },
    [](void* context, std::int32_t code, const char* message) { of(context).fatal(code, message); },
    [](void*, Pto2LogLevel, const char*) {},
    [](void*, std::uint64_t) { return true; },
    [](void*, const GraphTaskArgs*) { return true; },
    [](void*) {},
    [](void*) { return true; },
    [](void*) { return GraphSubmitResult(); },
};

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

std::uint64_t recorded_address(std::size_t i) { return (i + 1) * kArgumentStride; }

Recording record(const std::string& path, const Scene& scene) {
  RecordingRuntime runtime(scene);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    runtime.fatal(-1, ::dlerror());
    return std::move(runtime.recording());
  }
  const auto config = symbol<PTO2OrchestrationConfig (*)(const ChipTaskArgs&)>(library, "aicpu_orchestration_config");
  const auto entry = symbol<void (*)(const ChipTaskArgs&)>(library, "aicpu_orchestration_entry");
  const auto bind = symbol<void (*)(const Pto2Ops*, void*)>(library, "pto2_bind_orchestration");
  if (config == nullptr || entry == nullptr || bind == nullptr) {
    runtime.fatal(-1, "an entry point is missing");
  } else {
    std::deque<ChipTensor> tensors;
    ChipTaskArgs args;
    for (std::size_t i = 0; i < scene.tensors.size(); ++i) {
      const SceneTensor& tensor = scene.tensors[i];
      void* address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(recorded_address(i)));
      args.add_input(tensors.emplace_back(make_tensor_external(
          address, tensor.shape.data(), static_cast<std::uint32_t>(tensor.shape.size()), tensor.dtype)));
    }
    for (const SceneScalar& scalar : scene.scalars) args.add_scalar(scalar.bits);
    runtime.recording().expected_arg_count = config(args).expected_arg_count;
    bind(&kOps, &runtime);
    entry(args);
    bind(nullptr, nullptr);
  }
  ::dlclose(library);
  return std::move(runtime.recording());
}

}  // namespace svmsim
