// SPDX-License-Identifier: Apache-2.0
// A scene: an orchestration, the tensors and scalars it is called with, and what its kernels cost. One TOML file per
// scene; fixtures/README.md is the reference of the format. Value types, thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/run/argument.h"
#include "sim/backing.h"
#include "sim/config/toml_reader.h"

namespace svmsim {

// An orchestration takes at most this many arguments (ChipTaskArgs is Arg<256, 128>).
inline constexpr std::size_t kMaxSceneTensors = 256;
inline constexpr std::size_t kMaxSceneScalars = 128;
inline constexpr std::size_t kMaxSceneDims = 5;
// Of one tensor: 1 TiB, far above the memory of any device, so that no sum of sizes can overflow.
inline constexpr std::uint64_t kMaxSceneTensorBytes = std::uint64_t{1} << 40;

using svmrt::Direction;
using svmrt::Residency;
enum class KernelCore { kCube, kVector };

enum class TensorDataKind {
  kZeros,
  kSeeded,      // any ordinary numbers, from the run's seed and the tensor's name
  kSequence,    // element i holds i, wrapped to the width; float32 wraps at 2^24
  kFill,        // every element holds values[0]
  kValues,      // element i holds values[i]
  kBlockTable,  // int32 [rows, columns]: the first blocks_per_row of each row, over all rows a permutation of
                // 0 to rows * blocks_per_row - 1; zero elsewhere
  kFile,        // the bytes of a file, little-endian, as many as the tensor has
  kNone,        // no meaningful bytes: only address and size
};

struct TensorData {
  TensorDataKind kind = TensorDataKind::kZeros;
  std::vector<std::uint64_t> values;  // element bits, zero-extended: one for kFill, one per element for kValues
  std::uint32_t blocks_per_row = 0;   // kBlockTable: 1 to columns
  std::string file;                   // kFile: its path
};

struct SceneTensor {
  std::string name;
  std::vector<std::uint32_t> shape;  // 1 to kMaxSceneDims entries, each at least 1; row-major
  DataType dtype = DataType::FLOAT32;
  Direction direction = Direction::kIn;
  Residency residency = Residency::kStaged;
  TensorData data;  // of an out tensor: kZeros or kNone

  [[nodiscard]] std::uint64_t elements() const;  // of a loaded scene: at most kMaxSceneTensorBytes
  [[nodiscard]] svmrt::Bytes bytes() const;
  [[nodiscard]] bool has_data() const { return data.kind != TensorDataKind::kNone; }
};

struct SceneScalar {
  std::string name;
  std::uint64_t bits = 0;  // as the orchestration receives it: 32-bit types in the low half, upper half zero
};

struct SceneKernel {
  std::int32_t func_id = 0;  // unique in the scene
  std::string name;
  KernelCore core = KernelCore::kCube;
  std::optional<svmrt::Picoseconds> duration;  // of one instance on one core; absent: the platform's for `compute`
  std::string compute;                         // the kernel of sim/kernels that it stands for; empty: none
};

// What the outputs are compared with after each round when the kernels are real. An element may be away from the golden
// value v by at most absolute + relative * |v|.
struct SceneGolden {
  std::string name;       // of sim/kernels
  double absolute = 0.0;  // at least 0
  double relative = 0.0;  // 0 to 1
};

struct Scene {
  std::string file;  // its tensors and kernels are from here
  std::string name;
  std::string description;
  std::string orchestration;  // name of the shared object, without folder or suffix
  std::uint32_t rounds = 1;
  svmrt::Bytes heap{std::uint64_t{256} << 20};
  std::uint32_t task_window = 16384;
  BackingKind backing = BackingKind::kPlain;
  std::vector<SceneTensor> tensors;  // in argument order
  std::vector<SceneScalar> scalars;  // in argument order
  std::vector<SceneKernel> kernels;
  std::optional<SceneGolden> golden;
};

// Reads a scene file, and the one it extends, which lies beside it. The error is of the first mistake.
[[nodiscard]] ConfigResult<Scene> load_scene(const std::string& path);
// Reads a scene file for an orchestration that is named elsewhere: without the key "orchestration", and neither "name"
// (then the file's, without its ending) nor "description" need be there.
[[nodiscard]] ConfigResult<Scene> load_arguments(const std::string& path);
// The same from the text of a file that may be absent; what `path` is beside is looked for there.
[[nodiscard]] ConfigResult<Scene> parse_scene(std::string_view text, const std::string& path);
[[nodiscard]] ConfigResult<Scene> parse_arguments(std::string_view text, const std::string& path);

}  // namespace svmsim
