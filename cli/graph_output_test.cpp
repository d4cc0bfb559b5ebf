// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/testing/scratch_folder.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

using ::testing::HasSubstr;

class GraphOutputTest : public ::testing::Test {
 protected:
  std::string run(const std::string& scene, const std::string& name, const std::string& platform = "a2a3") {
    RunOptions options;
    options.scene = scene;
    options.graph = folder_ / name;
    options.platform = platform;
    const auto output = run_command(default_locations(), options, OutputFormat::kJson);
    EXPECT_TRUE(output) << output.error().message;
    return text_of(folder_ / name);
  }
  ScratchFolder folder_;
};

TEST_F(GraphOutputTest, JsonHasEveryTaskWithItsKernelsTensorsAndPredecessors) {
  const Json graph = Json::parse(run("vector_sum_product", "graph.json"));
  EXPECT_EQ(graph["scene"], "vector_sum_product");
  ASSERT_EQ(graph["tasks"].size(), 4u);
  const Json& add = graph["tasks"][0];
  EXPECT_EQ(add["task"], 0);
  EXPECT_EQ(add["kind"], "vector");
  EXPECT_EQ(add["kernels"], Json::parse(R"([{"core": "vector", "func_id": 0, "name": "add"}])"));
  EXPECT_EQ(add["block_num"], 1);
  EXPECT_EQ(add["predecessors"], Json::array());
  ASSERT_EQ(add["tensors"].size(), 3u);
  EXPECT_EQ(add["tensors"][0]["use"], "input");
  EXPECT_EQ(add["tensors"][0]["dtype"], "FLOAT32");
  EXPECT_EQ(add["tensors"][0]["shape"], Json::parse("[4, 1024]"));
  EXPECT_EQ(add["tensors"][0]["strides"], Json::parse("[1024, 1]"));
  EXPECT_EQ(add["tensors"][2]["use"], "output");
  EXPECT_EQ(add["tensors"][2]["created_by"], 0);
  EXPECT_EQ(graph["tasks"][1]["predecessors"], Json::parse("[0]"));
  EXPECT_EQ(graph["tasks"][1]["scalars"], Json::parse("[1065353216]"));  // the bits of 1.0
  EXPECT_EQ(graph["tasks"][3]["predecessors"], Json::parse("[1, 2]"));
  EXPECT_EQ(graph["tasks"][3]["tensors"][2]["use"], "output_existing");
}

TEST_F(GraphOutputTest, ConditionsAndInstancesAreThere) {
  const Json predicated = Json::parse(run("predicated_dispatch", "predicated.json"));
  EXPECT_FALSE(predicated["tasks"][0].contains("predicate"));
  EXPECT_EQ(predicated["tasks"][1]["predicate"]["op"], ">");
  EXPECT_EQ(predicated["tasks"][2]["predicate"]["op"], "<=");
  EXPECT_EQ(predicated["tasks"][1]["predicate"]["target"], 0);
  EXPECT_EQ(predicated["tasks"][1]["predicate"]["indices"], Json::parse("[0]"));
  const Json counts = Json::parse(run("core_counts", "counts.json"));
  EXPECT_TRUE(counts["tasks"][0]["require_sync_start"]);
  EXPECT_EQ(counts["tasks"][1]["kind"], "mixed");
  EXPECT_EQ(counts["tasks"][1]["kernels"].size(), 2u);
}

TEST_F(GraphOutputTest, AddressesAreRelativeSoThatARunRepeats) {
  EXPECT_EQ(run("paged_attention_small2", "first.json"), run("paged_attention_small2", "second.json"));
  const Json graph = Json::parse(text_of(folder_ / "first.json"));
  EXPECT_EQ(graph["tasks"][1]["tensors"][1]["address"].get<std::string>().size() < 12, true);
}

TEST_F(GraphOutputTest, DotHasANodePerTaskAndAnEdgePerPredecessor) {
  const std::string dot = run("vector_sum_product", "graph.dot");
  EXPECT_EQ(dot,
            "digraph \"vector_sum_product\" {\n"
            "  node [shape=box];\n"
            "  t0 [label=\"0 add\\nvector\"];\n"
            "  t1 [label=\"1 add_scalar\\nvector\"];\n"
            "  t0 -> t1;\n"
            "  t2 [label=\"2 add_scalar\\nvector\"];\n"
            "  t0 -> t2;\n"
            "  t3 [label=\"3 multiply\\nvector\"];\n"
            "  t1 -> t3;\n"
            "  t2 -> t3;\n"
            "}\n");
  EXPECT_THAT(run("predicated_dispatch", "predicated.dot"),
              HasSubstr("t1 [label=\"1 accumulate\\nvector\", style=dashed]"));
}

TEST_F(GraphOutputTest, ANameThatIsNoUtf8IsReplaced) {
  std::string text = text_of(default_locations().fixtures + "/scenes/vector_example.toml");
  text.erase(text.find("name"), text.find("[[tensor]]") - text.find("name"));  // then the file's name is the scene's
  std::ofstream(folder_ / "odd\xff.toml") << text;
  RunOptions options;
  options.orchestration = default_locations().orchestrations + "/vector_example.so";
  options.arguments = folder_ / "odd\xff.toml";
  options.graph = folder_ / "graph.json";
  const auto output = run_command(default_locations(), options, OutputFormat::kJson);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(Json::parse(text_of(folder_ / "graph.json"))["scene"], "odd\ufffd");
}

TEST_F(GraphOutputTest, TheFileOfTheTraceIsRefused) {
  RunOptions options;
  options.scene = "vector_example";
  options.trace = folder_ / "same.json";
  options.graph = folder_.path() + "/./same.json";
  const auto output = run_command(default_locations(), options, OutputFormat::kJson);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("allowed: another file than --trace writes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(GraphOutputTest, OtherEndingsAndPlacesThatCannotBeWrittenAreRefused) {
  for (const std::string name : {"graph.txt", "graph", ".dot", "no/such/folder/graph.dot"}) {
    RunOptions options;
    options.scene = "vector_example";
    options.graph = folder_ / name;
    if (name == ".dot") options.graph = name;
    const auto output = run_command(default_locations(), options, OutputFormat::kJson);
    ASSERT_FALSE(output) << name;
    EXPECT_EQ(output.error().exit_code, ExitCode::kBadInput);
    EXPECT_THAT(output.error().message, HasSubstr("--graph: found"));
    EXPECT_THAT(output.error().message, HasSubstr("ending in .json or .dot"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace svmsim
