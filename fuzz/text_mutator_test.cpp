// SPDX-License-Identifier: Apache-2.0
#include "fuzz/text_mutator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fuzz/input_format.h"

namespace svmsim {
namespace {

TEST(InputFormats, EveryLetterIsAFormatOfItsOwnAndEveryByteMeansOne) {
  std::set<char> letters;
  for (const InputFormat& format : input_formats()) {
    EXPECT_TRUE(letters.insert(format.letter).second) << format.letter;
    EXPECT_EQ(&input_format(static_cast<unsigned char>(format.letter)), &format);
  }
  std::set<const InputFormat*> meant;
  for (int byte = 0; byte < 256; ++byte) meant.insert(&input_format(static_cast<unsigned char>(byte)));
  EXPECT_EQ(meant.size(), letters.size());
}

TEST(InputFormats, EveryShippedFileIsRead) {
  std::set<char> letters;
  for (const std::string& input : shipped_inputs()) {
    const InputFormat& format = input_format(static_cast<unsigned char>(input.front()));
    const auto error = format.read(std::string_view(input).substr(1), format.file());
    letters.insert(input.front());
    // A scene names its orchestration, which arguments must not.
    const bool scene_as_arguments =
        format.letter == 'a' && error && (error->key == "orchestration" || error->key == "tensor");
    EXPECT_TRUE(!error || scene_as_arguments) << error->message;
  }
  EXPECT_EQ(letters.size(), input_formats().size());
}

TEST(InputFormats, MistakeIsOfTheGivenFile) {
  for (const InputFormat& format : input_formats()) {
    const auto error = format.read("{", "given.file");
    ASSERT_TRUE(error) << format.letter;
    EXPECT_EQ(error->file, "given.file") << format.letter;
  }
}

TEST(TextMutator, SameSeedSameText) {
  const std::string& input = shipped_inputs().front();
  EXPECT_EQ(mutated_text(input, 7), mutated_text(input, 7));
  EXPECT_EQ(spliced_text(input, shipped_inputs().back(), 7), spliced_text(input, shipped_inputs().back(), 7));
}

TEST(TextMutator, ChangesAreSmallAndReachEveryKind) {
  const std::string input = "pa = 1\nb = 2\nc = 3\n";
  std::set<std::string> seen;
  bool other_format = false;
  bool shorter = false;
  bool longer = false;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::string changed = mutated_text(input, seed);
    ASSERT_FALSE(changed.empty());
    other_format = other_format || changed.front() != 'p';
    shorter = shorter || changed.size() < input.size();
    longer = longer || changed.size() > input.size();
    seen.insert(changed);
  }
  EXPECT_TRUE(other_format && shorter && longer);
  EXPECT_GT(seen.size(), 250U);
}

TEST(TextMutator, EmptyInputBeginsAtShippedFiles) {
  const std::vector<std::string>& shipped = shipped_inputs();
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) seen.insert(mutated_text("", seed));
  EXPECT_GT(seen.size(), 50U);
  for (const std::string& text : seen) EXPECT_NE(std::find(shipped.begin(), shipped.end(), text), shipped.end());
}

TEST(TextMutator, SpliceHasLinesOfBoth) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) seen.insert(spliced_text("pa\nb\n", "px\ny\n", seed));
  EXPECT_TRUE(seen.contains("pa\ny\n"));
  EXPECT_TRUE(seen.contains("pa\nb\nx\ny\n"));
}

}  // namespace
}  // namespace svmsim
