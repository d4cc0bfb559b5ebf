// SPDX-License-Identifier: Apache-2.0
// The seam: what is planted changes the runtime, what is not does not, and a fault that no longer fits the runtime's
// text stops the build. The runtime's own tests are part of this program and run with nothing planted.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "property_tests/zoo/planted.h"
#include "runtime/device_runner.h"
#include "runtime/testing/fake_driver.h"

namespace svmrt {
namespace {

namespace fs = std::filesystem;

class ZooPlanted : public ::testing::Test {
 protected:
  void TearDown() override { plant_nothing(); }
};

// What a free of a mapped block asks the driver for.
std::string calls_of_a_mapped_life() {
  testing::FakeDriver driver;
  DeviceRunner runner(driver, {});
  const DeviceAddr base = runner.device_malloc(Bytes(64)).value();
  {
    const auto run = runner.open_run().value();
    void* view = nullptr;
    const HostApi& api = run->api();
    EXPECT_EQ(api.acquire_child_memory_host_view(api.context, base.value(), 64, &view), HostViewStatus::kMapped);
  }
  static_cast<void>(runner.free_tensor(base));
  return driver.sequence();
}

constexpr const char* kRightOrder = "allocate register unregister free";

TEST_F(ZooPlanted, NothingIsPlantedAtFirst) { EXPECT_EQ(calls_of_a_mapped_life(), kRightOrder); }

TEST_F(ZooPlanted, PlantedFaultChangesTheRuntimeUntilItIsTakenOut) {
  plant("free-before-unmap");
  EXPECT_EQ(calls_of_a_mapped_life(), "allocate register free unregister");
  plant("map-at-claim");  // another one in its place, which this life does not meet
  EXPECT_EQ(calls_of_a_mapped_life(), kRightOrder);
  plant("free-never-unmaps");
  EXPECT_EQ(calls_of_a_mapped_life(), "allocate register free");
  plant_nothing();
  EXPECT_EQ(calls_of_a_mapped_life(), kRightOrder);
}

TEST_F(ZooPlanted, PlantingAgainForgetsWhatTheFaultRemembered) {
  plant("free-before-unmap");
  fault_memory().count = 7;
  plant("free-before-unmap");
  EXPECT_EQ(fault_memory().count, 0u);
}

TEST_F(ZooPlanted, UnknownNameAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(plant("no-such-fault"), ::testing::KilledBySignal(SIGABRT), "there is no fault \"no-such-fault\"");
}

TEST(ZooFaults, AreManyAndEachHasANameOfItsOwnAndAReason) {
  EXPECT_GE(planted_faults().size(), 45u);
  std::set<std::string_view> names;
  for (const PlantedFaultInfo& fault : planted_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.about.empty()) << fault.name;
  }
}

// A project of one source and the faults that a test gives it, in a folder that goes away with the test.
class ZooWeave : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "zoo-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::create_directories(folder_ / "faults");
    write("part.cpp",
          "#include <cstdio>\nint f() { return 1; }\nint g() {\n  int x = 2;\n  return x;\n}\nint h(int x) { return x; "
          "}\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }
  void fault(const std::string& name, const std::string& changes) const {
    write("faults/" + name + ".toml", "name = \"" + name + "\"\nabout = \"wrong\"\n" + changes);
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    return text.str();
  }
  // Exit code; what it said is in said_. `faults`: names.
  int weave(const std::set<std::string>& faults) {
    std::string command = "cd '" + folder_.string() + "' && '" ZOO_PYTHON "' '" ZOO_WEAVE "' out --root . --faults";
    for (const std::string& name : faults) command += " faults/" + name + ".toml";
    command += " --sources part.cpp 2> said";
    const int status = std::system(command.c_str());
    said_ = read("said");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  fs::path folder_;
  std::string said_;
};

std::string change(const std::string& original, const std::string& buggy, const std::string& form) {
  return "[[change]]\nfile = \"part.cpp\"\noriginal = '''" + original + "'''\nbuggy = '''" + buggy + "'''\nform = \"" +
         form + "\"\n";
}

TEST_F(ZooWeave, PutsEachFormBehindTheQuestion) {
  fault("a-one", change("return 1;", "return 10;", "statement"));
  fault("b-two", change("int x = 2;", "x = 20;", "insert"));
  ASSERT_EQ(weave({"a-one", "b-two"}), 0) << said_;
  const std::string text = read("out/part.cpp");
  EXPECT_EQ(text.find("#include <cstdio>\n#include \"property_tests/zoo/planted.h\"\n"), 0u) << text;
  EXPECT_NE(text.find("if (planted(PlantedFault{0})) {\nreturn 10;\n} else {\nreturn 1;\n}"), std::string::npos)
      << text;
  EXPECT_NE(text.find("int x = 2;\nif (planted(PlantedFault{1})) {\nx = 20;\n}"), std::string::npos) << text;
  EXPECT_NE(read("out/planted_faults.cpp").find("\"a-one\", \"wrong\""), std::string::npos);
}

TEST_F(ZooWeave, OriginalOfAnExpressionIsThereForTheNextFault) {
  write("part.cpp", "#include <cstdio>\nint f() { return 1 + 1; }\n");
  fault("a-one", change("1 + 1", "3", "expression"));
  fault("b-two", change("1 + 1", "4", "expression"));
  ASSERT_EQ(weave({"a-one", "b-two"}), 0) << said_;
  const std::string both = "(planted(PlantedFault{0}) ? (3) : ((planted(PlantedFault{1}) ? (4) : (1 + 1))))";
  EXPECT_NE(read("out/part.cpp").find("return " + both + ";"), std::string::npos) << read("out/part.cpp");
}

TEST_F(ZooWeave, FaultThatIsInTheFolderAndNotListedIsRefused) {
  fault("a-one", change("return 1;", "return 10;", "statement"));
  fault("b-two", change("int x = 2;", "x = 20;", "insert"));
  EXPECT_EQ(weave({"a-one"}), 1);
  EXPECT_NE(said_.find("faults: not listed in meson.build: b-two.toml"), std::string::npos) << said_;
}

TEST_F(ZooWeave, OriginalThatIsNotThereIsRefusedByName) {
  fault("a-one", change("return 3;", "return 4;", "statement"));
  EXPECT_EQ(weave({"a-one"}), 1);
  EXPECT_NE(said_.find("fault a-one (faults/a-one.toml): part.cpp does not contain the original text:\nreturn 3;"),
            std::string::npos)
      << said_;
}

TEST_F(ZooWeave, OriginalThatIsThereTwiceIsRefusedByName) {
  fault("a-one", change("return x;", "return 4;", "statement"));
  EXPECT_EQ(weave({"a-one"}), 1);
  EXPECT_NE(said_.find("fault a-one (faults/a-one.toml): part.cpp contains the original text 2 times"),
            std::string::npos)
      << said_;
}

TEST_F(ZooWeave, OriginalThatAnEarlierFaultDoubledIsRefused) {
  fault("a-one", change("return 1;", "return 1; return 1;", "statement"));
  fault("b-two", change("return 1;", "return 2;", "statement"));
  EXPECT_EQ(weave({"a-one", "b-two"}), 1);
  EXPECT_NE(said_.find("fault b-two (faults/b-two.toml): part.cpp contains the original text 3 times"),
            std::string::npos)
      << said_;
}

TEST_F(ZooWeave, MistakesInAFaultsFileAreRefused) {
  const std::string good = change("return 1;", "return 2;", "statement");
  const auto refusal = [this](const std::string& text) {
    write("faults/a-one.toml", text);
    EXPECT_EQ(weave({"a-one"}), 1) << text;
    return said_;
  };
  EXPECT_NE(refusal("name = \"b-two\"\nabout = \"x\"\n" + good).find("must be the file's, 'a-one'"), std::string::npos);
  EXPECT_NE(refusal("name = \"a-one\"\n" + good).find("about must be one sentence"), std::string::npos);
  EXPECT_NE(refusal("name = \"a-one\"\nabout = \"x\"\n").find("at least one [[change]]"), std::string::npos);
  EXPECT_NE(refusal("name = \"a-one\"\nabout = \"x\"\nhow = 1\n" + good).find("unknown key how"), std::string::npos);
  EXPECT_NE(refusal("name = \"a-one\"\nabout = \"x\"\n" + change("return 1;", "", "replace")).find("form is 'replace'"),
            std::string::npos);
  EXPECT_NE(
      refusal("name = \"a-one\"\nabout = \"x\"\n[[change]]\nfile = \"other.cpp\"\noriginal = \"x\"\nbuggy = \"y\"\n")
          .find("other.cpp is not a source that is woven"),
      std::string::npos);
  EXPECT_NE(refusal("name = ").find("faults/a-one.toml"), std::string::npos);
}

}  // namespace
}  // namespace svmrt
