// SPDX-License-Identifier: Apache-2.0
#include "property_tests/shrinks.h"

#include <algorithm>
#include <utility>

namespace svmsim {

namespace {

rc::Seq<Operation> simpler_operations(const Operation& operation) {
  std::vector<Operation> variants;
  const auto vary = [&](OperationField field, auto change) {
    if (!uses(operation.kind, field)) return;
    Operation variant = operation;
    change(variant);
    if (variant != operation) variants.push_back(variant);
  };
  vary(OperationField::kRegion, [](Operation& o) { o.region = RegionKind::kChildMemory; });
  vary(OperationField::kOffset, [](Operation& o) { o.offset = 0; });
  vary(OperationField::kOffset, [](Operation& o) { o.offset /= 2; });
  vary(OperationField::kSize, [](Operation& o) { o.size = std::min<std::uint64_t>(o.size, 1); });
  vary(OperationField::kSize, [](Operation& o) { o.size = std::min<std::uint64_t>(o.size, 4096); });
  vary(OperationField::kSize, [](Operation& o) { o.size = std::min<std::uint64_t>(o.size, 2u << 20); });
  vary(OperationField::kValue, [](Operation& o) { o.value = 0; });
  vary(OperationField::kSlot, [](Operation& o) { o.slot = 0; });
  const bool by_a_run = operation.run != kRunner;
  vary(OperationField::kRun, [&](Operation& o) { o.run = by_a_run ? std::uint8_t{0} : o.run; });
  if (operation.kind == OperationKind::kAllocate || operation.kind == OperationKind::kFree) {
    vary(OperationField::kRun, [](Operation& o) { o.run = kRunner; });
  }
  return rc::seq::fromContainer(std::move(variants));
}

rc::Seq<Scenario> plainer_settings(const Scenario& scenario) {
  std::vector<Scenario> variants;
  const auto vary = [&](auto change) {
    Scenario variant = scenario;
    change(variant);
    if (variant != scenario) variants.push_back(std::move(variant));
  };
  vary([](Scenario& s) { s.policy = svmrt::Policy::kCached; });
  if (scenario.policy.kind() == svmrt::Policy::Kind::kBudget) {
    const std::uint64_t limit = scenario.policy.limit().count();
    for (const std::uint64_t less : {limit / 2, limit - limit / 3, limit - limit / 4, limit - 1}) {
      vary([&](Scenario& s) { s.policy = svmrt::Policy::budget(svmrt::Bytes(std::max<std::uint64_t>(less, 1))); });
    }
  }
  vary([](Scenario& s) { s.platform = "a2a3"; });
  vary([](Scenario& s) { s.reuse = AddressReuse::kDriver; });
  vary([](Scenario& s) { s.backing = BackingKind::kPlain; });
  return rc::seq::fromContainer(std::move(variants));
}

rc::Seq<Scenario> with_operations(const Scenario& scenario, rc::Seq<std::vector<Operation>> lists) {
  return rc::seq::map(std::move(lists), [scenario](std::vector<Operation> operations) {
    Scenario variant = scenario;
    variant.operations = std::move(operations);
    return variant;
  });
}

// Without halves, then quarters, and so on down to single operations: about twice as many variants as operations.
// (rapidcheck's removeChunks tries every length at every place, which is a square.)
rc::Seq<std::vector<Operation>> without_chunks(const std::vector<Operation>& operations) {
  std::vector<std::pair<std::size_t, std::size_t>> chunks;  // begin, end
  for (std::size_t length = (operations.size() + 1) / 2; length > 0; length = length > 1 ? (length + 1) / 2 : 0) {
    for (std::size_t begin = 0; begin < operations.size(); begin += length) {
      chunks.emplace_back(begin, std::min(begin + length, operations.size()));
    }
  }
  return rc::seq::map(rc::seq::fromContainer(std::move(chunks)), [operations](std::pair<std::size_t, std::size_t> cut) {
    std::vector<Operation> rest = operations;
    const auto from = rest.begin();
    rest.erase(from + static_cast<std::ptrdiff_t>(cut.first), from + static_cast<std::ptrdiff_t>(cut.second));
    return rest;
  });
}

// Without all that one slot, or one run, has to do with; with one run's operations in another.
rc::Seq<std::vector<Operation>> without_objects(const std::vector<Operation>& operations) {
  std::vector<std::vector<Operation>> variants;
  const auto without = [&](auto unwanted) {
    std::vector<Operation> rest = operations;
    if (std::erase_if(rest, unwanted) > 0) variants.push_back(std::move(rest));
  };
  for (std::uint8_t slot = 0; slot < kSlots; ++slot) {
    without([&](const Operation& o) { return uses(o.kind, OperationField::kSlot) && o.slot == slot; });
  }
  for (std::uint8_t run = 0; run < kRuns; ++run) {
    without([&](const Operation& o) { return uses(o.kind, OperationField::kRun) && o.run == run; });
  }
  for (std::uint8_t from = 0; from < kRuns; ++from) {
    for (std::uint8_t to = 0; to < from; ++to) {  // down only, so that shrinking ends
      std::vector<Operation> joined = operations;
      for (Operation& operation : joined) {
        if (uses(operation.kind, OperationField::kRun) && operation.run == from) operation.run = to;
      }
      if (joined != operations) variants.push_back(std::move(joined));
    }
  }
  return rc::seq::fromContainer(std::move(variants));
}

// Without any two operations, where the list is short enough for a square: what opens something and what ends it, say.
rc::Seq<std::vector<Operation>> without_pairs(const std::vector<Operation>& operations) {
  constexpr std::size_t kLongest = 24;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; operations.size() <= kLongest && i < operations.size(); ++i) {
    for (std::size_t j = i + 1; j < operations.size(); ++j) pairs.emplace_back(i, j);
  }
  return rc::seq::map(rc::seq::fromContainer(std::move(pairs)), [operations](std::pair<std::size_t, std::size_t> two) {
    std::vector<Operation> rest = operations;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(two.second));
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(two.first));
    return rest;
  });
}

rc::Seq<Scenario> simpler(const Scenario& scenario) {
  return rc::seq::concat(with_operations(scenario, without_objects(scenario.operations)),
                         with_operations(scenario, without_chunks(scenario.operations)),
                         with_operations(scenario, without_pairs(scenario.operations)), plainer_settings(scenario),
                         with_operations(scenario, rc::shrink::eachElement(scenario.operations, simpler_operations)));
}

}  // namespace

rc::Shrinkable<Scenario> shrinkable_of(Scenario scenario) {
  // A lambda, because clang cannot copy the function reference that rapidcheck would make of a name.
  return rc::shrinkable::shrinkRecur(std::move(scenario), [](const Scenario& larger) { return simpler(larger); });
}

}  // namespace svmsim
