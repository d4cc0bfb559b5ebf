// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_error.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(ErrorDocument, HasItsFiveKeys) {
  const Json json = error_document(option_error("--rounds", "0", "1 to 9"));
  EXPECT_EQ(json["error"]["file"], "");
  EXPECT_EQ(json["error"]["key"], "--rounds");
  EXPECT_EQ(json["error"]["value"], "0");
  EXPECT_EQ(json["error"]["allowed"], "1 to 9");
  EXPECT_EQ(json["error"]["message"], "--rounds: found '0'; allowed: 1 to 9");
}

}  // namespace
}  // namespace svmsim
