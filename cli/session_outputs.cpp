// SPDX-License-Identifier: Apache-2.0
#include "cli/session_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/config/printable.h"

namespace svmsim {

namespace {

// How much of what it may be away an element is away.
double share(const GoldenDifference& difference) {
  return std::fabs(difference.found - difference.expected) / difference.allowed;
}

}  // namespace

void SessionOutputs::begin(std::span<const svmrt::DeviceAddr> child_memory) {
  child_memory_.assign(child_memory.begin(), child_memory.end());
}

std::span<const std::byte> SessionOutputs::bytes(std::size_t index) const {
  const SceneTensor& tensor = scene_.tensors[index];
  if (tensor.residency == Residency::kStaged) return tensors_.bytes(index);
  return device_bytes_(child_memory_[index], tensor.bytes());
}

CliResult<void> SessionOutputs::expect_golden() {
  std::vector<GoldenTensor> arguments;
  const auto refuse = [&](const std::string& reason) {
    return tl::unexpected(CliError{
        ExitCode::kBadInput, scene_.file, "golden", scene_.golden->name, "a golden that the scene's arguments fit",
        fmt::format("{}: golden '{}': {}", printable(scene_.file), scene_.golden->name, reason)});
  };
  for (std::size_t i = 0; i < scene_.tensors.size(); ++i) {
    const SceneTensor& tensor = scene_.tensors[i];
    if (!tensor.has_data()) return refuse(fmt::format("tensor '{}' has data = \"none\"", tensor.name));
    arguments.push_back({tensor.shape, tensor.dtype, bytes(i)});
  }
  std::vector<std::uint64_t> scalars;
  for (const SceneScalar& scalar : scene_.scalars) scalars.push_back(scalar.bits);
  auto expected = find_golden(scene_.golden->name)(arguments, scalars);
  if (!expected) return refuse(expected.error());
  expected_ = std::move(*expected);
  return {};
}

bool SessionOutputs::carries_state() const {
  return std::any_of(scene_.tensors.begin(), scene_.tensors.end(), [](const SceneTensor& tensor) {
    return tensor.residency == Residency::kChildMemory && tensor.direction == Direction::kInout && tensor.has_data();
  });
}

std::vector<Violation> SessionOutputs::check_round(std::uint64_t round) {
  std::vector<Violation> violations;
  if (round > 0 && carries_state()) return violations;
  compare_with_golden(round, violations);
  if (round == 0) {
    first_outputs_ = outputs_digest();
  } else if (outputs_digest() != first_outputs_) {
    violations.push_back({"rounds", static_cast<std::int64_t>(round), "", "the outputs differ from those of round 0"});
  }
  return violations;
}

void SessionOutputs::compare_with_golden(std::uint64_t round, std::vector<Violation>& violations) {
  for (const auto& [index, expected] : expected_) {
    const SceneTensor& tensor = scene_.tensors[index];
    const SceneGolden& golden = *scene_.golden;
    const auto worst =
        worst_difference(expected, {tensor.shape, tensor.dtype, bytes(index)}, golden.absolute, golden.relative);
    if (!worst) continue;
    if (!golden_ || (golden_->worst.within && (!worst->within || share(*worst) > share(golden_->worst)))) {
      golden_ = {tensor.name, round, *worst};
    }
    if (worst->within) continue;
    violations.push_back({"golden", static_cast<std::int64_t>(round), tensor.name,
                          fmt::format("element {} is {:.6g}, where {} expects {:.6g}, at most {:.6g} away",
                                      worst->element, worst->found, golden.name, worst->expected, worst->allowed)});
  }
}

void SessionOutputs::add_tensor(Digest& digest, std::size_t index) const {
  digest.add_text(scene_.tensors[index].name);
  digest.add_bytes(bytes(index));
}

std::uint64_t SessionOutputs::outputs_digest() const {
  Digest digest;
  for (std::size_t i = 0; i < scene_.tensors.size(); ++i) {
    if (scene_.tensors[i].has_data() && scene_.tensors[i].direction != Direction::kIn) add_tensor(digest, i);
  }
  return digest.value();
}

std::uint64_t SessionOutputs::result_digest() const {
  Digest digest;
  for (std::size_t i = 0; i < scene_.tensors.size(); ++i) {
    const SceneTensor& tensor = scene_.tensors[i];
    const bool output = tensor.direction != Direction::kIn;
    if (tensor.has_data() && (output || tensor.residency == Residency::kChildMemory)) add_tensor(digest, i);
  }
  return digest.value();
}

}  // namespace svmsim
