// SPDX-License-Identifier: Apache-2.0
#include "property_tests/isolation.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "property_tests/scenario_process.h"
#include "sim/machine/digest.h"

namespace svmsim {

namespace {

// A text of bounded length in shared memory.
template <std::size_t kLength>
struct SharedText {
  char text[kLength] = {};
  void set(const std::string& value) {
    const std::size_t length = std::min(value.size(), kLength - 1);
    std::memcpy(text, value.data(), length);
    text[length] = '\0';
  }
  [[nodiscard]] std::string get() const { return text; }
};

struct SharedBatch {
  std::uint64_t judged = 0;
  std::uint64_t operations = 0;
  Coverage coverage;
  std::uint64_t digest = 0;
  bool failed = false;
  std::uint64_t failed_operation = 0;
  SharedText<64> property;
  SharedText<4096> message;
  SharedText<1024> error;
};

// Owns a page or two that parent and child share.
class SharedMemory {
 public:
  SharedMemory() {
    void* const memory =
        ::mmap(nullptr, sizeof(SharedBatch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) batch_ = new (memory) SharedBatch;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    if (batch_ != nullptr) ::munmap(batch_, sizeof(SharedBatch));
  }
  [[nodiscard]] SharedBatch* batch() const { return batch_; }

 private:
  SharedBatch* batch_ = nullptr;
};

void add_case(BatchResult& batch, std::uint64_t index, ScenarioResult result) {
  ++batch.judged;
  batch.operations += result.operations;
  batch.coverage += result.coverage;
  batch.digest += mix64(index * 2 + 1) ^ mix64(result.digest);
  batch.failure = std::move(result.failure);
  batch.error = std::move(result.error);
}

void publish(const BatchResult& batch, SharedBatch& shared) {
  shared.operations = batch.operations;
  shared.coverage = batch.coverage;
  shared.digest = batch.digest;
  shared.error.set(batch.error);
  if (batch.failure) {
    shared.failed = true;
    shared.failed_operation = batch.failure->operation;
    shared.property.set(batch.failure->property);
    shared.message.set(batch.failure->message);
  }
  shared.judged = batch.judged;
}

// A dying child is expected here: what it prints about that helps only whoever replays the scenario.
void silence_errors() {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) ::dup2(null, STDERR_FILENO);
}

[[noreturn]] void judge_in_child(const std::vector<std::uint64_t>& indices, const Drawer& draw, const Judge& judge,
                                 unsigned hang_seconds, SharedBatch& shared) {
  silence_errors();
  // Sent to the whole process group: the parent ends the campaign, this batch is still judged.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  BatchResult batch;
  for (const std::uint64_t index : indices) {
    end_after(hang_seconds);
    add_case(batch, index, judge(draw(index)));
    publish(batch, shared);
    if (batch.failure || !batch.error.empty()) break;
  }
  ::_exit(0);
}

// A process that died cannot tell at which operation.
constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

}  // namespace

BatchResult judge_batch(const std::vector<std::uint64_t>& indices, const Drawer& draw, const Judge& judge) {
  BatchResult batch;
  for (const std::uint64_t index : indices) {
    add_case(batch, index, judge(draw(index)));
    if (batch.failure || !batch.error.empty()) break;
  }
  return batch;
}

BatchResult judge_batch_isolated(const std::vector<std::uint64_t>& indices, const Drawer& draw, const Judge& judge,
                                 unsigned hang_seconds) {
  BatchResult batch;
  const SharedMemory memory;
  SharedBatch* const shared = memory.batch();
  const pid_t child = shared == nullptr ? -1 : fork_process();
  if (child == 0) judge_in_child(indices, draw, judge, hang_seconds, *shared);
  if (child < 0) {
    batch.error = "cannot start a process to judge scenarios in: " + std::string(std::strerror(errno));
    return batch;
  }
  const std::optional<int> status = wait_for(child);
  if (!status) {
    batch.error = "cannot learn how the process of a scenario ended: " + std::string(std::strerror(errno));
    return batch;
  }
  batch.judged = shared->judged;
  batch.operations = shared->operations;
  batch.coverage = shared->coverage;
  batch.digest = shared->digest;
  batch.error = shared->error.get();
  if (shared->failed) {
    batch.failure = Failure{shared->property.get(), shared->failed_operation, shared->message.get()};
  } else if (!ended_well(*status)) {
    ++batch.judged;
    batch.failure = failure_of_death(*status, hang_seconds, kUnknown);
  }
  return batch;
}

}  // namespace svmsim
