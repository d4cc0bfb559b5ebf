// SPDX-License-Identifier: Apache-2.0
// The environment of a program that is started, or of this process. As thread-safe as the latter.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svmsim {

// Variables by name, with the value that the child gets; without a value it does not get the variable.
using EnvironmentChanges = std::map<std::string, std::optional<std::string>>;

// Of "NAME=value".
[[nodiscard]] inline std::string variable_name(std::string_view entry) {
  return std::string(entry.substr(0, entry.find('=')));
}

// This process' environment but for `changes`: "NAME=value" texts.
[[nodiscard]] inline std::vector<std::string> environment_with(const EnvironmentChanges& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!changes.contains(variable_name(*entry))) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : changes) {
    if (value) all.push_back(name + "=" + *value);
  }
  return all;
}

// That for this process itself, before other threads run.
inline void change_environment(const EnvironmentChanges& changes) {
  for (const auto& [name, value] : changes) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
}

// Takes every variable from the child that the drop-in libraries read: SVMSIM_* and ASCEND_RT_VISIBLE_DEVICES.
[[nodiscard]] inline EnvironmentChanges without_simulator_variables() {
  EnvironmentChanges changes{{"ASCEND_RT_VISIBLE_DEVICES", std::nullopt}};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("SVMSIM_")) changes[variable_name(*entry)] = std::nullopt;
  }
  return changes;
}

// As execve and posix_spawn take words and environments. Borrows the texts.
[[nodiscard]] inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace svmsim
