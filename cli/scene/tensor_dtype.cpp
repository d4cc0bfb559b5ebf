// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/tensor_dtype.h"

#include <cstdlib>
#include <limits>

namespace svmsim {
namespace {

constexpr std::int64_t kExactInFloat32 = std::int64_t{1} << 24;
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxUint32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kAllBits = std::numeric_limits<std::uint64_t>::max();

// Floats keep the sign, the lowest exponent bit and the mantissa; `set` is the exponent of 0.125. E8M0 has neither
// sign nor mantissa; of E2M1 (the low half of a byte) sign and the pattern of 0.5 are kept, so it may also be zero.
constexpr ElementType kTypes[] = {
    {"float32", DataType::FLOAT32, ElementClass::kFloat32, -kExactInFloat32, kExactInFloat32, 0x80ffffff, 0x3e000000},
    {"float16", DataType::FLOAT16, ElementClass::kNarrowFloat, 0, 0, 0x87ff, 0x3000},
    {"int32", DataType::INT32, ElementClass::kInteger, INT32_MIN, INT32_MAX, kAllBits, 0},
    {"int16", DataType::INT16, ElementClass::kInteger, INT16_MIN, INT16_MAX, kAllBits, 0},
    {"int8", DataType::INT8, ElementClass::kInteger, INT8_MIN, INT8_MAX, kAllBits, 0},
    {"uint8", DataType::UINT8, ElementClass::kInteger, 0, UINT8_MAX, kAllBits, 0},
    {"bfloat16", DataType::BFLOAT16, ElementClass::kNarrowFloat, 0, 0, 0x80ff, 0x3e00},
    {"int64", DataType::INT64, ElementClass::kInteger, kMinInt64, kMaxInt64, kAllBits, 0},
    {"uint64", DataType::UINT64, ElementClass::kInteger, 0, kMaxInt64, kAllBits, 0},
    {"uint16", DataType::UINT16, ElementClass::kInteger, 0, UINT16_MAX, kAllBits, 0},
    {"uint32", DataType::UINT32, ElementClass::kInteger, 0, kMaxUint32, kAllBits, 0},
    {"bool", DataType::BOOL, ElementClass::kInteger, 0, 1, 0x01, 0},
    {"fp8e4m3fn", DataType::FP8E4M3FN, ElementClass::kNarrowFloat, 0, 0, 0x8f, 0x20},
    {"fp8e8m0", DataType::FP8E8M0, ElementClass::kNarrowFloat, 0, 0, 0x01, 0x7c},
    {"fp4e2m1", DataType::FP4E2M1, ElementClass::kNarrowFloat, 0, 0, 0x09, 0},
};

}  // namespace

std::span<const ElementType> element_types() { return kTypes; }

const ElementType& element_type(DataType dtype) {
  for (const ElementType& type : kTypes) {
    if (type.dtype == dtype) return type;
  }
  std::abort();
}

}  // namespace svmsim
