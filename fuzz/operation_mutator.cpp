// SPDX-License-Identifier: Apache-2.0
#include "fuzz/operation_mutator.h"

#include <algorithm>
#include <array>

#include "fuzz/scenario_bytes.h"
#include "property_tests/dice.h"

namespace svmsim {

namespace {

using Record = std::array<std::uint8_t, kRecordBytes>;
using Records = std::vector<Record>;  // the setting, then the operations
using Kind = OperationKind;

// The first record is there, whatever the bytes.
Records records_of(std::span<const std::uint8_t> bytes) {
  Records records(std::max<std::size_t>(bytes.size() / kRecordBytes, 1));
  for (std::size_t i = 0; i < bytes.size() / kRecordBytes; ++i) {
    const auto record = bytes.subspan(i * kRecordBytes, kRecordBytes);
    std::copy(record.begin(), record.end(), records[i].begin());
  }
  return records;
}

std::vector<std::uint8_t> bytes_of(const Records& records, std::size_t most) {
  std::vector<std::uint8_t> bytes;
  for (const Record& record : records) {
    if (bytes.size() + kRecordBytes > most) break;
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  return bytes;
}

class Mutation {
 public:
  Mutation(Records records, std::uint64_t seed) : dice_(seed, 0), records_(std::move(records)) {}

  Records run() {
    std::uint64_t steps = 1;
    while (steps < 8 && dice_.one_in(3)) ++steps;
    for (; steps > 0; --steps) step();
    // A fork takes as long as a hundred scenarios without. Inputs with one are kept for what they reach, so that most
    // of their offspring must do without, or there would be nothing else.
    std::uint8_t& slow = records_.front()[kSlowByte];
    const bool was_slow = slow == kSlow;
    slow = dice_.one_in(was_slow ? 32 : 512) ? kSlow : std::uint8_t{0};
    if (slow == kSlow && !was_slow && dice_.one_in(2)) insert_race();
    return std::move(records_);
  }

 private:
  using Place = Records::iterator;

  [[nodiscard]] std::size_t operations() const { return records_.size() - 1; }
  Place any() { return records_.begin() + 1 + static_cast<std::ptrdiff_t>(dice_.below(operations())); }
  Place any_or_end() { return records_.begin() + 1 + static_cast<std::ptrdiff_t>(dice_.below(operations() + 1)); }
  std::uint8_t below(std::uint64_t n) { return static_cast<std::uint8_t>(dice_.below(n)); }

  void step() {
    if (operations() == 0 || dice_.one_in(24)) return dice_.one_in(16) ? insert_eviction() : insert_life();
    switch (dice_.below(8)) {
      case 0:
      case 1:
        records_.insert(any_or_end(), operation());
        return;
      case 2:
        records_.erase(any());
        return;
      case 3:
        std::iter_swap(any(), any());
        return;
      case 4:
        return repeat();
      case 5:
      case 6:
        return change_field(*any());
      default:
        if (dice_.one_in(2)) return change_setting();
        return change_field(*any());
    }
  }

  // Of a few slots and runs, because operations mean something where they meet.
  std::uint8_t where() {
    const std::uint8_t slot = dice_.one_in(4) ? below(kSlots) : below(2);
    const std::uint8_t run = dice_.one_in(4) ? below(kRuns + 1) : below(2);
    return static_cast<std::uint8_t>(slot + run * kSlots);
  }

  Record operation() {
    Record record{};
    record[kKindByte] = below(kOperationKinds);
    record[kWhereByte] = where();
    record[kDetailByte] = dice_.one_in(2) ? below(256) : std::uint8_t{0};
    if (dice_.one_in(4)) change_span(record, kOffsetBytes);
    change_span(record, kSizeBytes);
    record[kValueByte] = below(256);
    return record;
  }

  void change_span(Record& record, std::size_t at) {
    record[at] = dice_.one_in(3) ? below(256) : below(4);
    record[at + 1] = dice_.one_in(2)   ? std::uint8_t{0}
                     : dice_.one_in(2) ? below(256)
                                       : static_cast<std::uint8_t>(below(17) - 8);
  }

  Record record(Kind kind, std::uint8_t slot, std::uint8_t run) {
    Record made{};
    made[kKindByte] = static_cast<std::uint8_t>(kind);
    made[kWhereByte] = static_cast<std::uint8_t>(slot + run * kSlots);
    return made;
  }

  // A block as large as a part of the budget, or of any size.
  Record allocation(std::uint8_t slot) {
    Record made = record(Kind::kAllocate, slot, kRuns);
    change_span(made, kSizeBytes);
    made[kSizeBytes] = dice_.one_in(2) ? static_cast<std::uint8_t>(1 + below(8)) : records_.front()[kBudgetBytes];
    return made;
  }

  // What nearly every access needs first: a block, with bytes that differ, in which a run claims one span or two that
  // overlap, and reads once or twice.
  void insert_life() {
    const std::uint8_t slot = below(3);
    const std::uint8_t run = below(2);
    Records life = {allocation(slot)};
    Record offset{};
    if (dice_.one_in(2)) {
      change_span(offset, kOffsetBytes);
      Record write = record(Kind::kDeviceWrite, slot, run);
      write[kOffsetBytes] = offset[kOffsetBytes];
      write[kOffsetBytes + 1] = offset[kOffsetBytes + 1];
      write[kSizeBytes] = kLargestAccess;
      write[kValueByte] = below(256);
      life.push_back(write);
    }
    life.push_back(record(Kind::kOpenRun, slot, run));
    if (dice_.one_in(4)) {
      Record first = record(Kind::kClaim, slot, run);
      first[kSizeBytes] = below(4);
      first[kSizeBytes + 1] = static_cast<std::uint8_t>(1 + below(64));
      life.push_back(first);
    }
    Record claim = record(Kind::kClaim, slot, run);
    if (dice_.one_in(3)) {
      claim[kOffsetBytes] = offset[kOffsetBytes];
      claim[kOffsetBytes + 1] = offset[kOffsetBytes + 1];
    }
    claim[kSizeBytes] = life.front()[kSizeBytes];
    claim[kSizeBytes + 1] = life.front()[kSizeBytes + 1];
    life.push_back(claim);
    Record read = record(Kind::kRead, slot, run);
    read[kOffsetBytes] = offset[kOffsetBytes];
    read[kOffsetBytes + 1] = offset[kOffsetBytes + 1];
    read[kSizeBytes] = 4;
    life.push_back(read);
    if (dice_.one_in(2)) life.push_back(read);
    if (dice_.one_in(4)) life.push_back(record(Kind::kEndRun, slot, run));
    records_.insert(any_or_end(), life.begin(), life.end());
  }

  // Three blocks of which the budget has room for two, used in any order by runs that end.
  void insert_eviction() {
    std::array<std::uint8_t, 3> order = {0, 1, 2};
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[dice_.below(i + 1)]);
    Record& setting = records_.front();
    set_budget_policy(setting);
    setting[kBudgetBytes] = static_cast<std::uint8_t>(1 + below(8));
    setting[kBudgetBytes + 1] = 0;
    setting[kBudgetTimesByte] = 1;
    const auto with_size = [&](Record made) {
      made[kSizeBytes] = setting[kBudgetBytes];
      return made;
    };
    Records lives;
    lives.reserve(5 * order.size());
    for (const std::uint8_t slot : std::array<std::uint8_t, 3>{0, 1, 2}) {
      lives.push_back(with_size(record(Kind::kAllocate, slot, kRuns)));
    }
    for (const std::uint8_t slot : order) {
      Record read = record(Kind::kRead, slot, 0);
      read[kSizeBytes] = 4;
      lives.push_back(record(Kind::kOpenRun, slot, 0));
      lives.push_back(with_size(record(Kind::kClaim, slot, 0)));
      lives.push_back(read);
      lives.push_back(record(Kind::kEndRun, slot, 0));
    }
    records_.insert(any_or_end(), lives.begin(), lives.end());
  }

  // Two runs that want a view of the same block at once.
  void insert_race() {
    const std::uint8_t slot = below(3);
    Record race = record(Kind::kRace, slot, 0);
    race[kDetailByte] = 1;
    race[kSizeBytes] = 1;
    const Records life = {allocation(slot), record(Kind::kOpenRun, slot, 0), record(Kind::kOpenRun, slot, 1), race};
    records_.insert(any_or_end(), life.begin(), life.end());
  }

  void repeat() {
    const Place first = any();
    const auto left = static_cast<std::uint64_t>(records_.end() - first);
    const Records copied(first, first + 1 + static_cast<std::ptrdiff_t>(dice_.below(std::min<std::uint64_t>(left, 4))));
    records_.insert(any_or_end(), copied.begin(), copied.end());
  }

  void change_field(Record& record) {
    switch (dice_.below(7)) {
      case 0:
        record[kKindByte] = below(kOperationKinds);
        return;
      case 1:
      case 2:
        record[kWhereByte] = where();
        return;
      case 3:
        record[kDetailByte] = below(256);
        return;
      case 4:
        return change_span(record, kOffsetBytes);
      case 5:
        return change_span(record, kSizeBytes);
      default:
        record[kValueByte] = below(256);
    }
  }

  void change_setting() {
    Record& setting = records_.front();
    switch (dice_.below(5)) {
      case 0:
        setting[kPlatformByte] = below(256);
        return;
      case 1:
        setting[kPolicyByte] = below(256);
        return;
      case 2:
        setting[kReuseByte] = below(256);
        return;
      case 3:
        setting[kPairByte] = below(256);
        return;
      default:
        set_budget_policy(setting);
        return change_budget(setting);
    }
  }

  static void set_budget_policy(Record& setting) {
    setting[kPolicyByte] = static_cast<std::uint8_t>(svmrt::fixed_policies().size());
  }

  // Some blocks of a size, and now and then a little less or more.
  void change_budget(Record& setting) {
    setting[kBudgetBytes] = static_cast<std::uint8_t>(1 + below(8));
    setting[kBudgetTimesByte] = below(4);
    setting[kBudgetBytes + 1] = dice_.one_in(2) ? std::uint8_t{0} : below(256);
  }

  Dice dice_;
  Records records_;
};

}  // namespace

std::vector<std::uint8_t> mutated(std::span<const std::uint8_t> bytes, std::size_t most, std::uint64_t seed) {
  return bytes_of(Mutation(records_of(bytes), seed).run(), most);
}

std::vector<std::uint8_t> spliced(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other,
                                  std::size_t most, std::uint64_t seed) {
  Dice dice(seed, 0);
  Records records = records_of(one);
  const Records tail = records_of(other);
  records.resize(1 + dice.below(records.size()));
  records.insert(records.end(), tail.begin() + 1 + static_cast<std::ptrdiff_t>(dice.below(tail.size())), tail.end());
  return bytes_of(records, most);
}

}  // namespace svmsim
