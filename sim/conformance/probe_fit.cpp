// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/probe_fit.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace svmsim {
namespace {

// More of them would rather be another platform.
constexpr std::size_t kMostChanges = 3;

class KeySearch {
 public:
  KeySearch(const std::vector<Finding>& seen, const AddressLayout& layout, HostPageSource source)
      : seen_(seen), layout_(layout), source_(source) {}

  // Tries every choice for the keys from number `first` of platform_key_values() on.
  void choose_from(std::size_t first, const Platform& platform, std::vector<PlatformChange>& changes) {
    const auto values = platform_key_values();
    if (first == values.size()) {
      judge(platform, changes);
      return;
    }
    std::size_t next = first;
    while (next < values.size() && std::string_view(values[next].key) == values[first].key) ++next;
    choose_from(next, platform, changes);
    if (changes.size() == kMostChanges) return;
    for (std::size_t i = first; i < next; ++i) {
      Platform changed = platform;
      values[i].set(changed);
      changes.push_back({values[i].key, values[i].value});
      choose_from(next, changed, changes);
      changes.pop_back();
    }
  }

  [[nodiscard]] ProbeOverlay best() && { return std::move(best_); }

 private:
  void judge(const Platform& platform, const std::vector<PlatformChange>& changes) {
    if (platform.fragmented && !can_be_fragmented(platform)) return;
    if (judged_ && changes.size() >= best_.changes.size() && best_.unexplained.empty()) return;
    std::vector<FindingDifference> left = differences(seen_, probe_in_process(platform, layout_, source_));
    const auto rank = [](std::size_t left_over, std::size_t changed) { return std::pair(left_over, changed); };
    if (judged_ && rank(left.size(), changes.size()) >= rank(best_.unexplained.size(), best_.changes.size())) return;
    best_ = {changes, std::move(left)};
    judged_ = true;
  }

  const std::vector<Finding>& seen_;
  const AddressLayout& layout_;
  HostPageSource source_;
  ProbeOverlay best_;
  bool judged_ = false;
};

}  // namespace

std::vector<std::string> missing_findings(const std::vector<Finding>& seen) {
  std::vector<std::string> missing;
  for (const char* const name : {"driver", "ordinary_pages", "huge_pages"}) {
    if (!finding_of(seen, name).value) missing.emplace_back(name);
  }
  return missing;
}

std::vector<FindingDifference> differences(const std::vector<Finding>& seen, const std::vector<Finding>& simulated) {
  std::vector<FindingDifference> different;
  for (const Finding& one : seen) {
    if (!one.compared || !one.value) continue;
    const Finding& other = finding_of(simulated, one.name);
    if (other.value != one.value) different.push_back({one.name, *one.value, other.value.value_or("")});
  }
  return different;
}

ProbeOverlay find_probe_overlay(const Platform& base, const std::vector<Finding>& seen, const AddressLayout& layout,
                                HostPageSource source) {
  KeySearch search(seen, layout, source);
  std::vector<PlatformChange> changes;
  search.choose_from(0, base, changes);
  return std::move(search).best();
}

}  // namespace svmsim
