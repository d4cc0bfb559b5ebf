// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/tensor_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string_view>
#include <vector>

#include "cli/scene/tensor_dtype.h"
#include "sim/machine/digest.h"

namespace svmsim {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are defined by little-endian words");

// SplitMix64 (Steele, Lea, Flood 2014) by position: word i depends on nothing but the stream and i.
class WordStream {
 public:
  WordStream(std::uint64_t seed, std::string_view name) {
    Digest start(seed);
    for (const char c : name) start.add(static_cast<unsigned char>(c));
    start.add(name.size());
    start_ = start.value();
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const { return mix64(start_ + (i + 1) * 0x9e3779b97f4a7c15u); }

 private:
  std::uint64_t start_ = 0;
};

// The low `bytes` of `pattern`, repeated over a word.
std::uint64_t repeated(std::uint64_t pattern, std::uint64_t bytes) {
  for (std::uint64_t width = bytes; width < 8; width *= 2) {
    pattern &= (std::uint64_t{1} << (8 * width)) - 1;
    pattern |= pattern << (8 * width);
  }
  return pattern;
}

void fill_seeded(const ElementType& type, const WordStream& stream, std::span<std::byte> to) {
  const std::uint64_t keep = repeated(type.keep, get_element_size(type.dtype));
  const std::uint64_t set = repeated(type.set, get_element_size(type.dtype));
  const std::size_t whole = to.size() / 8;
  for (std::size_t i = 0; i < whole; ++i) {
    const std::uint64_t word = (stream.word(i) & keep) | set;
    std::memcpy(to.data() + i * 8, &word, 8);
  }
  const std::uint64_t last = (stream.word(whole) & keep) | set;
  std::memcpy(to.data() + whole * 8, &last, to.size() % 8);
}

template <typename BitsOf>
void fill_each(DataType dtype, std::span<std::byte> to, BitsOf bits_of) {
  const std::uint64_t bytes = get_element_size(dtype);
  const std::uint64_t elements = to.size() / bytes;
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t bits = bits_of(i);
    std::memcpy(to.data() + i * bytes, &bits, bytes);
  }
}

std::uint64_t sequence_bits(const ElementType& type, std::uint64_t i) {
  if (type.element_class == ElementClass::kFloat32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(i & 0xffffff));
  }
  return type.dtype == DataType::BOOL ? i & 1 : i;
}

void fill_block_table(const SceneTensor& tensor, const WordStream& stream, std::span<std::byte> to) {
  const std::size_t rows = tensor.shape[0];
  const std::size_t columns = tensor.shape[1];
  const std::size_t used = tensor.data.blocks_per_row;
  std::vector<std::int32_t> blocks(rows * used);
  std::iota(blocks.begin(), blocks.end(), 0);
  // Fisher-Yates. The remainder of a 64-bit word by less than 2^31 is biased by less than 2^-33.
  for (std::size_t left = blocks.size(); left > 1; --left) {
    std::swap(blocks[left - 1], blocks[stream.word(left) % left]);
  }
  std::fill(to.begin(), to.end(), std::byte{0});
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(to.data() + row * columns * sizeof(std::int32_t), blocks.data() + row * used,
                used * sizeof(std::int32_t));
  }
}

tl::expected<void, std::string> fill_from_file(const std::string& path, std::span<std::byte> to) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
  if (!file) return tl::unexpected(fmt::format("{} does not have the {} bytes of the tensor", path, to.size()));
  if (file.peek() != std::ifstream::traits_type::eof()) {
    return tl::unexpected(fmt::format("{} has more than the {} bytes of the tensor", path, to.size()));
  }
  return {};
}

}  // namespace

tl::expected<void, std::string> fill_tensor(const SceneTensor& tensor, std::uint64_t seed, std::span<std::byte> to) {
  if (to.size() != tensor.bytes().count()) std::abort();
  const ElementType& type = element_type(tensor.dtype);
  const WordStream stream(seed, tensor.name);
  switch (tensor.data.kind) {
    case TensorDataKind::kZeros:
      std::fill(to.begin(), to.end(), std::byte{0});
      break;
    case TensorDataKind::kSeeded:
      fill_seeded(type, stream, to);
      break;
    case TensorDataKind::kSequence:
      fill_each(tensor.dtype, to, [&](std::uint64_t i) { return sequence_bits(type, i); });
      break;
    case TensorDataKind::kFill:
      fill_each(tensor.dtype, to, [&](std::uint64_t) { return tensor.data.values[0]; });
      break;
    case TensorDataKind::kValues:
      fill_each(tensor.dtype, to, [&](std::uint64_t i) { return tensor.data.values[i]; });
      break;
    case TensorDataKind::kBlockTable:
      fill_block_table(tensor, stream, to);
      break;
    case TensorDataKind::kFile:
      return fill_from_file(tensor.data.file, to);
    case TensorDataKind::kNone:
      break;
  }
  return {};
}

}  // namespace svmsim
