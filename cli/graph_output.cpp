// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_output.h"

#include <fmt/format.h>

#include <utility>

#include "sim/output/json_document.h"

namespace svmsim {

using svmrt::TaskKind;
using svmrt::TaskRecord;
using svmrt::TensorUse;

namespace {

const char* kind_name(TaskKind kind) {
  switch (kind) {
    case TaskKind::kAlloc:
      return "alloc";
    case TaskKind::kDummy:
      return "dummy";
    case TaskKind::kCube:
      return "cube";
    case TaskKind::kVector:
      return "vector";
    case TaskKind::kMixed:
      return "mixed";
  }
  return "";
}

const char* use_name(TensorUse use) {
  switch (use) {
    case TensorUse::kInput:
      return "input";
    case TensorUse::kInout:
      return "inout";
    case TensorUse::kOutput:
      return "output";
    case TensorUse::kOutputExisting:
      return "output_existing";
    case TensorUse::kNoDep:
      return "no_dep";
  }
  return "";
}

const char* predicate_name(PredicateOp op) {
  switch (op) {
    case PredicateOp::NONE:
      return "none";
    case PredicateOp::EQ:
      return "==";
    case PredicateOp::NE:
      return "!=";
    case PredicateOp::GT:
      return ">";
    case PredicateOp::LT:
      return "<";
    case PredicateOp::GE:
      return ">=";
    case PredicateOp::LE:
      return "<=";
  }
  return "";
}

struct Slot {
  const char* core;
  std::int32_t function;
};

std::vector<Slot> filled_slots(const TaskRecord& task) {
  std::vector<Slot> slots;
  for (const Slot& slot : {Slot{"cube", task.kernels.aic_kernel_id}, Slot{"vector", task.kernels.aiv0_kernel_id},
                           Slot{"vector", task.kernels.aiv1_kernel_id}}) {
    if (slot.function >= 0) slots.push_back(slot);
  }
  return slots;
}

Json tensor_json(const ChipTensor& tensor, svmrt::DeviceAddr origin) {
  Json json;
  // Below the origin lies what is no device memory of this machine; the difference then wraps, like the address.
  json["address"] = fmt::format("{:#x}", tensor.buffer.addr - origin.value());
  json["start_offset"] = tensor.start_offset;
  json["dtype"] = get_dtype_name(tensor.dtype);
  json["shape"] = std::vector<std::uint32_t>(tensor.shapes, tensor.shapes + tensor.ndims);
  json["strides"] = std::vector<std::uint32_t>(tensor.strides, tensor.strides + tensor.ndims);
  if (tensor.owner_task_id.is_valid()) json["created_by"] = tensor.owner_task_id.local();
  return json;
}

Json task_json(const svmrt::TaskGraph& graph, const TaskRecord& task, const KernelTable& kernels,
               svmrt::DeviceAddr origin) {
  Json json;
  json["task"] = task.id.local();
  json["kind"] = kind_name(task.kind);
  json["kernels"] = Json::array();
  for (const Slot& slot : filled_slots(task)) {
    json["kernels"].push_back(
        Json{{"core", slot.core}, {"func_id", slot.function}, {"name", kernels.name_of(slot.function)}});
  }
  json["block_num"] = task.block_num;
  if (task.require_sync_start) json["require_sync_start"] = true;
  if (task.allow_early_resolve) json["allow_early_resolve"] = true;
  if (const svmrt::TaskPredicate* const predicate = graph.predicate(task)) {
    Json condition = tensor_json(predicate->tensor, origin);
    condition["indices"] =
        std::vector<std::uint32_t>(predicate->indices.begin(), predicate->indices.begin() + predicate->index_count);
    condition["op"] = predicate_name(predicate->op);
    condition["target"] = predicate->target;
    json["predicate"] = std::move(condition);
  }
  json["predecessors"] = graph.predecessors(task);
  json["tensors"] = Json::array();
  for (const svmrt::TaskTensor& argument : graph.tensors(task)) {
    Json tensor{{"use", use_name(argument.use)}};
    tensor.update(tensor_json(argument.tensor, origin));
    json["tensors"].push_back(std::move(tensor));
  }
  json["scalars"] = graph.scalars(task);
  return json;
}

// Between double quotes, in DOT: a backslash and a quote are escaped.
std::string dot_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string task_dot(const svmrt::TaskGraph& graph, const TaskRecord& task, const KernelTable& kernels) {
  std::string label = fmt::format("{}", task.id.local());
  for (const Slot& slot : filled_slots(task)) label += ' ' + dot_text(kernels.name_of(slot.function));
  label += fmt::format("\\n{}", kind_name(task.kind));
  if (task.block_num != 1) label += fmt::format(" x {}", task.block_num);
  const bool conditional = graph.predicate(task) != nullptr;
  std::string text =
      fmt::format("  t{} [label=\"{}\"{}];\n", task.id.local(), label, conditional ? ", style=dashed" : "");
  for (const std::uint32_t predecessor : graph.predecessors(task)) {
    text += fmt::format("  t{} -> t{};\n", predecessor, task.id.local());
  }
  return text;
}

}  // namespace

tl::expected<GraphOutput, std::string> GraphOutput::create(const std::string& path) {
  const auto ends_in = [&](std::string_view suffix) {
    return path.size() > suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  };
  if (!ends_in(".json") && !ends_in(".dot")) return tl::unexpected(std::string("the name ends in neither"));
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(file.error());
  return GraphOutput(std::move(*file), ends_in(".json") ? Format::kJson : Format::kDot);
}

void GraphOutput::write(std::string_view scene, const svmrt::TaskGraph& graph, const KernelTable& kernels,
                        svmrt::DeviceAddr origin) {
  written_ = true;
  // A line per task: a graph of a hundred thousand is never one string.
  if (format_ == Format::kDot) {
    file_->write(fmt::format("digraph \"{}\" {{\n  node [shape=box];\n", dot_text(scene)));
    for (const TaskRecord& task : graph.tasks()) file_->write(task_dot(graph, task, kernels));
    file_->write("}\n");
    return;
  }
  file_->write(fmt::format("{{\"scene\": {}, \"tasks\": [", line_text(Json(scene))));
  const char* separator = "\n";
  for (const TaskRecord& task : graph.tasks()) {
    file_->write(separator + line_text(task_json(graph, task, kernels, origin)));
    separator = ",\n";
  }
  file_->write("\n]}\n");
}

tl::expected<void, std::string> GraphOutput::finish() {
  if (!written_) return {};
  return file_->finish();
}

}  // namespace svmsim
