// SPDX-License-Identifier: Apache-2.0
#include "cli/board_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/interruption.h"
#include "cli/json_reader.h"
#include "sim/descriptor.h"
#include "sim/host_process.h"
#include "sim/output/json_parse.h"

namespace svmsim {

namespace {

constexpr JsonLimits kAnswerLimits{8, 100'000, 1'000'000};
constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 20;

constexpr std::array kWorkWords{"scene", "points"};

// Takes what comes until the other end is closed, the process ends, or it is not to go on. The failure of the latter.
std::string receive(const HostProcess& process, int descriptor, std::chrono::seconds timeout, std::string& text) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  bool open = true;
  std::array<char, 4096> buffer{};
  for (;;) {
    const HostEvent event = process.wait(open ? descriptor : -1, until, &Interruption::happened);
    if (event == HostEvent::kEnded) return "";
    if (event == HostEvent::kTooLate) return fmt::format("did not end within {} s", timeout.count());
    if (event == HostEvent::kInterrupted) return "was interrupted";
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      open = false;
      continue;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostAnswerBytes) return fmt::format("said more than {} bytes", kMostAnswerBytes);
  }
}

CliError error_of(const Json& json) {
  JsonReader reader("answer", "error.", json);
  CliError error;
  error.exit_code = static_cast<ExitCode>(reader.integer("exit_code", 1, 3));
  error.file = reader.text("file");
  error.key = reader.text("key");
  error.value = reader.text("value");
  error.allowed = reader.text("allowed");
  error.message = reader.text("message");
  return reader.error().value_or(error);
}

// Nothing when the text is no answer, as one that was cut off.
std::optional<CliResult<Json>> read_answer(const std::string& text) {
  const auto json = parse_json_object(text, kAnswerLimits);
  if (!json) return std::nullopt;
  const auto error = json->find("error");
  const auto document = json->find("document");
  if (error != json->end() && error->is_object()) return tl::unexpected(error_of(*error));
  if (document != json->end() && document->is_object()) return *document;
  return std::nullopt;
}

// How the process ended, if not well; `answered`: it said something of use.
std::string bad_end(const std::optional<int>& status, bool answered, const std::string& text) {
  if (!status) return "ended unseen";
  if (exit_code_of(*status) != 0) return end_text(*status);
  if (answered) return "";
  if (text.empty()) return "ended with exit code 0 before its work was done";
  return fmt::format("ended with exit code 0 after {} bytes that are no answer", text.size());
}

}  // namespace

std::vector<std::string> words_of(const BoardRequest& request) {
  return {kWorkWords.at(static_cast<std::size_t>(request.work)),
          request.locations.fixtures,
          request.locations.orchestrations,
          request.lib.value_or(""),
          request.platform,
          request.scene,
          request.policy,
          request.rounds,
          request.seed,
          request.iterations};
}

std::optional<BoardRequest> board_request(const std::vector<std::string>& words) {
  if (words.size() != words_of({}).size()) return std::nullopt;
  BoardRequest request;
  if (words[0] != kWorkWords[0] && words[0] != kWorkWords[1]) return std::nullopt;
  request.work = words[0] == kWorkWords[0] ? BoardWork::kScene : BoardWork::kPoints;
  request.locations = {words[1], words[2]};
  if (!words[3].empty()) request.lib = words[3];
  request.platform = words[4];
  request.scene = words[5];
  request.policy = words[6];
  request.rounds = words[7];
  request.seed = words[8];
  request.iterations = words[9];
  return request;
}

std::string answer_text(const CliResult<Json>& answer) {
  Json json;
  if (answer) {
    json["document"] = *answer;
  } else {
    json = error_document(answer.error());
    json["error"]["exit_code"] = static_cast<int>(answer.error().exit_code);
  }
  return line_text(json);
}

BoardAnswer ask_board_host(const BoardRequest& request, const BoardLibraries& libraries, std::chrono::seconds timeout) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {std::nullopt, fmt::format("has no pipe: {}", std::strerror(errno))};
  std::vector<std::string> words = words_of(request);
  words.insert(words.begin(), SVMSIM_BOARD_HOST);
  HostProcess process;
  const auto error = process.start(std::move(words), libraries.environment, ends[1]);
  ::close(ends[1]);
  BoardAnswer answer;
  if (error) {
    answer.failure = fmt::format("could not be started: {}", *error);
  } else {
    std::string text;
    answer.failure = receive(process, ends[0], timeout, text);
    const auto status = process.end();
    if (!Interruption::happened()) answer.said = read_answer(text);
    if (answer.failure.empty()) answer.failure = bad_end(status, answer.said.has_value(), text);
    if (!answer.said && text.empty() && status && exit_code_of(*status) == kWrongEnvironment) {
      answer.said = tl::unexpected(wrong_environment(libraries));
    }
  }
  ::close(ends[0]);
  return answer;
}

}  // namespace svmsim
