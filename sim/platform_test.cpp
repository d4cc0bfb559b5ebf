// SPDX-License-Identifier: Apache-2.0
#include "sim/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace svmsim {
namespace {

using svmrt::Bytes;

const std::filesystem::path kPlatforms = std::filesystem::path(SVMSIM_FIXTURES_DIR) / "platforms";

Platform shipped(const std::string& name) {
  const auto platform = load_platform((kPlatforms / (name + ".toml")).string());
  if (!platform) {
    ADD_FAILURE() << platform.error().message();
    return {};
  }
  return *platform;
}

// Loads `text` from a file that is gone afterwards.
ConfigResult<Platform> loaded(const std::string& text) {
  const std::string path = testing::TempDir() + "platform_test_" + std::to_string(getpid()) + ".toml";
  std::ofstream(path) << text;
  auto platform = load_platform(path);
  std::filesystem::remove(path);
  return platform;
}

// A valid platform in which `key` has another value (or is new), or is absent when `value` is empty.
std::string with(const std::string& key, const std::string& value) {
  std::map<std::string, std::string> lines = {{"name", "\"x\""},
                                              {"description", "\"d\""},
                                              {"personality", "\"v2\""},
                                              {"host_page", "4096"},
                                              {"calibration", "\"c\""}};
  lines[key] = value;
  std::string text;
  for (const auto& [name, right] : lines) {
    if (!right.empty()) text += name + " = " + right + "\n";
  }
  return text;
}

void expect_refused(const std::string& key, const std::string& value, const std::string& allowed) {
  const auto platform = loaded(with(key, value));
  ASSERT_FALSE(platform.has_value()) << key << " = " << value;
  EXPECT_EQ(platform.error().key, key);
  EXPECT_EQ(platform.error().allowed, allowed) << key << " = " << value;
}

TEST(Platform, ShippedPlatformsAreTheDocumentedEightAndAllLoad) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kPlatforms)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("a2a3", "a2a3-64k", "a2a3-vm", "a2a3-nonidentity", "a5", "a5-map",
                                                   "identity", "lenient"));
  for (const std::string& name : names) {
    const Platform platform = shipped(name);
    EXPECT_EQ(platform.name, name);
    EXPECT_GT(platform.description.size(), 20U) << name;
    EXPECT_EQ(platform.hbm, Bytes(std::uint64_t{64} << 30)) << name;
    EXPECT_EQ(platform.device_page, Bytes(4096)) << name;
    EXPECT_EQ(platform.reuse, AddressReuse::kDriver) << name;
    EXPECT_FALSE(platform.fragmented) << name;
  }
}

TEST(Platform, EachShippedPlatformDiffersFromTheA2a3ByItsPurpose) {
  const Platform a2a3 = shipped("a2a3");
  EXPECT_EQ(a2a3.personality, Personality::kV2);
  EXPECT_EQ(a2a3.host_page, Bytes(4096));
  EXPECT_EQ(a2a3.host, HostKind::kPhysical);
  EXPECT_TRUE(a2a3.host_map_path);
  EXPECT_FALSE(a2a3.non_identity);
  EXPECT_FALSE(a2a3.lenient);

  EXPECT_EQ(shipped("a2a3-64k").host_page, Bytes(65536));
  EXPECT_EQ(shipped("a2a3-vm").host, HostKind::kVmWithoutWc);
  EXPECT_TRUE(shipped("a2a3-nonidentity").non_identity);
  EXPECT_TRUE(shipped("lenient").lenient);
  EXPECT_EQ(shipped("identity").personality, Personality::kIdentity);
  EXPECT_EQ(shipped("a5").personality, Personality::kV3);
  EXPECT_FALSE(shipped("a5").host_map_path);
  EXPECT_EQ(shipped("a5-map").personality, Personality::kV3);
  EXPECT_TRUE(shipped("a5-map").host_map_path);
}

TEST(Platform, OptionalKeysTakeTheirDefaults) {
  const auto platform = loaded(with("host_page", "4096"));
  ASSERT_TRUE(platform.has_value()) << platform.error().message();
  EXPECT_EQ(platform->hbm, Bytes(std::uint64_t{64} << 30));
  EXPECT_EQ(platform->device_page, Bytes(4096));
  EXPECT_EQ(platform->host, HostKind::kPhysical);
  EXPECT_EQ(platform->reuse, AddressReuse::kDriver);
  EXPECT_TRUE(platform->host_map_path);
  EXPECT_FALSE(platform->non_identity);
  EXPECT_EQ(platform->cube_cores, 24U);
  EXPECT_EQ(platform->vector_cores, 48U);
}

TEST(Platform, EveryKeyIsRead) {
  const auto platform = loaded(
      "name = \"N-1_a\"\ndescription = \"d\"\npersonality = \"v3\"\nhost_page = 65536\ncalibration = \"c\"\n"
      "device_page = 4096\nhbm_mib = 2\nhost = \"vm_without_wc\"\nreuse = \"quarantine\"\nhost_map_path = false\n"
      "non_identity = true\nlenient = true\nfragmented = true\ncube_cores = 1\nvector_cores = 1024\n");
  ASSERT_TRUE(platform.has_value()) << platform.error().message();
  EXPECT_EQ(platform->name, "N-1_a");
  EXPECT_EQ(platform->personality, Personality::kV3);
  EXPECT_EQ(platform->host_page, Bytes(65536));
  EXPECT_EQ(platform->calibration, "c");
  EXPECT_EQ(platform->hbm, Bytes(2 << 20));
  EXPECT_EQ(platform->host, HostKind::kVmWithoutWc);
  EXPECT_EQ(platform->reuse, AddressReuse::kQuarantine);
  EXPECT_FALSE(platform->host_map_path);
  EXPECT_TRUE(platform->non_identity);
  EXPECT_TRUE(platform->lenient);
  EXPECT_TRUE(platform->fragmented);
  EXPECT_EQ(platform->cube_cores, 1U);
  EXPECT_EQ(platform->vector_cores, 1024U);
}

TEST(Platform, MissingRequiredKeyIsNamed) {
  for (const char* key : {"name", "description", "personality", "host_page", "calibration"}) {
    const auto platform = loaded(with(key, ""));
    ASSERT_FALSE(platform.has_value()) << key;
    EXPECT_EQ(platform.error().key, key);
    EXPECT_THAT(platform.error().value, testing::StartsWith("nothing"));
  }
}

TEST(Platform, WrongValueIsRefusedWithWhatIsAllowed) {
  expect_refused("name", "\"a/b\"", "letters, digits, '-' and '_'");
  expect_refused("calibration", "\"..\"", "letters, digits, '-' and '_'");
  expect_refused("description", "\"\"", "a text that is not empty");
  expect_refused("personality", "\"v4\"", "one of \"v2\", \"v3\", \"identity\"");
  expect_refused("personality", "2", "one of \"v2\", \"v3\", \"identity\"");
  expect_refused("host_page", "8192", "one of 4096, 65536");
  expect_refused("host_page", "\"4096\"", "one of 4096, 65536");
  expect_refused("device_page", "0", "one of 4096, 65536");
  expect_refused("hbm_mib", "1", "an integer from 2 to 8388608");
  expect_refused("hbm_mib", "3", "an even integer from 2 to 8388608");
  expect_refused("hbm_mib", "8388610", "an integer from 2 to 8388608");
  expect_refused("host", "\"vm\"", "one of \"physical\", \"vm_without_wc\"");
  expect_refused("reuse", "\"fifo\"", "one of \"driver\", \"lifo\", \"quarantine\"");
  expect_refused("host_map_path", "1", "true or false");
  expect_refused("non_identity", "\"yes\"", "true or false");
  expect_refused("lenient", "0", "true or false");
  expect_refused("fragmented", "\"no\"", "true or false");
  expect_refused("cube_cores", "0", "an integer from 1 to 1024");
  expect_refused("vector_cores", "1025", "an integer from 1 to 1024");
}

TEST(Platform, UnknownKeyListsTheKeys) {
  const auto platform = loaded(with("host_pages", "4096"));
  ASSERT_FALSE(platform.has_value());
  EXPECT_EQ(platform.error().key, "host_pages");
  EXPECT_THAT(platform.error().allowed, testing::HasSubstr("host_page, "));
  EXPECT_THAT(platform.error().allowed, testing::HasSubstr("vector_cores"));
}

TEST(Platform, NonIdentityExcludesThePersonalityIdentity) {
  const std::string rest =
      "name = \"x\"\ndescription = \"d\"\nhost_page = 4096\ncalibration = \"c\"\nnon_identity = true\n";
  EXPECT_TRUE(loaded(rest + "personality = \"v2\"\n").has_value());
  const auto platform = loaded(rest + "personality = \"identity\"\n");
  ASSERT_FALSE(platform.has_value());
  EXPECT_EQ(platform.error().key, "non_identity");
  EXPECT_EQ(platform.error().allowed, "false, because personality is \"identity\"");
}

TEST(Platform, FragmentedNeedsV3AndAHostPageAboveTheDevicePage) {
  const std::string rest = "name = \"x\"\ndescription = \"d\"\ncalibration = \"c\"\nfragmented = true\n";
  EXPECT_TRUE(loaded(rest + "personality = \"v3\"\nhost_page = 65536\n").has_value());
  for (const char* other : {"personality = \"v2\"\nhost_page = 65536\n", "personality = \"v3\"\nhost_page = 4096\n",
                            "personality = \"v3\"\nhost_page = 65536\ndevice_page = 65536\n"}) {
    const auto platform = loaded(rest + other);
    ASSERT_FALSE(platform.has_value()) << other;
    EXPECT_EQ(platform.error().key, "fragmented");
  }
}

TEST(Platform, AbsentFileIsNamed) {
  const auto platform = load_platform((kPlatforms / "absent.toml").string());
  ASSERT_FALSE(platform.has_value());
  EXPECT_THAT(platform.error().message(), testing::HasSubstr("absent.toml: found no such file"));
}

TEST(Platform, MaySayHowLongKernelsTake) {
  const std::string kernel = "\n[[kernel]]\ncompute = \"matmul\"\nduration_ns = 12\n";
  const auto platform = loaded(with("host_page", "4096") + kernel);
  ASSERT_TRUE(platform) << platform.error().message();
  EXPECT_EQ(platform->kernel_durations.size(), 1U);
  EXPECT_EQ(platform->kernel_durations.at("matmul"), svmrt::Picoseconds(12'000));
  EXPECT_TRUE(shipped("a2a3").kernel_durations.empty());
  const auto twice = loaded(with("host_page", "4096") + kernel + kernel);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().key, "kernel[1].compute");
  const auto timeless = loaded(with("host_page", "4096") + "\n[[kernel]]\ncompute = \"matmul\"\n");
  ASSERT_FALSE(timeless);
  EXPECT_EQ(timeless.error().key, "kernel[0].duration_ns");
}

// A folder platforms/ as fixtures have one, and a file elsewhere that may extend what is in it.
class ExtendingPlatform : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "platforms");
    write("platforms/base.toml", with("host_page", "65536") +
                                     "hbm_mib = 4\nlenient = true\n[[kernel]]\ncompute = \"matmul\"\n"
                                     "duration_ns = 1\n[[kernel]]\ncompute = \"add\"\nduration_ns = 2\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  // Of a file with these lines besides its name.
  ConfigResult<Platform> extended(const std::string& lines) {
    write("mine.toml", "name = \"mine\"\ndescription = \"m\"\n" + lines);
    return load_platform((folder_ / "mine.toml").string(), folder_.string());
  }
  void expect_refused(const std::string& lines, const std::string& value, const std::string& allowed) {
    const auto platform = extended(lines);
    ASSERT_FALSE(platform.has_value()) << lines;
    EXPECT_EQ(platform.error().file, (folder_ / "mine.toml").string());
    EXPECT_EQ(platform.error().key, "extends");
    EXPECT_EQ(platform.error().value, value);
    EXPECT_THAT(platform.error().allowed, testing::HasSubstr(allowed));
  }

  const std::filesystem::path folder_ = testing::TempDir() + "extending_platform_" + std::to_string(getpid());
};

TEST_F(ExtendingPlatform, KeysThatItDoesNotHaveAreTheBases) {
  const auto platform = extended("extends = \"base\"\n");
  ASSERT_TRUE(platform.has_value()) << platform.error().message();
  EXPECT_EQ(platform->file, (folder_ / "mine.toml").string());
  EXPECT_EQ(platform->name, "mine");
  EXPECT_EQ(platform->description, "m");
  EXPECT_EQ(platform->personality, Personality::kV2);
  EXPECT_EQ(platform->calibration, "c");
  EXPECT_EQ(platform->host_page, Bytes(65536));
  EXPECT_EQ(platform->hbm, Bytes(4 << 20));
  EXPECT_TRUE(platform->lenient);
  EXPECT_EQ(platform->kernel_durations.size(), 2U);
}

TEST_F(ExtendingPlatform, KeysThatItHasGoBeforeTheBases) {
  const auto platform = extended(
      "extends = \"base\"\npersonality = \"v3\"\nhost_page = 4096\ncalibration = \"d\"\nhbm_mib = 8\n"
      "lenient = false\n[[kernel]]\ncompute = \"add\"\nduration_ns = 3\n");
  ASSERT_TRUE(platform.has_value()) << platform.error().message();
  EXPECT_EQ(platform->personality, Personality::kV3);
  EXPECT_EQ(platform->host_page, Bytes(4096));
  EXPECT_EQ(platform->calibration, "d");
  EXPECT_EQ(platform->hbm, Bytes(8 << 20));
  EXPECT_FALSE(platform->lenient);
  EXPECT_EQ(platform->kernel_durations.at("matmul"), svmrt::Picoseconds(1000));
  EXPECT_EQ(platform->kernel_durations.at("add"), svmrt::Picoseconds(3000));
}

TEST_F(ExtendingPlatform, BaseIsFoundByNameAmongTheFixturesOrByPathFromTheFile) {
  write("beside.toml", with("host_page", "4096") + "hbm_mib = 6\n");
  EXPECT_EQ(extended("extends = \"beside.toml\"\n")->hbm, Bytes(6 << 20));
  EXPECT_EQ(extended("extends = \"platforms/base.toml\"\n")->hbm, Bytes(4 << 20));
  EXPECT_EQ(extended("extends = \"" + (folder_ / "beside.toml").string() + "\"\n")->hbm, Bytes(6 << 20));
  expect_refused("extends = \"beside\"\n", "\"beside\"", "beside.toml: found no such file");
}

TEST_F(ExtendingPlatform, WithoutFixturesANameIsLookedUpBesideTheFile) {
  write("beside.toml", with("host_page", "4096") + "hbm_mib = 6\n");
  write("mine.toml", "name = \"mine\"\ndescription = \"m\"\nextends = \"beside\"\n");
  const auto platform = load_platform((folder_ / "mine.toml").string());
  ASSERT_TRUE(platform.has_value()) << platform.error().message();
  EXPECT_EQ(platform->hbm, Bytes(6 << 20));
}

TEST_F(ExtendingPlatform, WrongBaseIsRefused) {
  expect_refused("extends = \"absent\"\n", "\"absent\"", "absent.toml: found no such file");
  expect_refused("extends = \"a b\"\n", "\"a b\"", "letters, digits, '-' and '_'");
  expect_refused("extends = 3\n", "3", "a text");
}

TEST_F(ExtendingPlatform, MistakeOfTheBaseIsThatFiles) {
  write("platforms/wrong.toml", with("host_page", "8192"));
  const auto platform = extended("extends = \"wrong\"\n");
  ASSERT_FALSE(platform.has_value());
  EXPECT_EQ(platform.error().file, (folder_ / "platforms" / "wrong.toml").string());
  EXPECT_EQ(platform.error().key, "host_page");
}

TEST_F(ExtendingPlatform, SwitchesThatExcludeEachOtherDoSoAcrossFiles) {
  const auto platform = extended("extends = \"base\"\npersonality = \"identity\"\nnon_identity = true\n");
  ASSERT_FALSE(platform.has_value());
  EXPECT_EQ(platform.error().key, "non_identity");
  EXPECT_TRUE(extended("extends = \"base\"\npersonality = \"v3\"\nfragmented = true\n").has_value());
}

TEST_F(ExtendingPlatform, SwitchOfTheBaseThatDoesNotFitIsNamedAsTheBases) {
  write("elsewhere.toml", with("host_page", "4096") + "non_identity = true\n");
  const std::string identity = "extends = \"elsewhere.toml\"\npersonality = \"identity\"\n";
  expect_refused(identity, "\"elsewhere.toml\"",
                 "a platform without non_identity, or beside it non_identity = false, because");
  EXPECT_TRUE(extended(identity + "non_identity = false\n").has_value());
  write("platforms/runs.toml",
        "name = \"r\"\ndescription = \"d\"\nextends = \"base\"\npersonality = \"v3\"\nfragmented = true\n");
  expect_refused("extends = \"runs\"\npersonality = \"v2\"\n", "\"runs\"", "or beside it fragmented = false, unless");
}

TEST_F(ExtendingPlatform, EightExtensionsAreTheMost) {
  const auto link = [&](int number, const std::string& base) {
    write("platforms/link" + std::to_string(number) + ".toml",
          "name = \"l\"\ndescription = \"d\"\nextends = \"" + base + "\"\n");
  };
  link(1, "base");
  for (int number = 2; number <= 8; ++number) link(number, "link" + std::to_string(number - 1));
  const auto most = extended("extends = \"link7\"\n");
  ASSERT_TRUE(most.has_value()) << most.error().message();
  EXPECT_EQ(most->extensions, kMostExtensions);
  const auto more = extended("extends = \"link8\"\n");
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().key, "extends");
  EXPECT_EQ(more.error().allowed, "no more than 8 platforms that extend one another");
}

TEST_F(ExtendingPlatform, CircleIsRefusedFileByFile) {
  write("platforms/a.toml", "name = \"a\"\ndescription = \"d\"\nextends = \"./b.toml\"\n");
  write("platforms/b.toml", "name = \"b\"\ndescription = \"d\"\nextends = \"a\"\n");
  const std::string a = (folder_ / "platforms" / "a.toml").string();
  const std::string b = (folder_ / "platforms" / "./b.toml").string();
  const auto circle = extended("extends = \"a\"\n");
  ASSERT_FALSE(circle.has_value());
  EXPECT_EQ(circle.error().file, b);
  EXPECT_EQ(circle.error().allowed,
            "a platform that does not extend this one in turn (" + a + " extends " + b + " extends " + a + ")");
  expect_refused("extends = \"mine.toml\"\n", "\"mine.toml\"", "mine.toml extends ");
}

}  // namespace
}  // namespace svmsim
