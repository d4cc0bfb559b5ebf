// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/scene.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace svmsim {
namespace {

// Writes scene files into a folder of its own.
class SceneFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / ("svmsim_scene_" + std::to_string(::getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / (name + ".toml")).string();
    std::ofstream(path) << text;
    return path;
  }
  ConfigResult<Scene> load(const std::string& text) { return load_scene(write("s", text)); }

  // Loads `text`, expects that it is refused for `key`, and returns the error.
  ConfigError refused(const std::string& text, const std::string& key) {
    const ConfigResult<Scene> scene = load(text);
    if (scene) {
      ADD_FAILURE() << "accepted:\n" << text;
      return {};
    }
    EXPECT_EQ(scene.error().key, key) << scene.error().message();
    EXPECT_NE(scene.error().file.find("s.toml"), std::string::npos);
    EXPECT_FALSE(scene.error().allowed.empty());
    return scene.error();
  }

  std::filesystem::path folder_;
};

const std::string kHead = "name = \"s\"\ndescription = \"d\"\norchestration = \"o\"\n";
const std::string kTensor =
    "[[tensor]]\nname = \"t\"\nshape = [2, 3]\ndtype = \"int32\"\ndirection = \"in\"\ndata = \"zeros\"\n";
const std::string kKernel = "[[kernel]]\nfunc_id = 3\nname = \"k\"\ncore = \"vector\"\nduration_ns = 7\n";

// A tensor table; `rest` holds the keys that a test is about.
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& direction,
                   const std::string& rest, const std::string& name = "t") {
  return "[[tensor]]\nname = \"" + name + "\"\ndtype = \"" + dtype + "\"\nshape = " + shape + "\ndirection = \"" +
         direction + "\"\n" + rest + "\n";
}

std::string scalar(const std::string& type, const std::string& value, const std::string& name = "x") {
  return "[[scalar]]\nname = \"" + name + "\"\ntype = \"" + type + "\"\nvalue = " + value + "\n";
}

TEST_F(SceneFile, MinimalSceneTakesTheDefaults) {
  const ConfigResult<Scene> scene = load(kHead + kTensor);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->name, "s");
  EXPECT_EQ(scene->description, "d");
  EXPECT_EQ(scene->orchestration, "o");
  EXPECT_EQ(scene->rounds, 1u);
  EXPECT_EQ(scene->heap.count(), 268435456u);
  EXPECT_EQ(scene->task_window, 16384u);
  EXPECT_EQ(scene->backing, BackingKind::kPlain);
  ASSERT_EQ(scene->tensors.size(), 1u);
  EXPECT_EQ(scene->tensors[0].residency, Residency::kStaged);
  EXPECT_EQ(scene->tensors[0].dtype, DataType::INT32);
  EXPECT_EQ(scene->tensors[0].elements(), 6u);
  EXPECT_EQ(scene->tensors[0].bytes(), svmrt::Bytes(24));
  EXPECT_TRUE(scene->scalars.empty());
  EXPECT_TRUE(scene->kernels.empty());
}

TEST_F(SceneFile, EveryKeyArrivesInTheScene) {
  const ConfigResult<Scene> scene =
      load(kHead + "rounds = 5\nheap_bytes = 1024\ntask_window = 1\nbacking = \"mmu\"\n" +
           tensor("float16", "[4]", "inout", "residency = \"child_memory\"\ndata = \"seeded\"", "first") +
           tensor("bool", "[1]", "out", "data = \"none\"", "second") + scalar("float32", "-0.25") + kKernel);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->rounds, 5u);
  EXPECT_EQ(scene->heap, svmrt::Bytes(1024));
  EXPECT_EQ(scene->task_window, 1u);
  EXPECT_EQ(scene->backing, BackingKind::kMmu);
  ASSERT_EQ(scene->tensors.size(), 2u);
  EXPECT_EQ(scene->tensors[0].name, "first");
  EXPECT_EQ(scene->tensors[0].direction, Direction::kInout);
  EXPECT_EQ(scene->tensors[0].residency, Residency::kChildMemory);
  EXPECT_EQ(scene->tensors[0].data.kind, TensorDataKind::kSeeded);
  EXPECT_EQ(scene->tensors[0].bytes(), svmrt::Bytes(8));
  EXPECT_EQ(scene->tensors[1].direction, Direction::kOut);
  EXPECT_EQ(scene->tensors[1].data.kind, TensorDataKind::kNone);
  ASSERT_EQ(scene->kernels.size(), 1u);
  EXPECT_EQ(scene->kernels[0].func_id, 3);
  EXPECT_EQ(scene->kernels[0].name, "k");
  EXPECT_EQ(scene->kernels[0].core, KernelCore::kVector);
  EXPECT_EQ(scene->kernels[0].duration, svmrt::Picoseconds(7000));
}

TEST_F(SceneFile, EveryElementTypeHasItsSize) {
  const std::pair<const char*, std::uint64_t> published[] = {
      {"float32", 4}, {"float16", 2},  {"int32", 4},     {"int16", 2},   {"int8", 1},
      {"uint8", 1},   {"bfloat16", 2}, {"int64", 8},     {"uint64", 8},  {"uint16", 2},
      {"uint32", 4},  {"bool", 1},     {"fp8e4m3fn", 1}, {"fp8e8m0", 1}, {"fp4e2m1", 1}};
  std::int32_t position = 0;
  for (const auto& [name, bytes] : published) {
    const ConfigResult<Scene> scene = load(kHead + tensor(name, "[1]", "in", "data = \"seeded\""));
    ASSERT_TRUE(scene) << scene.error().message();
    EXPECT_EQ(scene->tensors[0].bytes(), svmrt::Bytes(bytes)) << name;
    EXPECT_EQ(static_cast<std::int32_t>(scene->tensors[0].dtype), position++) << name;
  }
}

TEST_F(SceneFile, ScalarsArriveAsTheBitsOfTheirType) {
  const ConfigResult<Scene> scene =
      load(kHead + kTensor + scalar("float32", "1.0", "a") + scalar("int32", "-1", "b") + scalar("int64", "-1", "c") +
           scalar("uint64", "9223372036854775807", "d") + scalar("float32", "2", "e"));
  ASSERT_TRUE(scene) << scene.error().message();
  ASSERT_EQ(scene->scalars.size(), 5u);
  EXPECT_EQ(scene->scalars[0].bits, 0x3f800000u);
  EXPECT_EQ(scene->scalars[1].bits, 0xffffffffu);
  EXPECT_EQ(scene->scalars[2].bits, 0xffffffffffffffffu);
  EXPECT_EQ(scene->scalars[3].bits, 0x7fffffffffffffffu);
  EXPECT_EQ(scene->scalars[4].bits, 0x40000000u);
}

TEST_F(SceneFile, FillAndValuesArriveAsElementBits) {
  const ConfigResult<Scene> scene =
      load(kHead + tensor("int16", "[2]", "in", "data = \"fill\"\nvalue = -2", "a") +
           tensor("float32", "[2]", "in", "data = \"fill\"\nvalue = 0.5", "b") +
           tensor("uint8", "[3]", "in", "data = \"values\"\nvalues = [0, 128, 255]", "c") +
           tensor("float32", "[2]", "in", "data = \"values\"\nvalues = [-1, 16777216]", "d"));
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->tensors[0].data.values, (std::vector<std::uint64_t>{0xfffe}));
  EXPECT_EQ(scene->tensors[1].data.values, (std::vector<std::uint64_t>{0x3f000000}));
  EXPECT_EQ(scene->tensors[2].data.values, (std::vector<std::uint64_t>{0, 128, 255}));
  EXPECT_EQ(scene->tensors[3].data.values, (std::vector<std::uint64_t>{0xbf800000, 0x4b800000}));
}

TEST_F(SceneFile, MissingFileIsNamed) {
  const ConfigResult<Scene> scene = load_scene((folder_ / "absent.toml").string());
  ASSERT_FALSE(scene);
  EXPECT_NE(scene.error().message().find("absent.toml"), std::string::npos);
}

TEST_F(SceneFile, MissingRequiredKeysAreNamed) {
  refused("description = \"d\"\norchestration = \"o\"\n" + kTensor, "name");
  refused("name = \"s\"\norchestration = \"o\"\n" + kTensor, "description");
  refused("name = \"s\"\ndescription = \"d\"\n" + kTensor, "orchestration");
  refused(kHead, "tensor");
  refused(kHead + "[[tensor]]\nshape = [1]\ndtype = \"int8\"\ndirection = \"out\"\n", "tensor[0].name");
  refused(kHead + "[[tensor]]\nname = \"t\"\ndtype = \"int8\"\ndirection = \"out\"\n", "tensor[0].shape");
  refused(kHead + "[[tensor]]\nname = \"t\"\nshape = [1]\ndirection = \"out\"\n", "tensor[0].dtype");
  refused(kHead + "[[tensor]]\nname = \"t\"\nshape = [1]\ndtype = \"int8\"\n", "tensor[0].direction");
  refused(kHead + tensor("int8", "[1]", "in", ""), "tensor[0].data");
  refused(kHead + kTensor + "[[scalar]]\nname = \"x\"\ntype = \"int32\"\n", "scalar[0].value");
  refused(kHead + kTensor + "[[kernel]]\nfunc_id = 0\nname = \"k\"\ncore = \"cube\"\n", "kernel[0].duration_ns");
}

TEST_F(SceneFile, UnknownKeysAreNamed) {
  refused(kHead + "digest = \"00\"\n" + kTensor, "digest");
  refused(kHead + kTensor + "resident = true\n", "tensor[0].resident");
  refused(kHead + kTensor + scalar("int32", "1") + "unit = \"s\"\n", "scalar[0].unit");
  refused(kHead + kTensor + kKernel + "duration_us = 1\n", "kernel[0].duration_us");
  // A key of another kind of data, and one that only an extending scene has.
  refused(kHead + kTensor + "value = 1\n", "tensor[0].value");
  refused(kHead + "child_memory = [\"t\"]\n" + kTensor, "child_memory");
}

TEST_F(SceneFile, WrongTypesAreNamed) {
  refused(kHead + "rounds = \"5\"\n" + kTensor, "rounds");
  refused(kHead + "heap_bytes = 1024.0\n" + kTensor, "heap_bytes");
  refused(kHead + "tensor = 1\n", "tensor");
  refused(kHead + tensor("int8", "4", "out", ""), "tensor[0].shape");
  refused(kHead + tensor("int8", "[1.5]", "out", ""), "tensor[0].shape[0]");
}

TEST_F(SceneFile, NumbersOutOfRangeAreNamedOnBothSides) {
  refused(kHead + "rounds = 0\n" + kTensor, "rounds");
  EXPECT_TRUE(load(kHead + "rounds = 100000\n" + kTensor));
  refused(kHead + "rounds = 1000001\n" + kTensor, "rounds");
  refused(kHead + "heap_bytes = 1023\n" + kTensor, "heap_bytes");
  refused(kHead + "task_window = 0\n" + kTensor, "task_window");
  EXPECT_TRUE(load(kHead + "task_window = 16777216\n" + kTensor));
  refused(kHead + "task_window = 16777217\n" + kTensor, "task_window");
}

TEST_F(SceneFile, UnknownWordsAreNamed) {
  EXPECT_EQ(refused(kHead + "backing = \"disk\"\n" + kTensor, "backing").value, "\"disk\"");
  refused(kHead + tensor("int4", "[1]", "out", ""), "tensor[0].dtype");
  refused(kHead + tensor("INT8", "[1]", "out", ""), "tensor[0].dtype");
  refused(kHead + tensor("int8", "[1]", "both", ""), "tensor[0].direction");
  refused(kHead + tensor("int8", "[1]", "out", "residency = \"host\""), "tensor[0].residency");
  refused(kHead + tensor("int8", "[1]", "in", "data = \"random\""), "tensor[0].data");
  refused(kHead + kTensor + scalar("float64", "1"), "scalar[0].type");
  refused(kHead + kTensor + "[[kernel]]\nfunc_id = 0\nname = \"k\"\ncore = \"aic\"\nduration_ns = 1\n",
          "kernel[0].core");
}

TEST_F(SceneFile, NamesThatCannotBeFileNamesAreRefused) {
  refused("name = \"a/b\"\ndescription = \"d\"\norchestration = \"o\"\n" + kTensor, "name");
  refused("name = \"s\"\ndescription = \"d\"\norchestration = \"../o\"\n" + kTensor, "orchestration");
  refused(kHead + tensor("int8", "[1]", "out", "", "a b"), "tensor[0].name");
  EXPECT_TRUE(load(kHead + tensor("int8", "[1]", "out", "", std::string(64, 'n'))));
  refused(kHead + tensor("int8", "[1]", "out", "", std::string(65, 'n')), "tensor[0].name");
  refused(kHead + tensor("int8", "[1]", "out", "", "all"), "tensor[0].name");
}

TEST_F(SceneFile, ShapesHaveOneToFiveDimensionsOfAtLeastOne) {
  EXPECT_TRUE(load(kHead + tensor("int8", "[1]", "out", "")));
  EXPECT_TRUE(load(kHead + tensor("int8", "[1, 1, 1, 1, 1]", "out", "")));
  refused(kHead + tensor("int8", "[]", "out", ""), "tensor[0].shape");
  refused(kHead + tensor("int8", "[1, 1, 1, 1, 1, 1]", "out", ""), "tensor[0].shape");
  refused(kHead + tensor("int8", "[1, 0]", "out", ""), "tensor[0].shape[1]");
  refused(kHead + tensor("int8", "[-1]", "out", ""), "tensor[0].shape[0]");
  EXPECT_TRUE(load(kHead + tensor("int8", "[4294967295]", "out", "")));
  refused(kHead + tensor("int8", "[4294967296]", "out", ""), "tensor[0].shape[0]");
}

TEST_F(SceneFile, SizesEndAtOneTebibyteAndNeverOverflow) {
  const ConfigResult<Scene> largest = load(kHead + tensor("int64", "[4194304, 32768]", "out", ""));
  ASSERT_TRUE(largest) << largest.error().message();
  EXPECT_EQ(largest->tensors[0].bytes().count(), std::uint64_t{1} << 40);
  refused(kHead + tensor("int64", "[4194304, 32769]", "out", ""), "tensor[0].shape");
  refused(kHead + tensor("int64", "[4294967295, 4294967295, 4294967295, 4294967295, 4294967295]", "out", ""),
          "tensor[0].shape");
  // 2^64 elements: a product of machine words would wrap to zero.
  refused(kHead + tensor("int8", "[65536, 65536, 65536, 65536]", "out", ""), "tensor[0].shape");
}

TEST_F(SceneFile, DuplicateNamesAndFunctionsAreRefused) {
  EXPECT_EQ(refused(kHead + kTensor + kTensor, "tensor[1].name").value, "\"t\"");
  refused(kHead + kTensor + scalar("int32", "1") + scalar("int32", "2"), "scalar[1].name");
  refused(kHead + kTensor + kKernel + kKernel, "kernel[1].func_id");
}

TEST_F(SceneFile, OutTensorsTakeNoInputData) {
  EXPECT_TRUE(load(kHead + tensor("int32", "[1]", "out", "data = \"zeros\"")));
  EXPECT_TRUE(load(kHead + tensor("int32", "[1]", "out", "data = \"none\"")));
  refused(kHead + tensor("int32", "[1]", "out", "data = \"seeded\""), "tensor[0].data");
  refused(kHead + tensor("int32", "[1]", "out", "data = \"sequence\""), "tensor[0].data");
  refused(kHead + tensor("int32", "[1]", "out", "data = \"fill\"\nvalue = 1"), "tensor[0].data");
  refused(kHead + tensor("int32", "[1]", "out", "data = \"values\"\nvalues = [1]"), "tensor[0].data");
  refused(kHead + tensor("int32", "[1, 1]", "out", "data = \"block_table\"\nblocks_per_row = 1"), "tensor[0].data");
}

TEST_F(SceneFile, ValuesMustFitTheElementTypeAndTheShape) {
  EXPECT_TRUE(load(kHead + tensor("int8", "[2]", "in", "data = \"values\"\nvalues = [-128, 127]")));
  refused(kHead + tensor("int8", "[2]", "in", "data = \"values\"\nvalues = [0, 128]"), "tensor[0].values[1]");
  refused(kHead + tensor("int8", "[2]", "in", "data = \"values\"\nvalues = [-129, 0]"), "tensor[0].values[0]");
  refused(kHead + tensor("int8", "[2]", "in", "data = \"values\"\nvalues = [1]"), "tensor[0].values");
  refused(kHead + tensor("int8", "[2]", "in", "data = \"values\"\nvalues = [1, 2, 3]"), "tensor[0].values");
  refused(kHead + tensor("bool", "[1]", "in", "data = \"fill\"\nvalue = 2"), "tensor[0].value");
  refused(kHead + tensor("uint32", "[1]", "in", "data = \"fill\"\nvalue = 4294967296"), "tensor[0].value");
  refused(kHead + tensor("int32", "[1]", "in", "data = \"fill\"\nvalue = 0.5"), "tensor[0].value");
  refused(kHead + tensor("float32", "[1]", "in", "data = \"fill\"\nvalue = 1e39"), "tensor[0].value");
  refused(kHead + tensor("float32", "[1]", "in", "data = \"fill\"\nvalue = nan"), "tensor[0].value");
  refused(kHead + tensor("float32", "[1]", "in", "data = \"values\"\nvalues = [16777217]"), "tensor[0].values[0]");
  refused(kHead + tensor("int32", "[1]", "in", "data = \"fill\""), "tensor[0].value");
}

TEST_F(SceneFile, NarrowFloatsTakeNoWrittenValues) {
  for (const std::string dtype : {"bfloat16", "float16", "fp8e4m3fn", "fp8e8m0", "fp4e2m1"}) {
    EXPECT_TRUE(load(kHead + tensor(dtype, "[1]", "in", "data = \"seeded\"")));
    refused(kHead + tensor(dtype, "[1]", "in", "data = \"fill\"\nvalue = 1"), "tensor[0].data");
    refused(kHead + tensor(dtype, "[1]", "in", "data = \"values\"\nvalues = [1]"), "tensor[0].data");
    refused(kHead + tensor(dtype, "[1]", "in", "data = \"sequence\""), "tensor[0].data");
  }
}

TEST_F(SceneFile, BlockTablesAreTwoDimensionalInt32WithEnoughColumns) {
  const auto table = [](const std::string& dtype, const std::string& shape, const std::string& blocks) {
    return kHead + tensor(dtype, shape, "in", "data = \"block_table\"\n" + blocks);
  };
  EXPECT_TRUE(load(table("int32", "[2, 3]", "blocks_per_row = 3")));
  refused(table("int32", "[2, 3]", "blocks_per_row = 4"), "tensor[0].blocks_per_row");
  refused(table("int32", "[2, 3]", "blocks_per_row = 0"), "tensor[0].blocks_per_row");
  refused(table("int32", "[2, 3]", ""), "tensor[0].blocks_per_row");
  refused(table("int32", "[6]", "blocks_per_row = 1"), "tensor[0].shape");
  refused(table("int64", "[2, 3]", "blocks_per_row = 1"), "tensor[0].dtype");
  refused(table("int32", "[65536, 32768]", "blocks_per_row = 32768"), "tensor[0].blocks_per_row");
}

TEST_F(SceneFile, ScalarsOutOfRangeAreNamed) {
  EXPECT_TRUE(load(kHead + kTensor + scalar("int32", "-2147483648")));
  refused(kHead + kTensor + scalar("int32", "2147483648"), "scalar[0].value");
  refused(kHead + kTensor + scalar("uint64", "-1"), "scalar[0].value");
  refused(kHead + kTensor + scalar("float32", "inf"), "scalar[0].value");
  refused(kHead + kTensor + scalar("float32", "3.5e38"), "scalar[0].value");
  refused(kHead + kTensor + scalar("int64", "1.0"), "scalar[0].value");
}

TEST_F(SceneFile, TooManyTensorsOrScalarsAreRefused) {
  std::string tensors = kHead;
  for (int i = 0; i < 256; ++i) tensors += tensor("int8", "[1]", "out", "", "t" + std::to_string(i));
  EXPECT_TRUE(load(tensors));
  refused(tensors + tensor("int8", "[1]", "out", "", "t256"), "tensor");

  std::string scalars = kHead + kTensor;
  for (int i = 0; i < 128; ++i) scalars += scalar("int32", "1", "x" + std::to_string(i));
  EXPECT_TRUE(load(scalars));
  refused(scalars + scalar("int32", "1", "x128"), "scalar");
  refused(kHead + "tensor = []\n", "tensor");
}

std::string extending(const std::string& child_memory, const std::string& rest = "") {
  return "name = \"s\"\ndescription = \"variant\"\nextends = \"base\"\nchild_memory = " + child_memory + "\n" + rest;
}

TEST_F(SceneFile, KernelsMaySayWhatTheyComputeAndTheSceneWhatComesOut) {
  const ConfigResult<Scene> scene = load(
      kHead + kTensor + kKernel + "compute = \"vector_add\"\n[golden]\nname = \"g\"\nabsolute = 0.5\nrelative = 1\n");
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->kernels[0].compute, "vector_add");
  const std::string timeless = "[[kernel]]\nfunc_id = 0\nname = \"k\"\ncore = \"cube\"\ncompute = \"matmul\"\n";
  const ConfigResult<Scene> left_to_the_platform = load(kHead + kTensor + timeless);
  ASSERT_TRUE(left_to_the_platform) << left_to_the_platform.error().message();
  EXPECT_FALSE(left_to_the_platform->kernels[0].duration);
  ASSERT_TRUE(scene->golden);
  EXPECT_EQ(scene->golden->name, "g");
  EXPECT_EQ(scene->golden->absolute, 0.5);
  EXPECT_EQ(scene->golden->relative, 1.0);
  const ConfigResult<Scene> without = load(kHead + kTensor + kKernel);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->kernels[0].compute, "");
  EXPECT_FALSE(without->golden);
}

TEST_F(SceneFile, ATolerancePastItsRangeOrUnsaidIsRefused) {
  refused(kHead + kTensor + "[golden]\nname = \"g\"\nabsolute = 0\n", "golden.relative");
  refused(kHead + kTensor + "[golden]\nname = \"g\"\nrelative = 0\n", "golden.absolute");
  refused(kHead + kTensor + "[golden]\nname = \"g\"\nabsolute = 0\nrelative = 1.5\n", "golden.relative");
  refused(kHead + kTensor + "[golden]\nname = \"g\"\nabsolute = -0.5\nrelative = 0\n", "golden.absolute");
  refused(kHead + kTensor + "[golden]\nabsolute = 0\nrelative = 0\n", "golden.name");
  refused(kHead + kTensor + kKernel + "compute = \"\"\n", "kernel[0].compute");
}

TEST_F(SceneFile, AFileOfDataHasTheTensorsBytes) {
  std::ofstream(folder_ / "six.bin", std::ios::binary) << "abcdef";
  const auto with_file = [](const std::string& shape, const std::string& file) {
    return kHead + tensor("bfloat16", shape, "in", "data = \"file\"\n" + file);
  };
  const ConfigResult<Scene> scene = load(with_file("[3]", "file = \"six.bin\""));
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->tensors[0].data.kind, TensorDataKind::kFile);
  EXPECT_EQ(scene->tensors[0].data.file, (folder_ / "six.bin").string());
  const ConfigError wrong = refused(with_file("[4]", "file = \"six.bin\""), "tensor[0].file");
  EXPECT_NE(wrong.allowed.find("exactly the tensor's 8 bytes"), std::string::npos) << wrong.allowed;
  EXPECT_NE(wrong.allowed.find("six.bin has 6"), std::string::npos) << wrong.allowed;
  refused(with_file("[3]", "file = \"absent.bin\""), "tensor[0].file");
  refused(with_file("[3]", "file = \".\""), "tensor[0].file");
  refused(with_file("[3]", ""), "tensor[0].file");
}

TEST_F(SceneFile, ArgumentsNeedNoNameAndNameNoOrchestration) {
  const ConfigResult<Scene> arguments = load_arguments(write("arguments", kTensor + kKernel));
  ASSERT_TRUE(arguments) << arguments.error().message();
  EXPECT_EQ(arguments->name, "arguments");
  EXPECT_EQ(arguments->orchestration, "");
  EXPECT_EQ(arguments->tensors.size(), 1u);
  const ConfigResult<Scene> named = load_arguments(write("arguments", kHead + kTensor));
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().key, "orchestration");
}

class ExtendingScene : public SceneFile {
 protected:
  void SetUp() override {
    SceneFile::SetUp();
    write("base", "name = \"base\"\ndescription = \"d\"\norchestration = \"o\"\nrounds = 3\n" +
                      tensor("int8", "[1]", "in", "data = \"zeros\"", "a") +
                      tensor("int8", "[2]", "in", "data = \"zeros\"\nresidency = \"child_memory\"", "b") +
                      tensor("int8", "[3]", "out", "", "c") + kKernel);
  }
};

TEST_F(ExtendingScene, TakesEverythingElseFromItsBase) {
  const ConfigResult<Scene> scene = load(extending("[\"c\"]"));
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->name, "s");
  EXPECT_EQ(scene->description, "variant");
  EXPECT_EQ(scene->orchestration, "o");
  EXPECT_EQ(scene->rounds, 3u);
  EXPECT_EQ(scene->kernels.size(), 1u);
  ASSERT_EQ(scene->tensors.size(), 3u);
  EXPECT_EQ(scene->tensors[0].residency, Residency::kStaged);
  EXPECT_EQ(scene->tensors[1].residency, Residency::kChildMemory);
  EXPECT_EQ(scene->tensors[2].residency, Residency::kChildMemory);
}

TEST_F(ExtendingScene, AllMakesEveryTensorResident) {
  const ConfigResult<Scene> scene = load(extending("[\"all\"]"));
  ASSERT_TRUE(scene) << scene.error().message();
  for (const SceneTensor& tensor : scene->tensors) EXPECT_EQ(tensor.residency, Residency::kChildMemory);
}

TEST_F(ExtendingScene, UnknownRepeatedOrMissingNamesAreRefused) {
  const ConfigError unknown = refused(extending("[\"a\", \"z\"]"), "child_memory[1]");
  EXPECT_EQ(unknown.value, "\"z\"");
  EXPECT_EQ(unknown.allowed, "a, b, c; or \"all\" alone");
  refused(extending("[\"a\", \"a\"]"), "child_memory[1]");
  refused(extending("[\"a\", \"all\"]"), "child_memory[1]");
  refused(extending("[]"), "child_memory");
  refused(extending("\"a\""), "child_memory");
  refused("name = \"s\"\ndescription = \"d\"\nextends = \"base\"\n", "child_memory");
}

TEST_F(ExtendingScene, OtherKeysOfASceneAreRefused) {
  refused(extending("[\"a\"]", "rounds = 2\n"), "rounds");
  refused(extending("[\"a\"]", kTensor), "tensor");
}

TEST_F(ExtendingScene, AbsentBaseIsAMistakeOfTheKeyThatNamesIt) {
  const ConfigError error =
      refused("name = \"s\"\ndescription = \"d\"\nextends = \"gone\"\nchild_memory = [\"a\"]\n", "extends");
  EXPECT_EQ(error.line, 3U);
  EXPECT_EQ(error.value, "\"gone\"");
  EXPECT_NE(error.allowed.find("gone.toml: found no such file"), std::string::npos) << error.allowed;
}

TEST_F(ExtendingScene, ParsedSceneIsTheLoadedOne) {
  const std::string text = extending("[\"a\"]");
  const ConfigResult<Scene> parsed = parse_scene(text, (folder_ / "absent.toml").string());
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->name, "s");
  EXPECT_EQ(parsed->file, (folder_ / "base.toml").string());
  EXPECT_EQ(parsed->tensors.size(), load(text)->tensors.size());
}

TEST_F(ExtendingScene, LongNameOfNoTensorIsShortened) {
  EXPECT_LT(refused(extending("[\"" + std::string(100'000, 'x') + "\"]"), "child_memory[0]").message().size(), 1000U);
}

TEST_F(ExtendingScene, MistakesOfTheBaseNameTheBase) {
  refused("name = \"s\"\ndescription = \"d\"\nextends = \"../base\"\nchild_memory = [\"a\"]\n", "extends");

  write("chain", extending("[\"a\"]"));
  const ConfigResult<Scene> chain =
      load("name = \"s\"\ndescription = \"d\"\nextends = \"chain\"\nchild_memory = [\"a\"]\n");
  ASSERT_FALSE(chain);
  EXPECT_EQ(chain.error().key, "extends");
  EXPECT_NE(chain.error().file.find("chain.toml"), std::string::npos);

  const ConfigResult<Scene> itself =
      load("name = \"s\"\ndescription = \"d\"\nextends = \"s\"\nchild_memory = [\"a\"]\n");
  ASSERT_FALSE(itself);
  EXPECT_EQ(itself.error().key, "extends");
}

}  // namespace
}  // namespace svmsim
