// SPDX-License-Identifier: Apache-2.0
// Which memory the submitted tasks write, by device address: what forbids the host to access bytes. Other than the
// TensorMap it does not care under which buffer address a program names the memory. Thread-compatible; owned by the
// orchestrator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime/orchestration/api/pto_tensor.h"
#include "runtime/orchestration/tensor_overlap.h"

namespace svmrt {

class WrittenMemory {
 public:
  // Notes that `task` writes the elements of `tensor`, whose addresses stay within 64 bits.
  void record(std::uint32_t task, const ChipTensor& tensor);

  // The latest task that writes one of the bytes at the device addresses `bytes`. Gaps between the elements of a
  // tensor do not count.
  [[nodiscard]] std::optional<std::uint32_t> writer_of(const ByteRange& bytes) const {
    // Most reads are of memory far from what is written.
    if (bytes.end <= lowest_ || bytes.first >= highest_) return std::nullopt;
    return search(bytes);
  }

 private:
  struct Writer {
    std::uint32_t task = 0;
    ChipTensor tensor;
  };
  // Writers whose ranges, gaps included, form one range without a hole.
  struct Cluster {
    std::uint64_t end = 0;
    std::vector<Writer> writers;
  };
  using Clusters = std::map<std::uint64_t, Cluster>;  // by first byte; no two overlap, so that a lookup is a search

  // The first cluster that ends after the byte at `address`.
  [[nodiscard]] Clusters::const_iterator first_after(std::uint64_t address) const;

  [[nodiscard]] std::optional<std::uint32_t> search(const ByteRange& bytes) const;

  Clusters clusters_;
  std::uint64_t lowest_ = UINT64_MAX;  // first byte that is written, and the byte behind the last
  std::uint64_t highest_ = 0;
};

}  // namespace svmrt
