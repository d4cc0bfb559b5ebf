// SPDX-License-Identifier: Apache-2.0
// `svmsim build`: one orchestration's source to a shared object, with the compiler of this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/arguments_template.h"
#include "cli/commands.h"
#include "cli/option_value.h"
#include "runtime/orchestration/callable.h"
#include "sim/config/input_files.h"
#include "sim/output/json_document.h"

namespace svmsim {

namespace fs = std::filesystem;

namespace {

// What $CXX says, which may hold options behind the name, or c++.
std::vector<std::string> compiler_words() {
  const char* const variable = std::getenv("CXX");
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(variable == nullptr ? "" : variable) + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  if (words.empty()) words.emplace_back("c++");
  return words;
}

// Runs the command with this process' stderr for everything that it says. Nothing when it ended with 0.
std::optional<std::string> run_compiler(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fmt::format("cannot run {}: {}", words[0], std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return fmt::format("{} was ended by signal {}", words[0], WTERMSIG(status));
  if (WEXITSTATUS(status) == 127) return fmt::format("cannot run {}", words[0]);
  if (WEXITSTATUS(status) != 0) return fmt::format("{} ended with {}", words[0], WEXITSTATUS(status));
  return std::nullopt;
}

// Removes the file at its end, unless it has another name by then.
class CompiledFile {
 public:
  explicit CompiledFile(std::string path) : path_(std::move(path)) {}
  CompiledFile(const CompiledFile&) = delete;
  CompiledFile& operator=(const CompiledFile&) = delete;
  ~CompiledFile() { ::unlink(path_.c_str()); }

 private:
  std::string path_;
};

CliResult<fs::path> output_path(const BuildOptions& options) {
  const fs::path output = options.output.value_or(fs::path(options.source).stem().string() + ".so");
  std::error_code error;
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  // A current folder that is gone is still a folder, but has no path.
  const bool has_path = output.is_absolute() || !fs::current_path(error).empty();
  const bool usable = has_path && output.has_filename() && fs::is_directory(folder, error) &&
                      (!fs::exists(output, error) || fs::is_regular_file(output, error));
  if (auto checked = check_output("--output", output.string(), output.string()); !checked) {
    return tl::unexpected(checked.error());
  }
  if (usable) return output;
  return tl::unexpected(option_error("--output", output.string(), "a file, new or regular, in a folder that exists"));
}

}  // namespace

CliResult<CommandOutput> build_command(const BuildOptions& options, OutputFormat format) {
  if (options.args_template) return CommandOutput{std::string(kArgumentsTemplate), ExitCode::kFine};
  std::error_code error;
  if (!fs::is_regular_file(options.source, error)) {
    return tl::unexpected(option_error("SOURCE", options.source, "a C++ source file"));
  }
  note_input_file(options.source);
  const auto output = output_path(options);
  if (!output) return tl::unexpected(output.error());
  // A name of its own beside the output: whoever runs the old file keeps it, and a failure leaves it.
  const std::string unfinished = fmt::format("{}.{}", output->string(), ::getpid());
  const CompiledFile removed(unfinished);
  std::vector<std::string> words = compiler_words();
  words.insert(words.end(), {"-std=c++17", "-O2", "-g", "-fPIC", "-shared", "-Wall", "-Wextra"});
  words.push_back(std::string("-I") + SVMSIM_API_DIR);
  for (const std::string& folder : options.include) words.push_back("-I" + folder);
  // A source whose name begins with a dash is no option.
  words.insert(words.end(), {"-o", fs::absolute(unfinished).string(), fs::absolute(options.source).string()});
  if (const auto problem = run_compiler(words)) {
    return tl::unexpected(failure(fmt::format("{} was not built: {}", output->string(), *problem)));
  }
  if (const auto loaded = svmrt::SharedObjectCallable::load(unfinished); !loaded) {
    return tl::unexpected(failure(fmt::format("{} was not built: {} is no orchestration: {}", output->string(),
                                              options.source, loaded.error().message)));
  }
  if (::rename(unfinished.c_str(), output->c_str()) != 0) {
    return tl::unexpected(failure(fmt::format("cannot name {}: {}", output->string(), std::strerror(errno))));
  }
  if (format == OutputFormat::kTable) return CommandOutput{output->string() + "\n", ExitCode::kFine};
  Json json;
  json["output"] = output->string();
  json["command"] = words;
  return CommandOutput{document_text(json), ExitCode::kFine};
}

}  // namespace svmsim
