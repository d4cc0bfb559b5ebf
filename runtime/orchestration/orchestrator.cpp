// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/orchestrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/orchestration/tensor_check.h"
#include "runtime/orchestration/tensor_overlap.h"

namespace svmrt {

namespace {

// block_num times kernel slots is counted in 16 signed bits.
constexpr std::int32_t kMostSubtasks = 32767;

TensorUse use_of(TensorArgType tag) {
  switch (tag) {
    case TensorArgType::INPUT:
      return TensorUse::kInput;
    case TensorArgType::OUTPUT:
      return TensorUse::kOutput;
    case TensorArgType::INOUT:
      return TensorUse::kInout;
    case TensorArgType::OUTPUT_EXISTING:
      return TensorUse::kOutputExisting;
    case TensorArgType::NO_DEP:
      return TensorUse::kNoDep;
  }
  return TensorUse::kNoDep;
}

TaskPredicate materialize(const CoreTaskPredicate& predicate) {
  TaskPredicate result;
  result.tensor = *predicate.operand.tensor;
  result.index_count = predicate.operand.ndims;
  std::copy_n(predicate.operand.indices, MAX_TENSOR_DIMS, result.indices.begin());
  result.op = predicate.op;
  result.target = predicate.target;
  return result;
}

}  // namespace

Orchestrator::Orchestrator(TensorAccess& access, OrchestratorConfig config)
    : config_(std::move(config)),
      report_(std::move(config_.log)),
      heap_(config_.heap_base, config_.heap_size),
      writers_(config_.tensor_map_entries),
      io_(access, written_, report_) {}

bool Orchestrator::fatal(std::int32_t code, std::string message) {
  report_.raise(code, std::move(message));
  return false;
}

void Orchestrator::scope_begin(PTO2ScopeMode mode) {
  if (mode == PTO2ScopeMode::AUTO && in_manual_scope()) {
    fatal(PTO2_ERROR_INVALID_ARGS, "rt_scope_begin: an AUTO scope inside a MANUAL scope");
  } else if (scopes_.size() >= config_.scope_depth) {
    fatal(PTO2_ERROR_SCOPE_DEADLOCK, fmt::format("rt_scope_begin: more than {} nested scopes", config_.scope_depth));
  } else {
    scopes_.push_back(mode);
  }
}

void Orchestrator::scope_end() {
  if (scopes_.empty()) {
    fatal(PTO2_ERROR_INVALID_ARGS, "rt_scope_end: no scope is open");
  } else {
    scopes_.pop_back();
  }
}

TaskOutputTensors Orchestrator::submit(std::string_view call, const MixedKernels* kernels, const CoreTaskArgs& args) {
  TaskRecord record;
  if (!check_args(call, args)) return {};
  if (kernels != nullptr && !set_launch(call, *kernels, args, record)) return {};
  return add_task(call, args, record);
}

TaskOutputTensors Orchestrator::alloc(const CoreTaskArgs& args) {
  constexpr std::string_view kCall = "alloc_tensors";
  if (!check_args(kCall, args)) return {};
  bool only_infos =
      args.scalar_count() == 0 && args.dependency_count() == 0 && args.predicate().op == PredicateOp::NONE;
  for (std::int32_t i = 0; i < args.tensor_count(); ++i) only_infos &= args.tag(i) == TensorArgType::OUTPUT;
  if (args.tensor_count() == 0 || !only_infos) {
    fatal(PTO2_ERROR_INVALID_ARGS,
          fmt::format("{}: takes at least one TensorCreateInfo and nothing else (got {} tensor arguments, {} scalars, "
                      "{} dependencies)",
                      kCall, args.tensor_count(), args.scalar_count(), args.dependency_count()));
    return {};
  }
  TaskRecord record;
  record.kind = TaskKind::kAlloc;
  return add_task(kCall, args, record);
}

bool Orchestrator::check_args(std::string_view call, const CoreTaskArgs& args) {
  if (args.has_error) {
    return fatal(PTO2_ERROR_INVALID_ARGS,
                 fmt::format("{}: {}", call, args.error_msg != nullptr ? args.error_msg : "arguments with an error"));
  }
  for (std::int32_t i = 0; i < args.tensor_count(); ++i) {
    const TensorArgType tag = args.tag(i);
    const std::string defect =
        tag == TensorArgType::OUTPUT ? info_defect(args.create_info(i)) : tensor_defect(args.tensor(i).ref());
    if (!defect.empty()) {
      return fatal(PTO2_ERROR_INVALID_ARGS,
                   fmt::format("{}: tensor argument {} ({}): {}", call, i, get_tag_name(tag), defect));
    }
  }
  if (args.predicate().op == PredicateOp::NONE) return true;
  const std::string defect = tensor_defect(*args.predicate().operand.tensor);
  return defect.empty() || fatal(PTO2_ERROR_INVALID_ARGS, fmt::format("{}: predicate operand: {}", call, defect));
}

bool Orchestrator::set_launch(std::string_view call, const MixedKernels& kernels, const CoreTaskArgs& args,
                              TaskRecord& record) {
  const bool cube = kernels.aic_kernel_id >= 0;
  const std::int32_t vectors = (kernels.aiv0_kernel_id >= 0 ? 1 : 0) + (kernels.aiv1_kernel_id >= 0 ? 1 : 0);
  const std::int32_t slots = vectors + (cube ? 1 : 0);
  if (slots == 0) return fatal(PTO2_ERROR_INVALID_ARGS, fmt::format("{}: no active kernel slot", call));

  record.kind = slots > 1 ? TaskKind::kMixed : cube ? TaskKind::kCube : TaskKind::kVector;
  record.kernels.aic_kernel_id = std::max(kernels.aic_kernel_id, -1);
  record.kernels.aiv0_kernel_id = std::max(kernels.aiv0_kernel_id, -1);
  record.kernels.aiv1_kernel_id = std::max(kernels.aiv1_kernel_id, -1);
  if (record.kind == TaskKind::kVector && record.kernels.aiv0_kernel_id < 0) {
    std::swap(record.kernels.aiv0_kernel_id, record.kernels.aiv1_kernel_id);
  }

  const std::int16_t block_num = args.launch_spec.block_num();
  if (block_num < 1 || block_num * slots > kMostSubtasks) {
    return fatal(PTO2_ERROR_INVALID_ARGS, fmt::format("{}: block_num {} with {} kernel slots; block_num must be at "
                                                      "least 1 and the product at most {}",
                                                      call, block_num, slots, kMostSubtasks));
  }
  record.block_num = block_num;
  record.require_sync_start = args.launch_spec.require_sync_start();
  const std::int32_t capacity = record.kind == TaskKind::kVector ? config_.aiv_count : config_.cluster_count;
  if (record.require_sync_start && block_num > capacity) {
    return fatal(PTO2_ERROR_REQUIRE_SYNC_START_INVALID,
                 fmt::format("{}: require_sync_start with block_num {}, but only {} {} can start together", call,
                             block_num, capacity, record.kind == TaskKind::kVector ? "vector cores" : "clusters"));
  }
  return true;
}

TaskOutputTensors Orchestrator::add_task(std::string_view call, const CoreTaskArgs& args, TaskRecord record) {
  const std::uint32_t task = next_task();
  if (task >= config_.task_window) {
    fatal(PTO2_ERROR_FLOW_CONTROL_DEADLOCK,
          fmt::format("{}: the task window of {} tasks is full", call, config_.task_window));
    return {};
  }
  record.id = PTO2TaskId::make(0, task);
  record.allow_early_resolve = args.allow_early_resolve();
  record.timing_slot = static_cast<std::int8_t>(args.task_timing_slot());

  predecessors_.clear();
  listed_for_.push_back(0);
  if (!add_explicit_predecessors(call, args) || !collect_tensors(call, args) || !record_writers(call)) return {};
  std::sort(predecessors_.begin(), predecessors_.end());
  scalars_.clear();
  for (std::int32_t i = 0; i < args.scalar_count(); ++i) scalars_.push_back(args.scalar(i));
  if (args.predicate().op != PredicateOp::NONE) record.predicate = graph_.add_predicate(materialize(args.predicate()));
  graph_.add(record, tensors_, scalars_, predecessors_);
  return keep_outputs(record.id);
}

bool Orchestrator::add_predecessor(std::string_view call, std::uint32_t task) {
  const std::uint32_t mark = next_task() + 1;
  if (listed_for_[task] == mark) return true;
  if (predecessors_.size() >= config_.fan_in) {
    return fatal(PTO2_ERROR_DEP_POOL_OVERFLOW,
                 fmt::format("{}: task {} has more than {} predecessors", call, next_task(), config_.fan_in));
  }
  listed_for_[task] = mark;
  predecessors_.push_back(task);
  return true;
}

bool Orchestrator::add_explicit_predecessors(std::string_view call, const CoreTaskArgs& args) {
  for (std::uint32_t i = 0; i < args.dependency_count(); ++i) {
    const PTO2TaskId id = args.dependencies()[i];
    if (id.ring() != 0 || id.local() >= next_task()) {
      return fatal(PTO2_ERROR_INVALID_ARGS,
                   fmt::format("{}: dependency {} ({:#x}) is no submitted task", call, i, id.raw));
    }
    if (!add_predecessor(call, id.local())) return false;
  }
  return true;
}

bool Orchestrator::collect_tensors(std::string_view call, const CoreTaskArgs& args) {
  tensors_.clear();
  for (std::int32_t i = 0; i < args.tensor_count(); ++i) {
    TaskTensor& argument = tensors_.emplace_back();
    argument.use = use_of(args.tag(i));
    if (argument.use == TensorUse::kOutput) {
      if (!create_output(call, i, args.create_info(i), argument.tensor)) return false;
    } else {
      argument.tensor = args.tensor(i).ref();
      if (!infer_predecessors(call, i, argument)) return false;
    }
  }
  return true;
}

bool Orchestrator::infer_predecessors(std::string_view call, std::int32_t position, const TaskTensor& argument) {
  const ChipTensor& tensor = argument.tensor;
  if (in_manual_scope() || argument.use == TensorUse::kNoDep) return true;
  if (tensor.owner_task_id.is_valid()) {
    const PTO2TaskId owner = tensor.owner_task_id;
    if (owner.ring() != 0 || owner.local() >= next_task()) {
      return fatal(PTO2_ERROR_INVALID_ARGS, fmt::format("{}: tensor {} at {:#x} names an owner ({:#x}) that is no "
                                                        "submitted task",
                                                        call, position, tensor.buffer.addr, owner.raw));
    }
    if (!add_predecessor(call, owner.local())) return false;
  }
  if (tensor.manual_dep || argument.use == TensorUse::kOutputExisting) return true;
  const auto covered = argument.use == TensorUse::kInout ? CoveredWriters::kReplace : CoveredWriters::kKeep;
  found_writers_.clear();
  writers_.find_writers(tensor, covered, found_writers_);
  return std::all_of(found_writers_.begin(), found_writers_.end(),
                     [&](std::uint32_t writer) { return add_predecessor(call, writer); });
}

bool Orchestrator::create_output(std::string_view call, std::int32_t position, const TensorCreateInfo& info,
                                 ChipTensor& tensor) {
  tensor.set_row_major(info.shapes(), info.ndims());
  tensor.dtype = info.dtype();
  tensor.manual_dep = info.manual_dep();
  tensor.address_space = AddressSpace::DEVICE;
  tensor.owner_task_id = PTO2TaskId::make(0, next_task());
  tensor.buffer.size = tensor.nbytes();
  const auto address = heap_.allocate(Bytes(tensor.buffer.size));
  if (!address) {
    return fatal(PTO2_ERROR_HEAP_RING_DEADLOCK,
                 fmt::format("{}: output {} of {} bytes does not fit the runtime heap at {:#x} ({} of {} bytes used)",
                             call, position, tensor.buffer.size, config_.heap_base.value(), heap_.used().count(),
                             heap_.size().count()));
  }
  tensor.buffer.addr = address->value();
  return true;
}

bool Orchestrator::inside_heap(const ChipTensor& tensor) const {
  const ByteRange range = byte_range(tensor);
  return span_inside(DeviceAddr(tensor.buffer.addr + range.first), Bytes(range.end - range.first), config_.heap_base,
                     config_.heap_size);
}

bool Orchestrator::record_writers(std::string_view call) {
  for (const TaskTensor& argument : tensors_) {
    if (argument.use != TensorUse::kInout && argument.use != TensorUse::kOutputExisting) continue;
    // Memory inside the heap is most of what tasks write, and lies in no region: no host access reaches it.
    if (!inside_heap(argument.tensor)) written_.record(next_task(), argument.tensor);
    if (in_manual_scope() || argument.tensor.manual_dep) continue;
    if (!writers_.record(next_task(), argument.tensor)) {
      return fatal(
          PTO2_ERROR_TENSORMAP_OVERFLOW,
          fmt::format("{}: the TensorMap pool of {} entries is full; no room for the writer of {} bytes at {:#x}", call,
                      config_.tensor_map_entries, argument.tensor.nbytes(), argument.tensor.buffer.addr));
    }
  }
  return true;
}

TaskOutputTensors Orchestrator::keep_outputs(PTO2TaskId id) {
  const auto is_output = [](const TaskTensor& argument) { return argument.use == TensorUse::kOutput; };
  const auto count = static_cast<std::size_t>(std::count_if(tensors_.begin(), tensors_.end(), is_output));
  if (count == 0) return TaskOutputTensors(id, nullptr, 0);
  if (count > kOutputBlock - output_block_used_) {
    output_blocks_.push_back(std::make_unique<ChipTensor[]>(kOutputBlock));
    output_block_used_ = 0;
  }
  ChipTensor* const first = &output_blocks_.back()[output_block_used_];
  output_block_used_ += count;
  ChipTensor* next = first;
  for (const TaskTensor& argument : tensors_) {
    if (is_output(argument)) *next++ = argument.tensor;
  }
  return TaskOutputTensors(id, first, static_cast<std::uint32_t>(count));
}

}  // namespace svmrt
