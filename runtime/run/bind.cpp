// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/bind.h"

#include <fmt/format.h>

#include "runtime/policy.h"

namespace svmrt {

namespace {

ChipTensor descriptor_of(const TensorArgument& argument, DeviceAddr address) {
  const bool child = argument.residency == Residency::kChildMemory;
  ChipTensor tensor;
  tensor.buffer = {address.value(), argument.size().count()};
  tensor.set_row_major(argument.shape.data(), static_cast<std::uint32_t>(argument.shape.size()));
  tensor.dtype = argument.dtype;
  tensor.address_space = child ? AddressSpace::DEVICE : AddressSpace::HOST;
  return tensor;
}

Error staging_error(const char* what, const TensorArgument& argument, Error reason) {
  reason.message = fmt::format("cannot {} {} bytes of staged tensor '{}': {}", what, argument.size().count(),
                               argument.name, reason.message);
  return reason;
}

}  // namespace

Result<std::unique_ptr<BoundRun>> BoundRun::open(DeviceRunner& runner, const RunRequest& request) {
  auto context = runner.open_run();
  if (!context) return tl::unexpected(context.error());
  return std::unique_ptr<BoundRun>(new BoundRun(runner, request, std::move(*context)));
}

BoundRun::BoundRun(DeviceRunner& runner, const RunRequest& request, std::unique_ptr<RunContext> context)
    : runner_(runner),
      request_(request),
      context_(std::move(context)),
      access_(&context_->api()),
      orchestrator_(std::make_unique<Orchestrator>(access_, request.orchestrator)),
      addresses_(request.tensors.size()) {
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    if (request.tensors[i].residency == Residency::kChildMemory) addresses_[i] = request.child_memory[i];
  }
}

BoundRun::~BoundRun() {
  context_->close_host_views();  // bind() did, unless it was never called
  (void)free_staged();           // the runner logs and counts what fails
}

Picoseconds BoundRun::now() const { return context_->driver().now_ps(context_->timeline()); }

Result<void> BoundRun::bind() {
  const Picoseconds begin = now();
  auto result = stage().and_then([&] { return claim_regions(); }).and_then([&] { return orchestrate(); });
  if (!result) context_->withdraw_produced();
  close_host_views();
  report_.bind_time = now() - begin;
  return result;
}

Result<void> BoundRun::stage() {
  for (std::size_t i = 0; i < request_.tensors.size(); ++i) {
    if (auto staged = stage_one(i); !staged) return staged;
  }
  return {};
}

Result<void> BoundRun::stage_one(std::size_t index) {
  const TensorArgument& argument = request_.tensors[index];
  if (argument.residency == Residency::kChildMemory) return {};
  const HostApi& api = context_->api();
  addresses_[index] = DeviceAddr(api.device_malloc(api.context, argument.size().count()));
  if (addresses_[index].is_null()) {
    return tl::unexpected(staging_error("allocate", argument, context_->last_failure()));
  }
  if (argument.direction == Direction::kOut) return {};
  const Picoseconds begin = now();
  const auto code = static_cast<DriverCode>(
      api.copy_to_device(api.context, addresses_[index].value(), argument.host, argument.size().count()));
  report_.upload_time += now() - begin;
  if (code != DriverCode::kNone) return tl::unexpected(staging_error("upload", argument, context_->last_failure()));
  return {};
}

Result<void> BoundRun::claim_regions() {
  for (std::size_t i = 0; i < request_.tensors.size(); ++i) {
    const TensorArgument& argument = request_.tensors[i];
    const DeviceAddr address = addresses_[i];
    bool claimed = false;
    if (!argument.has_data) {
      claimed = access_.add_without_data(address, argument.size());
    } else if (argument.direction == Direction::kOut) {
      claimed = access_.add_output_only(address, argument.size());
    } else if (argument.residency == Residency::kChildMemory) {
      claimed = access_.claim_child_memory(address, argument.size());
    } else {
      claimed = access_.add_staged(address, argument.host, argument.size());
    }
    if (!claimed) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("tensor '{}' ({} bytes at {:#x}) cannot be an argument: it is empty, unallocated or has "
                              "no host buffer",
                              argument.name, argument.size().count(), address.value()));
    }
  }
  declare_produced();
  if (runner_.policy() == Policy::kRegisterAll) map_all_child_memory();
  return {};
}

// What is staged is this run's alone.
void BoundRun::declare_produced() {
  std::vector<ProducedRanges::Range> ranges;
  for (std::size_t i = 0; i < request_.tensors.size(); ++i) {
    const TensorArgument& argument = request_.tensors[i];
    if (argument.residency != Residency::kChildMemory || argument.direction == Direction::kIn) continue;
    ranges.push_back({addresses_[i], argument.size()});
  }
  context_->declare_produced(std::move(ranges));
}

void BoundRun::map_all_child_memory() {
  access_.resolve_all();
  // Outputs and tensors without data are refused to the orchestration, so no region of it asks for their views.
  const HostApi& api = context_->api();
  for (std::size_t i = 0; i < request_.tensors.size(); ++i) {
    const TensorArgument& argument = request_.tensors[i];
    const bool refused = argument.direction == Direction::kOut || !argument.has_data;
    if (argument.residency != Residency::kChildMemory || !refused) continue;
    void* view = nullptr;
    const auto status =
        api.acquire_child_memory_host_view(api.context, addresses_[i].value(), argument.size().count(), &view);
    if (status != HostViewStatus::kMapped) continue;
    ++report_.regions_with_view;
    report_.region_bytes_with_view += argument.size();
  }
}

Result<void> BoundRun::orchestrate() {
  ChipTaskArgs arguments;
  std::vector<ChipTensor> descriptors;
  descriptors.reserve(request_.tensors.size());  // the argument list borrows them
  for (std::size_t i = 0; i < request_.tensors.size(); ++i) {
    descriptors.push_back(descriptor_of(request_.tensors[i], addresses_[i]));
    ChipTensor& tensor = descriptors.back();
    switch (request_.tensors[i].direction) {
      case Direction::kIn:
        arguments.add_input(tensor);
        break;
      case Direction::kInout:
        arguments.add_inout(tensor);
        break;
      case Direction::kOut:
        arguments.add_output(tensor);
        break;
    }
  }
  for (const std::uint64_t scalar : request_.scalars) arguments.add_scalar(scalar);
  if (arguments.has_error) return fail(ErrorCode::kInvalidArgument, arguments.error_msg);

  const auto expected = request_.callable->expected_arg_count(arguments);
  if (!expected) {
    report_.orch_error_code = expected.error().orchestration_code;
    return tl::unexpected(expected.error());
  }
  const auto given = arguments.tensor_count() + arguments.scalar_count();
  if (*expected != given) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the orchestration takes {} arguments, but {} tensors and {} scalars are given", *expected,
                            arguments.tensor_count(), arguments.scalar_count()));
  }
  auto invoked = request_.callable->invoke(arguments, orchestrator_->ops(), orchestrator_->context());
  report_.tasks = orchestrator_->graph().tasks().size();
  report_.orch_error_code = orchestrator_->fatal_code();
  if (orchestrator_->is_fatal()) return orchestrator_->result();
  if (!invoked) report_.orch_error_code = invoked.error().orchestration_code;
  return invoked;
}

void BoundRun::close_host_views() {
  const Picoseconds begin = now();
  access_.close();
  context_->close_host_views();
  report_.host_view_close_time = now() - begin;
  const MappingStats& mappings = context_->mapping_stats();
  const AccessStats& accesses = access_.stats();
  report_.mappings_established = mappings.established;
  report_.mappings_refused = mappings.refused;
  report_.map_time = mappings.map_time;
  report_.unmap_time = mappings.unmap_time;
  report_.mappings_held = runner_.held().count;
  report_.bytes_held = runner_.held().bytes;
  report_.regions_with_view += accesses.regions_with_view;
  report_.region_bytes_with_view += accesses.bytes_with_view;
  report_.device_copies = accesses.device_copies;
  report_.accesses = accesses.accesses;
  report_.staged_writes = accesses.staged_writes;
  report_.copy_time = accesses.copy_time;
  report_.push_time = accesses.push_time;
}

Result<void> BoundRun::execute(Executor& executor) {
  auto executed = executor.execute(context_->timeline(), orchestrator_->graph());
  context_->withdraw_produced();
  if (!executed) return tl::unexpected(executed.error());
  report_.device_time = executed->device_time;
  return {};
}

Result<void> BoundRun::finish() {
  Result<void> result;
  const HostApi& api = context_->api();
  const Picoseconds begin = now();
  for (std::size_t i = 0; i < request_.tensors.size(); ++i) {
    const TensorArgument& argument = request_.tensors[i];
    if (argument.residency != Residency::kStaged || argument.direction == Direction::kIn) continue;
    const auto code = static_cast<DriverCode>(
        api.copy_from_device(api.context, argument.host, addresses_[i].value(), argument.size().count()));
    if (code != DriverCode::kNone && result) {
      result = tl::unexpected(staging_error("bring back", argument, context_->last_failure()));
    }
  }
  report_.download_time = now() - begin;
  auto freed = free_staged();
  return result ? freed : result;
}

Result<void> BoundRun::free_staged() {
  Result<void> result;
  const HostApi& api = context_->api();
  for (std::size_t i = addresses_.size(); i-- > 0;) {
    const TensorArgument& argument = request_.tensors[i];
    if (argument.residency != Residency::kStaged || addresses_[i].is_null()) continue;
    const std::int32_t code = api.device_free(api.context, addresses_[i].value());
    if (code != 0 && result) {
      result = tl::unexpected(staging_error("free", argument, context_->last_failure()));
    }
    addresses_[i] = DeviceAddr();
  }
  return result;
}

}  // namespace svmrt
