// SPDX-License-Identifier: Apache-2.0
// What happens to a runner from outside: strangers on the same device, its loss, a fork, a second thread.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "property_tests/scenario_process.h"
#include "property_tests/stage.h"

namespace svmsim {

using svmrt::kRunnerTimeline;

namespace {

Outcome ok() { return {Answer::kOk, 0, {}}; }

Answer answer_of(svmrt::HostViewStatus status) {
  switch (status) {
    case svmrt::HostViewStatus::kMapped:
      return Answer::kOk;
    case svmrt::HostViewStatus::kNoView:
      return Answer::kNoView;
    case svmrt::HostViewStatus::kBadSpan:
      return Answer::kBadSpan;
    case svmrt::HostViewStatus::kUnavailable:
      break;
  }
  return Answer::kUnavailable;
}

Answer acquire(const svmrt::RunContext& run, DeviceAddr device, std::uint64_t size) {
  void* view = nullptr;
  const svmrt::HostApi& api = run.api();
  return answer_of(api.acquire_child_memory_host_view(api.context, device.value(), size, &view));
}

// Of the child process of a fork: everything was refused, or the first thing that was not.
enum ChildVerdict : int { kAllRefused = 0, kOpened = 1, kFreed = 2, kAcquired = 3, kCopied = 4, kCalledTheDriver = 5 };

}  // namespace

void Stage::stranger_maps(DeviceAddr base, Bytes size) {
  if (bare_driver_.register_to_host(kRunnerTimeline, base, size).code == DriverCode::kNone) strangers_.insert(base);
}

Stage::Performed Stage::stranger(const Operation& operation) {
  const svmrt::Picoseconds began = machine_.now(kRunnerTimeline);
  const Slot& slot = slots_[operation.slot];
  Performed done{ok(), {}};
  oracle_.stranger_begins();
  if (operation.kind == OperationKind::kStrangerMaps) {
    stranger_maps(slot.base, slot.size);
    done.facts.stranger_mapped = any_mapped(slot.base, slot.size);
  } else if (operation.kind == OperationKind::kStrangerUnmaps) {
    for (const MappedExtent& extent : machine_.mapped_extents()) {
      const bool touches = extent.base < slot.base + slot.size && slot.base < extent.base + extent.size;
      if (touches) static_cast<void>(bare_driver_.unregister_from_host(kRunnerTimeline, extent.base));
    }
    done.facts.stranger_mapped = any_mapped(slot.base, slot.size);
  } else {
    const svmrt::AllocateResult leaked = bare_driver_.allocate(kRunnerTimeline, Bytes(operation.size));
    if (leaked.code == DriverCode::kNone) {
      stranger_maps(leaked.address, Bytes(operation.size));
      static_cast<void>(bare_driver_.free(kRunnerTimeline, leaked.address));
    }
  }
  oracle_.stranger_ended();
  done.facts.stranger_time = machine_.now(kRunnerTimeline) - began;
  return done;
}

Outcome Stage::lose_device() {
  oracle_.device_lost();
  runner_->device_lost();
  machine_.device_close(kRunnerTimeline);
  lost_ = true;
  strangers_.clear();
  for (Slot& slot : slots_) slot.live = false;
  return ok();
}

Outcome Stage::fork(const Operation& operation) {
  const Slot& slot = slots_[operation.slot];
  const std::uint64_t calls_before = machine_.trace_digest();
  const pid_t child = fork_process();
  if (child == 0) {
    const svmrt::RunContext* const context = runs_[operation.run] ? runs_[operation.run]->context.get() : nullptr;
    int verdict = kAllRefused;
    std::uint8_t byte = 0;
    if (runner_->open_run()) {
      verdict = kOpened;
    } else if (slot.ever && runner_->free_tensor(slot.base)) {
      verdict = kFreed;
    } else if (context != nullptr && slot.ever && acquire(*context, slot.base, 1) != Answer::kUnavailable) {
      verdict = kAcquired;
    } else if (context != nullptr && slot.ever &&
               context->api().copy_from_device(context->api().context, &byte, slot.base.value(), 1) !=
                   svmrt::kRefusedByRunner) {
      verdict = kCopied;
    } else if (machine_.trace_digest() != calls_before) {
      verdict = kCalledTheDriver;
    }
    ::_exit(verdict);
  }
  const std::optional<int> status = child > 0 ? wait_for(child) : std::nullopt;
  static_assert(kAllRefused == 0);
  return status && ended_well(*status) ? ok() : Outcome{Answer::kRefused, status.value_or(-1), {}};
}

// The second thread starts inside the first one's register call, if it makes one, and is let run until it waits for
// the record or is done; a runtime that does not make it wait thus comes to a wrong answer, not to a race.
Outcome Stage::race(const Operation& operation) {
  const svmrt::RunContext& first = *run(operation.run).context;
  const svmrt::RunContext& second = *run(operation.other).context;
  const DeviceAddr device = address(operation);
  // Whose block it is: an address of a block that is gone may lie inside a later one.
  const auto owner = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.live && svmrt::span_inside(device, Bytes(1), slot.base, slot.size);
  });
  const DeviceAddr asked_for = owner == slots_.end() ? device : owner->base;
  oracle_.asked_to_register(first.timeline(), asked_for);
  oracle_.asked_to_register(second.timeline(), asked_for);
  std::atomic<bool> done{false};
  Answer second_answer = Answer::kSkipped;
  std::thread other;
  const auto start_second = [&] {
    other = std::thread([&] {
      second_answer = acquire(second, device, operation.size);
      done = true;
    });
  };
  driver_.at_next_register([&] {
    start_second();
    while (!done && runner_->waiting_threads() == 0) std::this_thread::yield();
  });
  const Answer first_answer = acquire(first, device, operation.size);
  driver_.clear_hook();
  if (!other.joinable()) start_second();
  other.join();
  return {first_answer, first_answer == second_answer ? 0 : 1, {}};
}

}  // namespace svmsim
