// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/scene/scene_name.h"
#include "cli/scene/tensor_reader.h"
#include "sim/config/printable.h"

namespace svmsim {
namespace {

constexpr std::uint32_t kMaxRounds = 100'000;
constexpr std::uint64_t kMinHeapBytes = 1024;  // one output
constexpr std::uint32_t kMaxTaskWindow = std::uint32_t{1} << 24;
constexpr std::int32_t kMaxFunctionId = 65535;
constexpr std::uint64_t kMaxKernelNs = 1'000'000'000'000;  // 1000 s
constexpr double kMaxFloat32 = std::numeric_limits<float>::max();
constexpr Choice<BackingKind> kBackings[] = {{backing_name(BackingKind::kPlain), BackingKind::kPlain},
                                             {backing_name(BackingKind::kMmu), BackingKind::kMmu}};
constexpr Choice<KernelCore> kCores[] = {{"cube", KernelCore::kCube}, {"vector", KernelCore::kVector}};
enum class ScalarType { kFloat32, kInt32, kInt64, kUint64 };
constexpr Choice<ScalarType> kScalarTypes[] = {{"float32", ScalarType::kFloat32},
                                               {"int32", ScalarType::kInt32},
                                               {"int64", ScalarType::kInt64},
                                               {"uint64", ScalarType::kUint64}};

SceneScalar read_scalar(ConfigTable& table, std::set<std::string>& names) {
  SceneScalar scalar;
  scalar.name = read_unique_name(table, names);
  switch (table.choice("type", kScalarTypes)) {
    case ScalarType::kFloat32:
      scalar.bits = std::bit_cast<std::uint32_t>(static_cast<float>(table.decimal("value", -kMaxFloat32, kMaxFloat32)));
      break;
    case ScalarType::kInt32:
      scalar.bits = static_cast<std::uint32_t>(table.integer<std::int32_t>("value", INT32_MIN, INT32_MAX));
      break;
    case ScalarType::kInt64:
      scalar.bits = static_cast<std::uint64_t>(table.integer<std::int64_t>("value", INT64_MIN, INT64_MAX));
      break;
    case ScalarType::kUint64:
      scalar.bits = table.integer<std::uint64_t>("value", 0, UINT64_MAX);
      break;
  }
  return scalar;
}

SceneKernel read_kernel(ConfigTable& table, std::set<std::int32_t>& ids) {
  SceneKernel kernel;
  kernel.func_id = table.integer<std::int32_t>("func_id", 0, kMaxFunctionId);
  if (!ids.insert(kernel.func_id).second) table.reject("func_id", "a number that appears once");
  kernel.name = read_scene_name(table, "name");
  kernel.core = table.choice("core", kCores);
  if (table.has("compute")) kernel.compute = read_scene_name(table, "compute");
  // Without a name to look up at the platform it must say itself.
  if (kernel.compute.empty() || table.has("duration_ns")) {
    kernel.duration = svmrt::Picoseconds(table.integer<std::uint64_t>("duration_ns", 0, kMaxKernelNs) * 1000);
  }
  return kernel;
}

SceneGolden read_golden(ConfigTable table) {
  SceneGolden golden;
  golden.name = read_scene_name(table, "name");
  golden.absolute = table.decimal("absolute", 0, kMaxFloat32);
  golden.relative = table.decimal("relative", 0, 1);
  return golden;
}

// All but what the scene is called and which orchestration it is for.
void read_arguments(ConfigTable& root, const std::filesystem::path& folder, Scene& scene) {
  scene.rounds = root.integer_or<std::uint32_t>("rounds", scene.rounds, 1, kMaxRounds);
  scene.heap = svmrt::Bytes(root.integer_or("heap_bytes", scene.heap.count(), kMinHeapBytes, kMaxSceneTensorBytes));
  scene.task_window = root.integer_or<std::uint32_t>("task_window", scene.task_window, 1, kMaxTaskWindow);
  scene.backing = root.choice_or("backing", scene.backing, kBackings);

  std::vector<ConfigTable> tensors = root.tables("tensor");
  if (tensors.empty() || tensors.size() > kMaxSceneTensors) {
    root.reject("tensor", fmt::format("1 to {} tensors", kMaxSceneTensors));
    tensors.clear();
  }
  std::set<std::string> tensor_names;
  for (ConfigTable& table : tensors) scene.tensors.push_back(read_tensor(table, tensor_names, folder));

  std::vector<ConfigTable> scalars = root.tables_or_empty("scalar");
  if (scalars.size() > kMaxSceneScalars) {
    root.reject("scalar", fmt::format("at most {} scalars", kMaxSceneScalars));
    scalars.clear();
  }
  std::set<std::string> scalar_names;
  for (ConfigTable& table : scalars) scene.scalars.push_back(read_scalar(table, scalar_names));

  std::set<std::int32_t> kernel_ids;
  for (ConfigTable& table : root.tables_or_empty("kernel")) scene.kernels.push_back(read_kernel(table, kernel_ids));
  if (root.has("golden")) scene.golden = read_golden(root.table("golden"));
}

enum class Extending { kAllowed, kRefused };

ConfigResult<Scene> read_scene(ConfigResult<ConfigReader> reader, const std::string& path, Extending extending);

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", printable(text, 80)); }

// Makes the named tensors resident. The error has no file.
std::optional<ConfigError> make_resident(Scene& scene, const std::vector<std::string>& names) {
  if (names.size() == 1 && names[0] == kEveryTensor) {
    for (SceneTensor& tensor : scene.tensors) tensor.residency = Residency::kChildMemory;
    return std::nullopt;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string key = fmt::format("child_memory[{}]", i);
    const auto tensor = std::find_if(scene.tensors.begin(), scene.tensors.end(),
                                     [&](const SceneTensor& candidate) { return candidate.name == names[i]; });
    if (tensor == scene.tensors.end()) {
      std::vector<std::string_view> there;
      there.reserve(scene.tensors.size());
      for (const SceneTensor& candidate : scene.tensors) there.push_back(candidate.name);
      return ConfigError{"", 0, key, in_quotes(names[i]), fmt::format("{}; or \"all\" alone", printable_list(there))};
    }
    if (!seen.insert(names[i]).second) return ConfigError{"", 0, key, in_quotes(names[i]), "each name once"};
    tensor->residency = Residency::kChildMemory;
  }
  return std::nullopt;
}

ConfigResult<Scene> load_extending(const std::string& path, ConfigReader& reader, Scene scene) {
  ConfigTable root = reader.root();
  const std::string base_name = read_scene_name(root, "extends");
  const std::vector<std::string> resident = root.texts("child_memory");
  if (resident.empty()) root.reject("child_memory", "names of tensors, at least one");
  ConfigResult<Scene> named = reader.finish(std::move(scene));
  if (!named) return named;

  const std::string base_path = (std::filesystem::path(path).parent_path() / (base_name + ".toml")).string();
  ConfigResult<ConfigReader> base = ConfigReader::open(base_path);
  if (!base && base.error().line == 0) {
    root.reject("extends", fmt::format("the name of a scene beside this one ({})", base.error().message()));
    return tl::unexpected(*reader.first_error());
  }
  ConfigResult<Scene> result = read_scene(std::move(base), base_path, Extending::kRefused);
  if (!result) return result;
  result->name = std::move(named->name);
  result->description = std::move(named->description);
  if (std::optional<ConfigError> error = make_resident(*result, resident)) {
    error->file = path;
    return tl::unexpected(*std::move(error));
  }
  return result;
}

ConfigResult<Scene> read_scene(ConfigResult<ConfigReader> reader, const std::string& path, Extending extending) {
  if (!reader) return tl::unexpected(reader.error());
  ConfigTable root = reader->root();
  Scene scene;
  scene.file = path;
  scene.name = read_scene_name(root, "name");
  scene.description = root.text("description");
  if (root.has("extends")) {
    if (extending == Extending::kAllowed) return load_extending(path, *reader, std::move(scene));
    root.reject("extends", "no such key in a scene that another one extends");
  }
  scene.orchestration = read_scene_name(root, "orchestration");
  read_arguments(root, std::filesystem::path(path).parent_path(), scene);
  return reader->finish(std::move(scene));
}

ConfigResult<Scene> read_arguments_file(ConfigResult<ConfigReader> reader, const std::string& path) {
  if (!reader) return tl::unexpected(reader.error());
  ConfigTable root = reader->root();
  Scene scene;
  scene.file = path;
  const std::filesystem::path file(path);
  scene.name = root.has("name") ? read_scene_name(root, "name") : file.stem().string();
  scene.description = root.text_or("description", "");
  read_arguments(root, file.parent_path(), scene);
  return reader->finish(std::move(scene));
}

}  // namespace

std::uint64_t SceneTensor::elements() const {
  std::uint64_t count = 1;
  for (const std::uint32_t extent : shape) count *= extent;
  return count;
}

svmrt::Bytes SceneTensor::bytes() const { return svmrt::Bytes(elements() * get_element_size(dtype)); }

ConfigResult<Scene> load_scene(const std::string& path) {
  return read_scene(ConfigReader::open(path), path, Extending::kAllowed);
}

ConfigResult<Scene> parse_scene(std::string_view text, const std::string& path) {
  return read_scene(ConfigReader::parse(text, path), path, Extending::kAllowed);
}

ConfigResult<Scene> load_arguments(const std::string& path) {
  return read_arguments_file(ConfigReader::open(path), path);
}

ConfigResult<Scene> parse_arguments(std::string_view text, const std::string& path) {
  return read_arguments_file(ConfigReader::parse(text, path), path);
}

}  // namespace svmsim
