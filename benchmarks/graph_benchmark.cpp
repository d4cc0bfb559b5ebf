// SPDX-License-Identifier: Apache-2.0
// Real time of building task graphs through the public interface, without a device: tasks per second on one core.
#include <memory>

#include "benchmarks/benchmark_main.h"
#include "runtime/orchestration/api/pto_orchestration_api.h"
#include "runtime/orchestration/orchestrator.h"

namespace svmrt {
namespace {

constexpr std::uint64_t kBuffer = std::uint64_t{1} << 40;
constexpr std::uint64_t kHeap = std::uint64_t{1} << 41;

// Has `build(tasks)` submit that many tasks to an orchestrator of its own, time and again.
template <typename Build>
void graph_of(benchmark::State& state, std::uint32_t tasks, Build build) {
  for (auto _ : state) {
    TensorAccess access(nullptr);
    OrchestratorConfig config;
    config.task_window = tasks + 1;
    config.tensor_map_entries = tasks + 1;
    config.heap_base = DeviceAddr(kHeap);
    config.heap_size = Bytes(std::uint64_t{1} << 36);
    Orchestrator orchestrator(access, config);
    pto2_bind_orchestration(&orchestrator.ops(), orchestrator.context());
    build(tasks);
    pto2_bind_orchestration(nullptr, nullptr);
    if (orchestrator.is_fatal()) state.SkipWithError(orchestrator.fatal_message().c_str());
  }
  svmsim::count_items(state, tasks);
}

ChipTensor floats(std::uint64_t address, std::uint32_t rows, std::uint32_t columns) {
  const std::uint32_t shape[] = {rows, columns};
  return make_tensor_external(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), shape, 2);
}

ChipTensor row_of(const ChipTensor& matrix, std::uint32_t row) {
  const std::uint32_t shape[] = {1, matrix.shapes[1]};
  const std::uint32_t offset[] = {row, 0};
  return matrix.view(shape, offset);
}

void chain(benchmark::State& state, std::uint32_t tasks) {
  graph_of(state, tasks, [](std::uint32_t count) {
    const ChipTensor tensor = floats(kBuffer, 16, 16);
    for (std::uint32_t i = 0; i < count; ++i) {
      CoreTaskArgs args;
      args.add_inout(tensor);
      rt_submit_aiv_task(0, args);
    }
  });
}

// One producer; every other task reads its output and writes a row of one buffer.
void fan_out(benchmark::State& state, std::uint32_t tasks) {
  graph_of(state, tasks, [](std::uint32_t count) {
    const ChipTensor rows = floats(kBuffer, count, 16);
    const std::uint32_t shape[] = {16};
    CoreTaskArgs produce;
    produce.add_output(TensorCreateInfo(shape, 1));
    const TaskOutputTensors produced = rt_submit_aiv_task(0, produce);
    for (std::uint32_t i = 1; i < count; ++i) {
      const ChipTensor row = row_of(rows, i);
      CoreTaskArgs args;
      args.add_input(produced.get_ref(0));
      args.add_output(row);
      rt_submit_aiv_task(0, args);
    }
  });
}

// Each task creates an output that the next one reads.
void created(benchmark::State& state, std::uint32_t tasks) {
  graph_of(state, tasks, [](std::uint32_t count) {
    const std::uint32_t shape[] = {16, 16};
    const TensorCreateInfo info(shape, 2);
    ChipTensor previous = floats(kBuffer, 16, 16);
    for (std::uint32_t i = 0; i < count; ++i) {
      CoreTaskArgs args;
      args.add_input(previous);
      args.add_output(info);
      const TaskOutputTensors made = rt_submit_aic_task(0, args);
      previous = made.get_ref(0);
    }
  });
}

// Every task accumulates into a row of one buffer that no other task touches.
void tiles_of_a_buffer(benchmark::State& state, std::uint32_t tasks) {
  graph_of(state, tasks, [](std::uint32_t count) {
    const ChipTensor rows = floats(kBuffer, count, 16);
    for (std::uint32_t i = 0; i < count; ++i) {
      const ChipTensor row = row_of(rows, i);
      CoreTaskArgs args;
      args.add_inout(row);
      rt_submit_aiv_task(0, args);
    }
  });
}

void add_all() {
  struct Graph {
    const char* name;
    void (*build)(benchmark::State&, std::uint32_t);
  };
  for (const Graph& graph : {Graph{"graph_chain", chain}, Graph{"graph_fan_out", fan_out},
                             Graph{"graph_created", created}, Graph{"graph_tiles", tiles_of_a_buffer}}) {
    for (const std::uint32_t tasks : {10u, 100u, 1000u, 10'000u, 100'000u}) {
      svmsim::add_row(graph.name, tasks, "tasks", [=](benchmark::State& state) { graph.build(state, tasks); });
    }
  }
}

}  // namespace
}  // namespace svmrt

int main(int argc, char** argv) {
  svmrt::add_all();
  return svmsim::run_rows(argc, argv);
}
