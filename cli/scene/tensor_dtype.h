// SPDX-License-Identifier: Apache-2.0
// What the element types of tensors are called in scene files, and which values a scene may write into them. Pure
// functions over a constant table, thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/orchestration/api/pto_types.h"

namespace svmsim {

enum class ElementClass {
  kInteger,  // two's complement or unsigned, `bits` wide; bool counts as one of one bit
  kFloat32,
  kNarrowFloat,  // no value can be written, only zero bits and seeded patterns
};

struct ElementType {
  std::string_view name;  // as in scene files
  DataType dtype;
  ElementClass element_class;
  // Integers a scene may write. Float32 is limited to what it holds exactly, unsigned 64 to what TOML can say.
  std::int64_t min, max;
  // A seeded element is (random & keep) | set, in the low bytes of each, as many as the type has. Every pattern is an
  // ordinary number: integers and bool take any value, floats lie in +-[0.125, 0.5), so none is a NaN, an infinity or
  // denormal.
  std::uint64_t keep, set;
};

[[nodiscard]] std::span<const ElementType> element_types();
// Every DataType has an entry.
[[nodiscard]] const ElementType& element_type(DataType dtype);

}  // namespace svmsim
