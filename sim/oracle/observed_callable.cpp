// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/observed_callable.h"

namespace svmsim {

namespace {

// What the orchestration gets as its context.
struct Observed {
  const Pto2Ops& ops;
  void* context;
  Oracle& oracle;
  TimelineId run;
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

// The oracle's view of one element access, between its begin and its end.
class ObservedAccess {
 public:
  ObservedAccess(const Observed& observed, const ChipTensor& tensor, std::uint32_t ndims, const std::uint32_t* indices)
      : observed_(observed) {
    access_.run = observed.run;
    access_.size = Bytes(get_element_size(tensor.dtype));
    // What the runtime refuses before it looks anything up has no address; 0 lies in no tensor.
    if (tensor.buffer.addr != 0 && indices != nullptr) {
      access_.address =
          DeviceAddr(tensor.buffer.addr + tensor.compute_flat_offset(indices, ndims) * access_.size.count());
    }
    observed.oracle.access_begins(access_.run, access_.address, access_.size);
  }
  // `bits` is the element in its low bytes, which on a little-endian host come first.
  void ended(bool is_write, std::uint64_t bits) {
    Oracle::Access access = access_;
    access.is_write = is_write;
    access.bytes = &bits;
    const bool failed = observed_.ops.is_fatal(observed_.context);
    observed_.oracle.access_ended(access, failed ? Oracle::AccessOutcome::kFailed : Oracle::AccessOutcome::kSucceeded);
  }

 private:
  const Observed& observed_;
  Oracle::Access access_;
};

std::uint64_t observed_get(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices) {
  const Observed& observed = *static_cast<Observed*>(context);
  ObservedAccess access(observed, *tensor, ndims, indices);
  const std::uint64_t bits = observed.ops.get_tensor_data(observed.context, tensor, ndims, indices);
  access.ended(false, bits);
  return bits;
}

void observed_set(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices,
                  std::uint64_t bits) {
  const Observed& observed = *static_cast<Observed*>(context);
  ObservedAccess access(observed, *tensor, ndims, indices);
  observed.ops.set_tensor_data(observed.context, tensor, ndims, indices, bits);
  access.ended(true, bits);
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
  table.graph_begin = Forward<&Pto2Ops::graph_begin>::call;
  table.graph_prepare = Forward<&Pto2Ops::graph_prepare>::call;
  table.graph_abort = Forward<&Pto2Ops::graph_abort>::call;
  table.graph_end = Forward<&Pto2Ops::graph_end>::call;
  table.graph_commit = Forward<&Pto2Ops::graph_commit>::call;
  table.available_cluster_count = Forward<&Pto2Ops::available_cluster_count>::call;
  table.available_aiv_count = Forward<&Pto2Ops::available_aiv_count>::call;
  table.is_fatal = Forward<&Pto2Ops::is_fatal>::call;
  table.report_fatal = Forward<&Pto2Ops::report_fatal>::call;
  table.log = Forward<&Pto2Ops::log>::call;
  Observed observed{ops, context, oracle_, run_};
  return inner_.invoke(args, table, &observed);
}

}  // namespace svmsim
