// SPDX-License-Identifier: Apache-2.0
// From a source to a run: `svmsim build`, its template of arguments, and `svmsim run --orchestration`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kSource = std::string(SVMSIM_FIXTURES_DIR) + "/orchestrations/vector_sum_product.cpp";

class BuildCommand : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  // How many files there are: a failure leaves none of its own.
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }
  ChildResult build(const std::string& source, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"build", source, "-o", folder_ / "out.so"});
    return svmsim_command(std::move(more));
  }

  ScratchFolder folder_;
};

TEST_F(BuildCommand, TheTemplateRunsWithTheOrchestrationThatItIsFor) {
  const ChildResult built = build(kSource);
  ASSERT_EQ(built.exit_code, 0) << built.errors;
  EXPECT_EQ(built.output, folder_ / "out.so\n");
  const ChildResult arguments = svmsim_command({"build", "--args-template"});
  ASSERT_EQ(arguments.exit_code, 0);
  write("args.toml", arguments.output);
  const ChildResult ran = svmsim_command({"run", "--orchestration", folder_ / "out.so", "--args", folder_ / "args.toml",
                                          "--kernels", "real", "--rounds", "2", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.errors;
  const nlohmann::json result = nlohmann::json::parse(ran.output);
  EXPECT_EQ(result["scene"], "args");
  EXPECT_EQ(result["per_round"].size(), 2u);
  EXPECT_TRUE(result["golden"]["within"]);
}

TEST_F(BuildCommand, JsonNamesTheFileAndTheCommand) {
  const ChildResult built = build(kSource, {"--json"});
  ASSERT_EQ(built.exit_code, 0) << built.errors;
  const nlohmann::json document = nlohmann::json::parse(built.output);
  EXPECT_EQ(document["output"], folder_ / "out.so");
  EXPECT_EQ(document["command"].back(), kSource);
}

TEST_F(BuildCommand, ASourceThatDoesNotCompileLeavesTheOldFileAndNoOther) {
  write("out.so", "old");
  const std::string source =
      write("broken.cpp", "#include \"pto_orchestration_api.h\"\nint f() { return nonsense; }\n");
  const ChildResult built = build(source);
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_EQ(built.output, "");
  EXPECT_THAT(built.errors, HasSubstr("nonsense"));
  EXPECT_THAT(built.errors, HasSubstr("out.so was not built: "));
  std::ifstream old(folder_ / "out.so");
  std::string text;
  old >> text;
  EXPECT_EQ(text, "old");
  EXPECT_EQ(files(), 2);
}

TEST_F(BuildCommand, ASourceWithoutTheEntryPointsIsNoOrchestration) {
  const std::string source = write("plain.cpp", "int f() { return 1; }\n");
  const ChildResult built = build(source);
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.errors, HasSubstr("plain.cpp is no orchestration"));
  EXPECT_THAT(built.errors, HasSubstr("aicpu_orchestration"));
  EXPECT_EQ(files(), 1);
}

TEST_F(BuildCommand, OddNamesAndFurtherHeadersAreTaken) {
  fs::create_directory(folder_ / "my headers");
  write("my headers/width.h", "constexpr int kWidth = 1;\n");
  const std::string text = text_of(kSource);
  const std::string source = write("-a b'$c.cpp", "#include \"width.h\"\nstatic_assert(kWidth == 1);\n" + text);
  EXPECT_EQ(build(source, {"-I", folder_ / "my headers"}).exit_code, 0);
  EXPECT_EQ(build(source).exit_code, 1);
}

TEST_F(BuildCommand, WhatCannotBeBuiltIsBadInput) {
  const ChildResult absent = build(folder_ / "absent.cpp");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.errors, HasSubstr("SOURCE: found '" + (folder_ / "absent.cpp") + "'; allowed: a C++ source file"));
  EXPECT_EQ(svmsim_command({"build"}).exit_code, 2);
  EXPECT_EQ(svmsim_command({"build", folder_.path()}).exit_code, 2);
  const ChildResult output = svmsim_command({"build", kSource, "-o", folder_ / "no/such/folder.so"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_THAT(output.errors, HasSubstr("--output"));
  EXPECT_EQ(svmsim_command({"build", kSource, "-o", folder_.path()}).exit_code, 2);
}

TEST_F(BuildCommand, ACompilerThatIsNotThereIsNamed) {
  std::vector<std::string> words = {SVMSIM_PROGRAM, "build", kSource, "-o", folder_ / "out.so"};
  const ChildResult built = run_child(words, {{"CXX", "/no/such/compiler"}});
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.errors, HasSubstr("/no/such/compiler"));
  EXPECT_EQ(files(), 0);
}

TEST_F(BuildCommand, AnOrchestrationComesWithItsArgumentsAndWithoutAScene) {
  const std::string arguments = write("args.toml", "");
  const std::vector<std::vector<std::string>> wrong = {
      {"run"},
      {"run", "vector_example", "--orchestration", "x.so", "--args", arguments},
      {"run", "--orchestration", "x.so"},
      {"run", "--args", arguments},
      {"run", "--orchestration", "x.so", "--args", folder_ / "absent.toml"},
      {"run", "--orchestration", "x.so", "--args", arguments}};
  for (const std::vector<std::string>& words : wrong) {
    const ChildResult ran = svmsim_command(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr("allowed: "));
  }
  write("good.toml", svmsim_command({"build", "--args-template"}).output);
  const ChildResult no_library =
      svmsim_command({"run", "--orchestration", folder_ / "absent.so", "--args", folder_ / "good.toml"});
  EXPECT_EQ(no_library.exit_code, 2);
  EXPECT_THAT(no_library.errors, HasSubstr("absent.so"));
}

}  // namespace
}  // namespace svmsim
