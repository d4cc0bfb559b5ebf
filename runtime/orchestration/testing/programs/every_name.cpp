// SPDX-License-Identifier: Apache-2.0
// Uses every public name once, as orchestrations do, and defines the names that the header must leave to them. It is
// compiled, never run.
#include <iostream>

#include "pto_arg_with_deps.h"
#include "pto_orchestration_api.h"
#include "runtime.h"

#define CYCLE_COUNT_START() const std::uint64_t started = get_sys_cnt_aicpu()
#define CYCLE_COUNT_LAP(sum) (sum) += get_sys_cnt_aicpu() - started
#define PROF_INC(counter, amount) (counter) += (amount)

extern "C" __attribute__((visibility("default"))) std::uint64_t get_sys_cnt_aicpu();
std::uint64_t get_sys_cnt_aicpu() { return 1; }
static double cycles_to_us(std::uint64_t cycles) { return static_cast<double>(cycles) / 50.0; }

static_assert(static_cast<int>(DataType::FLOAT32) == 0 && static_cast<int>(DataType::FLOAT16) == 1 &&
              static_cast<int>(DataType::INT32) == 2 && static_cast<int>(DataType::INT16) == 3 &&
              static_cast<int>(DataType::INT8) == 4 && static_cast<int>(DataType::UINT8) == 5 &&
              static_cast<int>(DataType::BFLOAT16) == 6 && static_cast<int>(DataType::INT64) == 7 &&
              static_cast<int>(DataType::UINT64) == 8 && static_cast<int>(DataType::UINT16) == 9 &&
              static_cast<int>(DataType::UINT32) == 10 && static_cast<int>(DataType::BOOL) == 11 &&
              static_cast<int>(DataType::FP8E4M3FN) == 12 && static_cast<int>(DataType::FP8E8M0) == 13 &&
              static_cast<int>(DataType::FP4E2M1) == 14);
static_assert(PTO2_ERROR_NONE == 0 && PTO2_ERROR_SCOPE_DEADLOCK == 1 && PTO2_ERROR_HEAP_RING_DEADLOCK == 2 &&
              PTO2_ERROR_FLOW_CONTROL_DEADLOCK == 3 && PTO2_ERROR_DEP_POOL_OVERFLOW == 4 &&
              PTO2_ERROR_INVALID_ARGS == 5 && PTO2_ERROR_REQUIRE_SYNC_START_INVALID == 7 &&
              PTO2_ERROR_TENSOR_WAIT_TIMEOUT == 8 && PTO2_ERROR_EXPLICIT_ORCH_FATAL == 9 &&
              PTO2_ERROR_SCOPE_TASKS_OVERFLOW == 10 && PTO2_ERROR_TENSORMAP_OVERFLOW == 11);

static void use_tensor(const ChipTensor& tensor) {
  const std::uint32_t shapes[MAX_TENSOR_DIMS] = {1, 1, 1, 1, 1};
  const std::uint32_t zeros[MAX_TENSOR_DIMS] = {};
  const std::uint32_t order[] = {1, 0};
  ChipTensor copy = tensor.view(shapes, zeros);
  copy = tensor.view(shapes, zeros, true);
  copy = tensor.reshape(shapes, 5);
  copy = tensor.transpose(0, 1);
  copy = tensor.permute(order);
  copy = tensor.slice(0, 0, 1, 1);
  copy = make_tensor_external(tensor.data_as<void>(), shapes, 2, DataType::INT32, false, 0, AddressSpace::DEVICE);
  copy = make_tensor_strided(tensor.data_as<float>(), shapes, shapes, 2);
  const std::uint64_t sum = copy.buffer.addr + copy.buffer.size + copy.start_offset + copy.ndims + copy.shapes[0] +
                            copy.strides[0] + copy.extent_elem_cache + copy.numel() + copy.nbytes() +
                            copy.extent_elem() + copy.compute_flat_offset(zeros, 1) + get_element_size(copy.dtype);
  if (copy.owner_task_id.is_valid() || copy.manual_dep || copy.is_contiguous || copy.is_device_memory() ||
      copy.version != 0 || copy.address_space == AddressSpace::HOST) {
    std::cout << copy.dump() << sum << get_dtype_name(copy.dtype) << "\n";
  }
}

static void submit_all(const ChipTensor& tensor, const ChipTaskArgs& chip_args) {
  const std::uint32_t shape[] = {16};
  const TensorCreateInfo info(shape, 1, DataType::BFLOAT16, false);
  const TensorCreateInfo infos[] = {info, info};
  const TaskOutputTensors allocated = alloc_tensors(info, info);
  const TaskOutputTensors array = alloc_tensors(infos, 2);
  CoreTaskArgs only_infos;
  only_infos.add_output(info);
  const TaskOutputTensors from_args = alloc_tensors(only_infos);
  if (allocated.empty() || array.size() != 2 || !from_args.task_id().is_valid()) return;

  CoreTaskArgs args;
  const std::uint64_t wide[] = {1, 2};
  const std::int32_t narrow[] = {-1, -2};
  const PTO2TaskId dependencies[] = {PTO2TaskId::make(0, 0), PTO2TaskId::invalid()};
  CoreTaskPredicate predicate;
  predicate.operand.tensor = &tensor;
  predicate.operand.ndims = 1;
  predicate.operand.indices[0] = 0;
  predicate.op = PredicateOp::NE;
  predicate.target = 0;
  args.add_input(tensor, allocated.get_ref(0));
  args.add_inout(allocated.get_ref(1));
  args.add_no_dep(tensor);
  args.add_output(tensor);
  args.add_output(info, info);
  args.add_scalar(1, 2.0F, std::uint64_t{3});
  args.add_scalars(wide, 2);
  args.add_scalars_i32(narrow, 2);
  args.copy_scalars_from(chip_args, 0, 1);
  args.set_dependencies(dependencies, 1);
  args.launch_spec.set_block_num(2);
  args.launch_spec.set_require_sync_start(true);
  args.set_allow_early_resolve(true);
  args.set_predicate(predicate);
  args.set_task_timing_slot(15);
  if (args.has_error) LOG_ERROR("%s %s", args.error_msg, args.dump().c_str());

  MixedKernels kernels;
  kernels.aic_kernel_id = 0;
  kernels.aiv0_kernel_id = 1;
  kernels.aiv1_kernel_id = 2;
  CoreTaskArgsWithDeps<> with_deps;
  with_deps.add_dep(rt_submit_task(kernels, args).task_id(), rt_submit_aic_task(0, args).task_id());
  rt_submit_task(kernels, with_deps);
  rt_submit_aic_task(0, with_deps);
  rt_submit_aiv_task(1, with_deps);
  rt_submit_dummy_task(with_deps);
  with_deps.reset();
  rt_submit_aiv_task(1, args);
  rt_submit_dummy_task(args);
}

static void build_graph(const GraphTaskArgs& args, int repeat) {
  for (int i = 0; i < repeat; ++i) {
    CoreTaskArgs task;
    ChipTensor tensor = args.tensor(0).ref();
    task.add_inout(tensor);
    rt_submit_aiv_task(0, task);
  }
}

static void submit_graphs(const ChipTensor& tensor) {
  GraphTaskArgs args;
  args.add_inout(tensor);
  args.add_scalar(std::uint64_t{1});
  GraphSubmitResult result = rt_submit_graph(build_graph, args, 2);
  result = rt_submit_graph(7, build_graph, args, 2);
  result = rt_submit_graph([](const GraphTaskArgs&) {}, args);
  if (result.empty() && result.size() == 0 && !result.task_id().is_valid() && !result.first_task_id().is_valid()) {
    LOG_DEBUG("an empty graph");
  }
  if (rt_graph_begin() && rt_graph_prepare(args) && rt_graph_end()) result = rt_graph_commit();
  if (rt_graph_begin(8)) rt_graph_abort();
}

extern "C" {
__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& args) {
  PTO2OrchestrationConfig config{};
  config.expected_arg_count = args.tensor_count() + args.scalar_count();
  return config;
}
__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& args) {
  std::uint64_t cycles = 0;
  CYCLE_COUNT_START();
  const ChipTensor& tensor = args.tensor(0).ref();
  const GraphTaskArgs graph_args;
  if (args.tag(0) == TensorArgType::INPUT && graph_args.tensor_count() == 0) use_tensor(tensor);
  const std::uint32_t index[] = {0};
  const float value = get_tensor_data<float>(tensor, 1, index);
  set_tensor_data<float>(tensor, 1, index, value);
  set_tensor_data(tensor, 1, index, get_tensor_data(tensor, 1, index) + to_u64(from_u64<float>(args.scalar(0))));
  PTO2_SCOPE() {
    PTO2_SCOPE_GUARD();
    submit_all(tensor, args);
    submit_graphs(tensor);
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) { submit_all(tensor, args); }
  }
  rt_scope_begin();
  rt_scope_begin(PTO2ScopeMode::MANUAL);
  rt_scope_end();
  rt_scope_end();
  CYCLE_COUNT_LAP(cycles);
  PROF_INC(cycles, 1);
  LOG_WARN("plain");
  LOG_TIMING("%f us", cycles_to_us(cycles));
  LOG_INFO("%d", rt_available_cluster_count());
  LOG_DEBUG("%d", rt_available_aiv_count());
  if (!rt_is_fatal()) rt_report_fatal(PTO2_ERROR_EXPLICIT_ORCH_FATAL, "%s", "done");
}
}
