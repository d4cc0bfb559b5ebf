// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/observed_callable.h"

namespace svmsim {

namespace {

// What the orchestration gets as its context.
struct Observed {
  const Pto2Ops& ops;
  void* context;
  Oracle& oracle;
};

// forward<&Pto2Ops::submit> calls the runtime's own entry with the runtime's own context.
template <auto Entry>
struct Forward;
template <typename Result, typename... Args, Result (*Pto2Ops::*Entry)(void*, Args...)>
struct Forward<Entry> {
  static Result call(void* context, Args... args) {
    const Observed& observed = *static_cast<Observed*>(context);
    return (observed.ops.*Entry)(observed.context, args...);
  }
};

// Tells the oracle when an access begins and, at the end of the scope, how it ended.
class ObservedAccess {
 public:
  ObservedAccess(void* context, const ChipTensor& tensor, std::uint32_t ndims, const std::uint32_t* indices)
      : observed_(*static_cast<Observed*>(context)), width_(get_element_size(tensor.dtype)) {
    // What the runtime refuses before it looks anything up has no address; 0 lies in no tensor.
    const bool addressable = tensor.buffer.addr != 0 && indices != nullptr;
    if (addressable) address_ = DeviceAddr(tensor.buffer.addr + tensor.compute_flat_offset(indices, ndims) * width_);
    observed_.oracle.access_begins();
  }
  ObservedAccess(const ObservedAccess&) = delete;
  ObservedAccess& operator=(const ObservedAccess&) = delete;
  ~ObservedAccess() {
    const bool failed = observed_.ops.is_fatal(observed_.context);
    observed_.oracle.access_ended(address_, Bytes(width_),
                                  failed ? Oracle::AccessOutcome::kFailed : Oracle::AccessOutcome::kSucceeded);
  }
  [[nodiscard]] const Pto2Ops& ops() const { return observed_.ops; }
  [[nodiscard]] void* context() const { return observed_.context; }

 private:
  const Observed& observed_;
  std::uint64_t width_;
  DeviceAddr address_;
};

std::uint64_t observed_get(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices) {
  const ObservedAccess access(context, *tensor, ndims, indices);
  return access.ops().get_tensor_data(access.context(), tensor, ndims, indices);
}

void observed_set(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices,
                  std::uint64_t bits) {
  const ObservedAccess access(context, *tensor, ndims, indices);
  access.ops().set_tensor_data(access.context(), tensor, ndims, indices, bits);
}

}  // namespace

svmrt::Result<std::int32_t> ObservedCallable::expected_arg_count(const ChipTaskArgs& args) {
  return inner_.expected_arg_count(args);
}

svmrt::Result<void> ObservedCallable::invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
  Pto2Ops table;
  table.get_tensor_data = observed_get;
  table.set_tensor_data = observed_set;
  table.alloc_tensors = Forward<&Pto2Ops::alloc_tensors>::call;
  table.submit = Forward<&Pto2Ops::submit>::call;
  table.scope_begin = Forward<&Pto2Ops::scope_begin>::call;
  table.scope_end = Forward<&Pto2Ops::scope_end>::call;
  table.available_cluster_count = Forward<&Pto2Ops::available_cluster_count>::call;
  table.available_aiv_count = Forward<&Pto2Ops::available_aiv_count>::call;
  table.is_fatal = Forward<&Pto2Ops::is_fatal>::call;
  table.report_fatal = Forward<&Pto2Ops::report_fatal>::call;
  table.log = Forward<&Pto2Ops::log>::call;
  Observed observed{ops, context, oracle_};
  return inner_.invoke(args, table, &observed);
}

}  // namespace svmsim
