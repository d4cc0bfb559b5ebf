// SPDX-License-Identifier: Apache-2.0
// Element types and ChipTensor, the descriptor of a strided tensor in host-staged, device or runtime-created
// memory. A descriptor owns nothing: it names an address range. Value types, thread-compatible.
//
// Part of the public orchestration interface (names and meaning: hw-native-sys/simpler, host_build_graph): plain
// C++17, self-contained, global namespace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

// Constants here are not `inline`: an inline variable that a program takes by reference becomes a unique symbol,
// which pins its shared object in the process.
constexpr std::uint32_t MAX_TENSOR_DIMS = 5;

enum class DataType : std::uint8_t {
  FLOAT32,
  FLOAT16,
  INT32,
  INT16,
  INT8,
  UINT8,
  BFLOAT16,
  INT64,
  UINT64,
  UINT16,
  UINT32,
  BOOL,
  FP8E4M3FN,
  FP8E8M0,
  FP4E2M1,
};

// Bytes that one element takes in memory; FP4E2M1 is stored one element a byte. 0 for a number that is no DataType.
constexpr std::uint64_t get_element_size(DataType dtype) {
  switch (dtype) {
    case DataType::INT64:
    case DataType::UINT64:
      return 8;
    case DataType::FLOAT32:
    case DataType::INT32:
    case DataType::UINT32:
      return 4;
    case DataType::FLOAT16:
    case DataType::BFLOAT16:
    case DataType::INT16:
    case DataType::UINT16:
      return 2;
    case DataType::INT8:
    case DataType::UINT8:
    case DataType::BOOL:
    case DataType::FP8E4M3FN:
    case DataType::FP8E8M0:
    case DataType::FP4E2M1:
      return 1;
  }
  return 0;
}

constexpr const char* get_dtype_name(DataType dtype) {
  switch (dtype) {
    case DataType::FLOAT32:
      return "FLOAT32";
    case DataType::FLOAT16:
      return "FLOAT16";
    case DataType::INT32:
      return "INT32";
    case DataType::INT16:
      return "INT16";
    case DataType::INT8:
      return "INT8";
    case DataType::UINT8:
      return "UINT8";
    case DataType::BFLOAT16:
      return "BFLOAT16";
    case DataType::INT64:
      return "INT64";
    case DataType::UINT64:
      return "UINT64";
    case DataType::UINT16:
      return "UINT16";
    case DataType::UINT32:
      return "UINT32";
    case DataType::BOOL:
      return "BOOL";
    case DataType::FP8E4M3FN:
      return "FP8E4M3FN";
    case DataType::FP8E8M0:
      return "FP8E8M0";
    case DataType::FP4E2M1:
      return "FP4E2M1";
  }
  return "UNKNOWN";
}

// Who may touch the bytes behind an address: HOST memory is staged by the runtime, DEVICE memory already lives on
// the device. It is a claim of whoever made the descriptor; the runtime looks bytes up by address alone.
enum class AddressSpace : std::uint8_t { HOST, DEVICE };

// Names a submitted task: raw = ring << 32 | local, local counting submissions from 0.
struct PTO2TaskId {
  std::uint64_t raw = UINT64_MAX;

  static constexpr PTO2TaskId make(std::uint32_t ring, std::uint32_t local) {
    return PTO2TaskId{(static_cast<std::uint64_t>(ring) << 32) | local};
  }
  static constexpr PTO2TaskId invalid() { return PTO2TaskId{UINT64_MAX}; }
  constexpr bool is_valid() const { return raw != UINT64_MAX; }
  constexpr std::uint32_t ring() const { return static_cast<std::uint32_t>(raw >> 32); }
  constexpr std::uint32_t local() const { return static_cast<std::uint32_t>(raw & UINT32_MAX); }
  constexpr bool operator==(const PTO2TaskId& other) const { return raw == other.raw; }
  constexpr bool operator!=(const PTO2TaskId& other) const { return raw != other.raw; }
};

// The whole allocation that a tensor lives in: what dependencies are looked up by.
struct PTOBufferHandle {
  std::uint64_t addr = 0;  // device address of the first byte; 0: unallocated
  std::uint64_t size = 0;  // bytes
};

// Element (i0, i1, ...) lies at buffer.addr + (start_offset + sum(i * stride)) * element bytes.
//
// The fields are the program's to edit; a submit refuses what no longer describes a tensor.
//
// What cannot be represented becomes a default-constructed, unallocated tensor (address 0), which every host access
// refuses: ndims 0 or above MAX_TENSOR_DIMS, a stride above 2^32 - 1 elements, a reshape of a tensor that is not
// contiguous or has another number of elements, a dimension number that does not exist, an empty slice step.
struct ChipTensor {
  PTOBufferHandle buffer;
  PTO2TaskId owner_task_id;        // the task that creates the buffer; invalid for memory that existed before
  std::uint64_t start_offset = 0;  // elements
  std::int32_t version = 0;        // carried along, never interpreted
  std::uint32_t ndims = 0;
  DataType dtype = DataType::FLOAT32;
  bool manual_dep = false;  // writers of this tensor are neither looked up nor recorded; the creator's edge remains
  bool is_contiguous = false;
  AddressSpace address_space = AddressSpace::HOST;
  std::uint32_t shapes[MAX_TENSOR_DIMS] = {};
  std::uint64_t extent_elem_cache = 0;          // elements from the first to the last one, both included; 0 when empty
  std::uint32_t strides[MAX_TENSOR_DIMS] = {};  // elements
  std::uint8_t reserved[36] = {};

  // Number of elements; saturates at 2^64 - 1.
  std::uint64_t numel() const {
    if (ndims == 0) return 0;
    std::uint64_t count = 1;
    for (std::uint32_t d = 0; d < ndims; ++d) {
      if (shapes[d] == 0) return 0;
      if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(shapes[d]), &count)) count = UINT64_MAX;
    }
    return count;
  }
  // Bytes of the elements, without gaps between them; saturates.
  std::uint64_t nbytes() const {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(numel(), get_element_size(dtype), &bytes)) bytes = UINT64_MAX;
    return bytes;
  }
  std::uint64_t extent_elem() const { return extent_elem_cache; }
  bool is_device_memory() const { return address_space == AddressSpace::DEVICE; }

  // The buffer's address as the program passed it, without start_offset. Never dereference it for device memory.
  template <typename T>
  T* data_as() const {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(buffer.addr));
  }

  // Elements from the buffer's start to element `indices`. Missing indices count as 0.
  std::uint64_t compute_flat_offset(const std::uint32_t indices[], std::uint32_t index_count) const {
    std::uint64_t offset = start_offset;
    for (std::uint32_t d = 0; d < index_count && d < ndims; ++d) {
      offset += static_cast<std::uint64_t>(indices[d]) * strides[d];
    }
    return offset;
  }

  // The sub-box of `view_shapes` that starts at `view_offsets`, ndims numbers each. Not checked against shapes.
  ChipTensor view(const std::uint32_t view_shapes[], const std::uint32_t view_offsets[],
                  bool manual_dependencies = false) const {
    ChipTensor result = *this;
    result.start_offset = compute_flat_offset(view_offsets, ndims);
    result.manual_dep = manual_dependencies;
    for (std::uint32_t d = 0; d < ndims; ++d) result.shapes[d] = view_shapes[d];
    result.update_layout_facts();
    return result;
  }

  // The same elements in row-major order under other dimensions.
  ChipTensor reshape(const std::uint32_t new_shapes[], std::uint32_t new_ndims) const {
    ChipTensor result = *this;
    if (!is_contiguous || !result.set_row_major(new_shapes, new_ndims) || result.numel() != numel()) return {};
    return result;
  }

  ChipTensor transpose(std::uint32_t first, std::uint32_t second) const {
    if (first >= ndims || second >= ndims) return {};
    std::uint32_t order[MAX_TENSOR_DIMS] = {0, 1, 2, 3, 4};
    order[first] = second;
    order[second] = first;
    return permute(order);
  }

  // Dimension d of the result is dimension order[d] of this tensor; `order` holds each of 0..ndims-1 once.
  ChipTensor permute(const std::uint32_t order[]) const {
    ChipTensor result = *this;
    std::uint32_t seen = 0;
    for (std::uint32_t d = 0; d < ndims; ++d) {
      if (order[d] >= ndims || (seen & (1U << order[d])) != 0) return {};
      seen |= 1U << order[d];
      result.shapes[d] = shapes[order[d]];
      result.strides[d] = strides[order[d]];
    }
    result.update_layout_facts();
    return result;
  }

  // Every `step`-th index of dimension `dim` from `start` up to, not including, `end`. Not checked against shapes.
  ChipTensor slice(std::uint32_t dim, std::uint32_t start, std::uint32_t end, std::uint32_t step = 1) const {
    if (dim >= ndims || step == 0 || end < start) return {};
    ChipTensor result = *this;
    result.start_offset += static_cast<std::uint64_t>(start) * strides[dim];
    result.shapes[dim] = (end - start) / step + ((end - start) % step != 0 ? 1 : 0);
    if (__builtin_mul_overflow(strides[dim], step, &result.strides[dim])) return {};
    result.update_layout_facts();
    return result;
  }

  // One line for a log.
  std::string dump() const {
    char text[96];
    std::snprintf(text, sizeof text, "ChipTensor{addr=0x%llx size=%llu offset=%llu dtype=%s shapes=[",
                  static_cast<unsigned long long>(buffer.addr), static_cast<unsigned long long>(buffer.size),
                  static_cast<unsigned long long>(start_offset), get_dtype_name(dtype));
    std::string line = text;
    for (std::uint32_t d = 0; d < ndims; ++d) line += (d == 0 ? "" : ",") + std::to_string(shapes[d]);
    line += "] strides=[";
    for (std::uint32_t d = 0; d < ndims; ++d) line += (d == 0 ? "" : ",") + std::to_string(strides[d]);
    line += "]";
    if (owner_task_id.is_valid()) line += " owner=" + std::to_string(owner_task_id.local());
    return line + "}";
  }

  // For the makers below. Sets dimensions and row-major strides; false when they cannot be represented.
  bool set_row_major(const std::uint32_t new_shapes[], std::uint32_t new_ndims) {
    if (new_ndims == 0 || new_ndims > MAX_TENSOR_DIMS) return false;
    std::uint32_t stride = 1;
    for (std::uint32_t d = new_ndims; d-- > 0;) {
      shapes[d] = new_shapes[d];
      strides[d] = stride;
      // An empty dimension leaves nothing to address: any stride will do.
      const std::uint32_t factor = new_shapes[d] == 0 ? 1 : new_shapes[d];
      if (d > 0 && __builtin_mul_overflow(stride, factor, &stride)) return false;
    }
    ndims = new_ndims;
    update_layout_facts();
    return true;
  }
  // Recomputes is_contiguous and extent_elem_cache from shapes and strides.
  void update_layout_facts() {
    is_contiguous = true;
    extent_elem_cache = numel() == 0 ? 0 : 1;
    std::uint64_t row_major = 1;
    for (std::uint32_t d = ndims; d-- > 0;) {
      if (shapes[d] != 1 && strides[d] != row_major) is_contiguous = false;
      row_major *= shapes[d];
      if (extent_elem_cache != 0) extent_elem_cache += static_cast<std::uint64_t>(shapes[d] - 1) * strides[d];
    }
  }
};
static_assert(sizeof(ChipTensor) == 128, "part of the binary interface");
static_assert(std::is_trivially_copyable_v<ChipTensor>);

// What a reference to an output that does not exist refers to: unallocated, refused by every host access.
__attribute__((visibility("hidden"))) inline const ChipTensor& unallocated_tensor() {
  static constexpr ChipTensor kUnallocated{};
  return kUnallocated;
}

// A row-major tensor over memory that the program was given. `data` is a device address or staged host memory's
// device address in pointer clothes, never dereferenced here. `shapes` holds ndims numbers.
inline ChipTensor make_tensor_external(void* data, const std::uint32_t shapes[], std::uint32_t ndims,
                                       DataType dtype = DataType::FLOAT32, bool manual_dep = false,
                                       std::int32_t version = 0, AddressSpace address_space = AddressSpace::HOST) {
  ChipTensor tensor;
  if (!tensor.set_row_major(shapes, ndims)) return {};
  tensor.dtype = dtype;
  tensor.manual_dep = manual_dep;
  tensor.version = version;
  tensor.address_space = address_space;
  tensor.buffer.addr = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data));
  tensor.buffer.size = tensor.nbytes();
  return tensor;
}

// The same with explicit strides (elements); the buffer reaches to the last element.
inline ChipTensor make_tensor_strided(void* data, const std::uint32_t shapes[], const std::uint32_t strides[],
                                      std::uint32_t ndims, DataType dtype = DataType::FLOAT32, bool manual_dep = false,
                                      std::int32_t version = 0, AddressSpace address_space = AddressSpace::HOST) {
  if (ndims == 0 || ndims > MAX_TENSOR_DIMS) return {};
  ChipTensor tensor;
  tensor.ndims = ndims;
  tensor.dtype = dtype;
  tensor.manual_dep = manual_dep;
  tensor.version = version;
  tensor.address_space = address_space;
  for (std::uint32_t d = 0; d < ndims; ++d) {
    tensor.shapes[d] = shapes[d];
    tensor.strides[d] = strides[d];
  }
  tensor.update_layout_facts();
  tensor.buffer.addr = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data));
  tensor.buffer.size = tensor.extent_elem() * get_element_size(dtype);
  return tensor;
}
