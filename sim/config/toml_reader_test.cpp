// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace svmsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

enum class Fruit { kApple, kPear };
constexpr Choice<Fruit> kFruits[] = {{"apple", Fruit::kApple}, {"pear", Fruit::kPear}};
constexpr std::uint64_t kPageSizes[] = {4096, 65536};

ConfigReader parsed(std::string_view text) {
  auto reader = ConfigReader::parse(text, "f.toml");
  EXPECT_TRUE(reader.has_value()) << reader.error().message();
  return *std::move(reader);
}

// The error of one read of `text`.
template <typename Read>
ConfigError error_of(std::string_view text, Read read) {
  ConfigReader reader = parsed(text);
  ConfigTable root = reader.root();
  read(root);
  const auto result = reader.finish(0);
  if (result) {
    ADD_FAILURE() << "no error for: " << text;
    return {};
  }
  return result.error();
}

ConfigError open_error(const std::string& path) {
  const auto reader = ConfigReader::open(path);
  if (reader) {
    ADD_FAILURE() << "opened: " << path;
    return {};
  }
  return reader.error();
}

class TomlReaderFile : public testing::Test {
 protected:
  TomlReaderFile() : path_(testing::TempDir() + "toml_reader_test_" + std::to_string(getpid()) + ".toml") {}
  ~TomlReaderFile() override { std::filesystem::remove_all(path_); }
  void write(std::string_view content) const { std::ofstream(path_, std::ios::binary) << content; }
  const std::string path_;
};

TEST(TomlReader, ReadsEachTypedValue) {
  ConfigReader reader = parsed(
      "name = \"x\"\nflag = true\ncount = 7\nratio = 1.5\nwhole = 2\nfruit = \"pear\"\npage = 65536\n"
      "shape = [1, 2, 3]\nwords = [\"a\", \"b\"]\n[sub]\nn = -1\n[[row]]\nn = 1\n[[row]]\nn = 2\n");
  ConfigTable root = reader.root();
  EXPECT_EQ(root.text("name"), "x");
  EXPECT_TRUE(root.boolean("flag"));
  EXPECT_EQ(root.integer<std::uint8_t>("count", 1, 7), 7);
  EXPECT_EQ(root.decimal("ratio", 0, 2), 1.5);
  EXPECT_EQ(root.decimal("whole", 0, 2), 2.0);
  EXPECT_EQ(root.choice("fruit", kFruits), Fruit::kPear);
  EXPECT_EQ(root.integer_choice("page", kPageSizes), 65536U);
  EXPECT_THAT(root.integers<std::uint64_t>("shape", 1, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(root.texts("words"), ElementsAre("a", "b"));
  EXPECT_EQ(root.table("sub").integer("n", -1, 0), -1);
  std::vector<ConfigTable> rows = root.tables("row");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].integer("n", 0, 9), 1);
  EXPECT_EQ(rows[1].integer("n", 0, 9), 2);
  EXPECT_EQ(rows[1].path(), "row[1]");
  const auto result = reader.finish(std::string("done"));
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_EQ(*result, "done");
}

TEST(TomlReader, AbsentOptionalValuesTakeTheirDefaults) {
  ConfigReader reader = parsed("");
  ConfigTable root = reader.root();
  EXPECT_EQ(root.text_or("a", "d"), "d");
  EXPECT_TRUE(root.boolean_or("b", true));
  EXPECT_EQ(root.integer_or("c", 5, 0, 9), 5);
  EXPECT_EQ(root.decimal_or("d", 0.5, 0, 1), 0.5);
  EXPECT_EQ(root.choice_or("e", Fruit::kPear, kFruits), Fruit::kPear);
  EXPECT_EQ(root.integer_choice_or("f", 4096, kPageSizes), 4096U);
  EXPECT_THAT(root.integers_or_empty("g", 0, 9), IsEmpty());
  EXPECT_THAT(root.texts_or_empty("h"), IsEmpty());
  EXPECT_THAT(root.tables_or_empty("i"), IsEmpty());
  EXPECT_FALSE(root.has("j"));
  EXPECT_TRUE(reader.finish(0).has_value());
}

TEST(TomlReader, PresentOptionalValuesWinOverTheirDefaults) {
  ConfigReader reader =
      parsed("a = \"\"\nb = false\nc = 1\nd = 1.0\ne = \"apple\"\nf = 65536\ng = [1]\nh = [\"x\"]\n[[i]]\n");
  ConfigTable root = reader.root();
  EXPECT_EQ(root.text_or("a", "d"), "");
  EXPECT_FALSE(root.boolean_or("b", true));
  EXPECT_EQ(root.integer_or("c", 5, 0, 9), 1);
  EXPECT_EQ(root.decimal_or("d", 0.5, 0, 1), 1.0);
  EXPECT_EQ(root.choice_or("e", Fruit::kPear, kFruits), Fruit::kApple);
  EXPECT_EQ(root.integer_choice_or("f", 4096, kPageSizes), 65536U);
  EXPECT_THAT(root.integers_or_empty("g", 0, 9), ElementsAre(1));
  EXPECT_THAT(root.texts_or_empty("h"), ElementsAre("x"));
  EXPECT_EQ(root.tables_or_empty("i").size(), 1U);
  EXPECT_TRUE(reader.finish(0).has_value());
}

TEST(TomlReader, MessageIsOneLineWithFileLineKeyValueAndAllowed) {
  const ConfigError error = error_of("\n\nage = 12\n", [](ConfigTable& root) { (void)root.integer("age", 1, 11); });
  EXPECT_EQ(error.file, "f.toml");
  EXPECT_EQ(error.line, 3U);
  EXPECT_EQ(error.key, "age");
  EXPECT_EQ(error.value, "12");
  EXPECT_EQ(error.allowed, "an integer from 1 to 11");
  EXPECT_EQ(error.message(), "f.toml:3: age: found 12; allowed: an integer from 1 to 11");
}

TEST(TomlReader, IntegerRangeIncludesBothEndsAndNothingBeyond) {
  for (const char* text : {"n = 2", "n = 5"}) {
    ConfigReader reader = parsed(text);
    (void)reader.root().integer("n", 2, 5);
    EXPECT_TRUE(reader.finish(0).has_value()) << text;
  }
  for (const char* text : {"n = 1", "n = 6", "n = 2.0", "n = \"3\"", "n = true", "n = [3]"}) {
    const ConfigError error = error_of(text, [](ConfigTable& root) { EXPECT_EQ(root.integer("n", 2, 5), 2); });
    EXPECT_EQ(error.allowed, "an integer from 2 to 5") << text;
  }
}

TEST(TomlReader, UnsignedRangesAboveInt64EndWhereTomlIntegersEnd) {
  ConfigReader reader = parsed("n = 9223372036854775807");
  EXPECT_EQ(reader.root().integer<std::uint64_t>("n", 0, UINT64_MAX), static_cast<std::uint64_t>(kInt64Max));
  EXPECT_TRUE(reader.finish(0).has_value());
}

TEST(TomlReader, IntegerBeyondInt64IsInvalidToml) {
  const auto reader = ConfigReader::parse("a = 1\nn = 9223372036854775808", "f.toml");
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().line, 2U);
  EXPECT_THAT(reader.error().message(), HasSubstr("invalid TOML"));
}

TEST(TomlReader, WrongTypeNamesTheTypeWanted) {
  EXPECT_EQ(error_of("k = 1", [](ConfigTable& t) { (void)t.text("k"); }).message(),
            "f.toml:1: k: found 1; allowed: a text that is not empty");
  EXPECT_EQ(error_of("k = \"\"", [](ConfigTable& t) { (void)t.text("k"); }).value, "\"\"");
  EXPECT_EQ(error_of("k = 1", [](ConfigTable& t) { (void)t.text_or("k", ""); }).allowed, "a text");
  EXPECT_EQ(error_of("k = 1", [](ConfigTable& t) { (void)t.boolean("k"); }).allowed, "true or false");
  EXPECT_EQ(error_of("k = \"yes\"", [](ConfigTable& t) { (void)t.boolean_or("k", true); }).value, "\"yes\"");
  EXPECT_EQ(error_of("k = 1", [](ConfigTable& t) { (void)t.table("k"); }).allowed, "a table");
  EXPECT_EQ(error_of("k = {}", [](ConfigTable& t) { (void)t.tables("k"); }).message(),
            "f.toml:1: k: found a table; allowed: an array of tables");
  EXPECT_EQ(error_of("k = [{}, 3]", [](ConfigTable& t) { (void)t.tables("k"); }).key, "k[1]");
  EXPECT_EQ(error_of("k = 2026-09-01", [](ConfigTable& t) { (void)t.integer("k", 0, 1); }).value, "a date or time");
  EXPECT_EQ(error_of("k = [1, 2]", [](ConfigTable& t) { (void)t.text("k"); }).value, "an array of 2");
  EXPECT_EQ(error_of("k = 7", [](ConfigTable& t) { (void)t.integers("k", 0, 1); }).allowed,
            "an array of which each element is an integer from 0 to 1");
  EXPECT_EQ(error_of("k = 7", [](ConfigTable& t) { (void)t.texts("k"); }).allowed, "an array of texts");
  EXPECT_EQ(error_of("k = [\"a\", 7]", [](ConfigTable& t) { (void)t.texts("k"); }).key, "k[1]");
}

TEST(TomlReader, DecimalOutsideItsRangeOrNotFiniteIsRefused) {
  for (const char* text : {"d = -0.1", "d = 2.1", "d = nan", "d = inf", "d = -inf", "d = \"1\""}) {
    const ConfigError error = error_of(text, [](ConfigTable& t) { EXPECT_EQ(t.decimal("d", 0, 2), 0); });
    EXPECT_EQ(error.allowed, "a number from 0 to 2") << text;
  }
}

TEST(TomlReader, UnknownWordListsTheWords) {
  const ConfigError error =
      error_of("k = \"plum\"", [](ConfigTable& t) { EXPECT_EQ(t.choice("k", kFruits), Fruit::kApple); });
  EXPECT_EQ(error.message(), "f.toml:1: k: found \"plum\"; allowed: one of \"apple\", \"pear\"");
}

TEST(TomlReader, IntegerOutsideItsListNamesTheList) {
  for (const char* text : {"k = 8192", "k = -4096", "k = \"4096\""}) {
    EXPECT_EQ(error_of(text, [](ConfigTable& t) { EXPECT_EQ(t.integer_choice("k", kPageSizes), 4096U); }).allowed,
              "one of 4096, 65536");
  }
}

TEST(TomlReader, IntegerOrWordTakesTheRangeAndTheWordAndNothingElse) {
  ConfigReader reader = parsed("low = 0\nhigh = 2\nword = \"all\"\n");
  ConfigTable root = reader.root();
  EXPECT_EQ(root.integer_or_word("low", 0, 2, "all", 99), 0);
  EXPECT_EQ(root.integer_or_word("high", 0, 2, "all", 99), 2);
  EXPECT_EQ(root.integer_or_word("word", 0, 2, "all", 99), 99);
  EXPECT_TRUE(reader.finish(0));
  for (const char* const text : {"a = 3\n", "a = -1\n", "a = \"none\"\n", "a = 1.0\n", "a = true\n"}) {
    const ConfigError error =
        error_of(text, [](ConfigTable& table) { EXPECT_EQ(table.integer_or_word("a", 0, 2, "all", 99), 0); });
    EXPECT_EQ(error.allowed, "an integer from 0 to 2 or \"all\"") << text;
  }
  const ConfigError missing =
      error_of("b = 1\n", [](ConfigTable& table) { EXPECT_EQ(table.integer_or_word("a", 0, 2, "all", 99), 0); });
  EXPECT_EQ(missing.allowed, "an integer from 0 to 2 or \"all\" (required)");
}

TEST(TomlReader, NestedKeysHaveDottedPathsWithIndices) {
  const char* text = "[[tensor]]\nshape = [1]\n[[tensor]]\nshape = [1]\n[[tensor]]\nshape = [4, 0]\n";
  const ConfigError error = error_of(text, [](ConfigTable& root) {
    for (ConfigTable& tensor : root.tables("tensor")) (void)tensor.integers("shape", 1, 9);
  });
  EXPECT_EQ(error.key, "tensor[2].shape[1]");
  EXPECT_EQ(error.line, 6U);
  EXPECT_EQ(error.value, "0");
}

TEST(TomlReader, UnknownKeyListsTheAllowedKeys) {
  const ConfigError error = error_of("b = 1\nc = 2\nextra = \"x\"\n", [](ConfigTable& root) {
    (void)root.integer("b", 0, 9);
    (void)root.has("c");
    (void)root.text_or("a", "");
  });
  EXPECT_EQ(error.message(), "f.toml:3: extra: found an unknown key with the value \"x\"; allowed: the keys a, b, c");
}

TEST(TomlReader, UnknownKeyInsideANestedTableIsFound) {
  const ConfigError error = error_of("[[row]]\nn = 1\n[[row]]\nn = 2\nm = 3\n", [](ConfigTable& root) {
    for (ConfigTable& row : root.tables("row")) (void)row.integer("n", 0, 9);
  });
  EXPECT_EQ(error.key, "row[1].m");
  EXPECT_EQ(error.line, 5U);
}

TEST(TomlReader, FirstUnknownKeyOfTheFileIsReported) {
  const ConfigError error = error_of("z = 1\na = 1\n[t]\nx = 1\n", [](ConfigTable& root) { (void)root.table("t"); });
  EXPECT_EQ(error.key, "z");
}

TEST(TomlReader, TableReadTwiceStillKnowsAllItsKeys) {
  ConfigReader reader = parsed("[t]\na = 1\nb = 2\n");
  (void)reader.root().table("t").integer("a", 0, 9);
  (void)reader.root().table("t").integer("b", 0, 9);
  EXPECT_TRUE(reader.finish(0).has_value());
}

TEST(TomlReader, MissingRequiredKeyNamesTheKeysThatAreThere) {
  const ConfigError error =
      error_of("\n[t]\nhost_pgae = 1\n", [](ConfigTable& root) { (void)root.table("t").integer("host_page", 1, 2); });
  EXPECT_EQ(error.message(),
            "f.toml:2: t.host_page: found nothing (keys here not asked for yet: host_pgae); "
            "allowed: an integer from 1 to 2 (required)");
}

TEST(TomlReader, EveryRequiredReadReportsAMissingKey) {
  const auto missing = [](auto read) {
    const ConfigError error = error_of("", read);
    EXPECT_EQ(error.key, "k");
    EXPECT_EQ(error.value, "nothing");
    EXPECT_THAT(error.allowed, HasSubstr("(required)"));
  };
  missing([](ConfigTable& t) { (void)t.text("k"); });
  missing([](ConfigTable& t) { (void)t.boolean("k"); });
  missing([](ConfigTable& t) { (void)t.decimal("k", 0, 1); });
  missing([](ConfigTable& t) { (void)t.integer("k", 0, 1); });
  missing([](ConfigTable& t) { (void)t.integer_choice("k", kPageSizes); });
  missing([](ConfigTable& t) { (void)t.choice("k", kFruits); });
  missing([](ConfigTable& t) { (void)t.integers("k", 0, 1); });
  missing([](ConfigTable& t) { (void)t.texts("k"); });
  missing([](ConfigTable& t) { (void)t.table("k").text("below"); });
  missing([](ConfigTable& t) { (void)t.tables("k"); });
}

TEST(TomlReader, FirstMistakeWinsOverLaterOnesAndUnknownKeys) {
  const ConfigError error = error_of("unknown = 1\na = 1\nb = 2\n", [](ConfigTable& root) {
    (void)root.text("b");
    (void)root.text("a");
  });
  EXPECT_EQ(error.key, "b");
}

TEST(TomlReader, RejectShowsTheValueFound) {
  const ConfigError error = error_of("\na = 3", [](ConfigTable& root) {
    (void)root.integer("a", 0, 9);
    root.reject("a", "an even integer");
  });
  EXPECT_EQ(error.message(), "f.toml:2: a: found 3; allowed: an even integer");
}

TEST(TomlReader, FirstErrorIsVisibleBeforeFinish) {
  ConfigReader reader = parsed("a = 1");
  EXPECT_FALSE(reader.first_error().has_value());
  (void)reader.root().text("a");
  ASSERT_TRUE(reader.first_error().has_value());
  EXPECT_EQ(reader.first_error()->key, "a");
}

TEST(TomlReader, MovedReaderKeepsItsTables) {
  ConfigReader reader = parsed("a = 1\nb = 1");
  ConfigTable root = reader.root();
  ConfigReader moved = std::move(reader);
  EXPECT_EQ(root.integer("a", 0, 9), 1);
  EXPECT_EQ(moved.finish(0).error().key, "b");
}

TEST(TomlReader, LongAndMultiLineValuesShowAsOneShortLine) {
  const std::string text = "a = \"\"\"\nx\ny" + std::string(1000, 'z') + "\"\"\"";
  const std::string message = error_of(text, [](ConfigTable& t) { (void)t.integer("a", 0, 1); }).message();
  EXPECT_THAT(message, HasSubstr("x\\x0ay"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_LT(message.size(), 200U);
}

TEST(TomlReader, ShortenedValueEndsOnAWholeCharacter) {
  std::string text = "a = \"x";
  for (int i = 0; i < 100; ++i) text += "\xc3\xa9";
  const ConfigError error = error_of(text + "\"", [](ConfigTable& t) { (void)t.integer("a", 0, 1); });
  EXPECT_THAT(error.value, testing::EndsWith("\xc3\xa9...\""));
}

// 78 letters and the three bytes of a euro sign: the limit of 80 lies inside it.
TEST(TomlReader, ShortenedValueKeepsACharacterThatTheLimitCutsWhole) {
  const std::string letters(78, 'x');
  const ConfigError error =
      error_of("a = \"" + letters + "\xe2\x82\xac\xe2\x82\xac\"", [](ConfigTable& t) { (void)t.integer("a", 0, 1); });
  EXPECT_EQ(error.value, "\"" + letters + "\xe2\x82\xac...\"");
}

TEST(TomlReader, BooleansAndDeleteCharactersAreShownAsTheyAreWritten) {
  const auto shown = [](const std::string& value) {
    return error_of("a = " + value, [](ConfigTable& t) { (void)t.integer("a", 0, 1); }).value;
  };
  EXPECT_EQ(shown("false"), "false");
  EXPECT_EQ(shown("true"), "true");
  EXPECT_EQ(shown("\"\\u007f\""), "\"\\x7f\"");
}

TEST(TomlReader, AListOfKeysIsCutAtTwentyFour) {
  const auto allowed = [](int keys) {
    return error_of("unknown = 1",
                    [keys](ConfigTable& root) {
                      for (int key = 0; key < keys; ++key)
                        (void)root.integer_or("k" + std::to_string(100 + key), 0, 0, 1);
                    })
        .allowed;
  };
  EXPECT_EQ(allowed(0), "the keys none");
  EXPECT_THAT(allowed(24), testing::EndsWith(", k123"));
  EXPECT_THAT(allowed(25), testing::EndsWith(", k123 and 1 more"));
}

TEST(TomlReader, MessageHasNoControlCharacterOfTheFile) {
  const std::string message =
      error_of("a = \"\\u009b2J\"", [](ConfigTable& t) { (void)t.integer("a", 0, 1); }).message();
  EXPECT_THAT(message, HasSubstr("\\xc2\\x9b2J"));
}

TEST(TomlReader, NothingIsThereAfterAMistake) {
  ConfigReader reader = parsed("a = 1\nb = 2\n[[row]]\n[[row]]\n");
  ConfigTable root = reader.root();
  EXPECT_EQ(root.text("a"), "");
  EXPECT_FALSE(root.has("b"));
  EXPECT_EQ(root.integer("b", 0, 9), 0);
  EXPECT_THAT(root.tables("row"), IsEmpty());
  EXPECT_EQ(reader.finish(0).error().key, "a");
}

TEST(TomlReader, ManyTablesAreRefused) {
  std::string text = "row = [";
  for (std::size_t i = 0; i < kMaxConfigTables; ++i) text += "{},";
  const auto error_with = [](const std::string& whole) {
    ConfigReader reader = parsed(whole);
    for (ConfigTable& row : reader.root().tables("row")) (void)row.has("x");
    return reader.finish(0);
  };
  EXPECT_TRUE(error_with(text + "]"));
  const auto refused = error_with(text + "{}]");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "f.toml:1: row: found an array of 100001; allowed: at most 100000 tables");
}

TEST(TomlReader, GarbageIsInvalidTomlWithALine) {
  for (const std::string& text :
       {std::string("a = \n"),
        std::string("\x7f"
                    "ELF\x01\x00\xff\xfe",
                    8),
        std::string("a = \"\xff\xfe\""), std::string("\xff\xfe"), std::string(1, '\0'), std::string("a = 1\na = 2"),
        std::string("[[a]]\n[a]\n"), std::string("{"), std::string("a = 1979-13-45")}) {
    const auto reader = ConfigReader::parse(text, "f.toml");
    ASSERT_FALSE(reader.has_value()) << testing::PrintToString(text);
    EXPECT_THAT(reader.error().message(), testing::StartsWith("f.toml:")) << testing::PrintToString(text);
    EXPECT_THAT(reader.error().message(), HasSubstr("invalid TOML")) << testing::PrintToString(text);
    EXPECT_GE(reader.error().line, 1U);
  }
}

TEST(TomlReader, DeepNestingIsRefusedBeforeParsing) {
  std::string brackets = "a = ";
  std::string key;
  for (int i = 0; i < 1'000'000; ++i) {
    brackets += '[';
    key += "a.";
  }
  for (const std::string& text : {brackets, key + "a = 1", "[" + key + "a]"}) {
    const auto reader = ConfigReader::parse(text, "f.toml");
    ASSERT_FALSE(reader.has_value());
    EXPECT_EQ(reader.error().message(),
              "f.toml:1: found deeper nesting; allowed: at most 32 open brackets and 16 parts in a key");
  }
}

TEST(TomlReader, TreeAtTheNestingLimitIsRead) {
  std::string text = "[";
  for (int i = 0; i < 15; ++i) text += "h.";
  text += "h]\na = ";
  for (int i = 0; i < 30; ++i) text += "{b = ";
  text += "1";
  for (int i = 0; i < 30; ++i) text += "}";
  EXPECT_TRUE(ConfigReader::parse(text, "f.toml").has_value());
}

TEST_F(TomlReaderFile, OpensARegularFile) {
  write("a = 1\n");
  auto reader = ConfigReader::open(path_);
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->root().integer("a", 0, 9), 1);
}

TEST_F(TomlReaderFile, MissingFileIsNamed) {
  const ConfigError error = open_error(path_);
  EXPECT_EQ(error.file, path_);
  EXPECT_EQ(error.line, 0U);
  EXPECT_EQ(error.message(), path_ + ": found no such file; allowed: a readable TOML file of at most 2 MiB");
}

TEST_F(TomlReaderFile, DirectoryAndSpecialFileAreRefused) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(open_error(path_).value, "a directory");
  EXPECT_EQ(open_error("/dev/zero").value, "a special file");
  EXPECT_EQ(open_error("").value, "no such file");
}

TEST_F(TomlReaderFile, FileAboveTheSizeLimitIsRefusedUnread) {
  write("");
  std::filesystem::resize_file(path_, kMaxConfigBytes + 1);
  EXPECT_EQ(open_error(path_).value, "a file of 2097153 bytes");
  // At the limit it is read: a file of zero bytes is then no TOML.
  std::filesystem::resize_file(path_, kMaxConfigBytes);
  EXPECT_THAT(open_error(path_).value, HasSubstr("invalid TOML"));
}

}  // namespace
}  // namespace svmsim
