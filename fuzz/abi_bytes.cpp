// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_bytes.h"

#include <algorithm>
#include <utility>

#include "property_tests/dice.h"

namespace svmsim {

namespace {

using AbiRecord = std::array<std::uint8_t, kAbiRecordBytes>;
using AbiRecords = std::vector<AbiRecord>;  // the setting, then the calls

constexpr std::size_t kBackingAt = 1;
constexpr std::size_t kThreadsAt = 2;
constexpr std::size_t kThreadAt = 1;

// The setting is there, whatever the bytes; a rest that is no whole record is not looked at.
AbiRecords abi_records(std::span<const std::uint8_t> bytes) {
  AbiRecords records(std::clamp<std::size_t>(bytes.size() / kAbiRecordBytes, 1, 1 + kMostAbiCalls));
  for (std::size_t i = 0; i < std::min(records.size(), bytes.size() / kAbiRecordBytes); ++i) {
    const auto record = bytes.subspan(i * kAbiRecordBytes, kAbiRecordBytes);
    std::copy(record.begin(), record.end(), records[i].begin());
  }
  return records;
}

std::vector<std::uint8_t> abi_record_bytes(const AbiRecords& records, std::size_t most) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(records.size() * kAbiRecordBytes);
  for (const AbiRecord& record : records) {
    if (bytes.size() + kAbiRecordBytes > std::min(most, kMostAbiBytes)) break;
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  return bytes;
}

AbiCall call_of(const AbiRecord& record) {
  AbiCall call;
  call.function = static_cast<AbiFunction>(record[0] % kAbiFunctions);
  call.second_thread = record[kThreadAt] % 2 == 1;
  for (std::size_t i = 0; i < kMostArguments; ++i) call.arguments[i] = {record[2 + 2 * i], record[3 + 2 * i]};
  return call;
}

AbiRecord record_of(const AbiCall& call) {
  AbiRecord record{static_cast<std::uint8_t>(call.function), static_cast<std::uint8_t>(call.second_thread ? 1 : 0)};
  for (std::size_t i = 0; i < kMostArguments; ++i) {
    record[2 + 2 * i] = call.arguments[i].kind;
    record[3 + 2 * i] = call.arguments[i].which;
  }
  return record;
}

class AbiMutation {
 public:
  AbiMutation(AbiRecords records, std::uint64_t seed) : dice_(seed, 0), records_(std::move(records)) {}

  AbiRecords run() {
    std::uint64_t steps = 1;
    while (steps < 8 && dice_.one_in(3)) ++steps;
    for (; steps > 0; --steps) step();
    return std::move(records_);
  }

 private:
  using Place = AbiRecords::iterator;

  [[nodiscard]] std::size_t calls() const { return records_.size() - 1; }
  Place any() { return records_.begin() + 1 + static_cast<std::ptrdiff_t>(dice_.below(calls())); }
  Place any_or_end() { return records_.begin() + 1 + static_cast<std::ptrdiff_t>(dice_.below(calls() + 1)); }
  std::uint8_t below(std::uint64_t n) { return static_cast<std::uint8_t>(dice_.below(n)); }

  void step() {
    if (calls() == 0 || dice_.one_in(16)) return insert_life();
    switch (dice_.below(8)) {
      case 0:
      case 1:
        records_.insert(any_or_end(), call());
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
        return change_argument(*any());
      default:
        return change_rest();
    }
  }

  AbiRecord call() {
    AbiRecord record{below(kAbiFunctions), below(2)};
    for (std::size_t i = 0; i < kMostArguments; ++i) {
      if (dice_.one_in(3)) change_one(record, i);
    }
    return record;
  }

  void change_one(AbiRecord& record, std::size_t argument) {
    record[2 + 2 * argument] = dice_.one_in(3) ? std::uint8_t{0} : below(32);
    record[3 + 2 * argument] = dice_.one_in(2) ? below(4) : below(256);
  }
  void change_argument(AbiRecord& record) { change_one(record, dice_.below(kMostArguments)); }

  // What most calls need first: a device, a block, its view, or host memory that the device knows.
  void insert_life() {
    const bool second = dice_.one_in(2);
    const ArgumentBytes size{0, below(256)};
    std::vector<AbiCall> life = {{AbiFunction::aclrtSetDevice, second, {}}};
    if (dice_.one_in(3)) {
      life.push_back({AbiFunction::aclrtHostRegister, second, {}});
    } else if (dice_.one_in(4)) {
      // The first pages of the arena, with the first type of host memory.
      life.push_back({AbiFunction::halHostRegister, second, {ArgumentBytes{20, 0}, {0, 8}, {0, 1}}});
    } else {
      const bool acl = dice_.one_in(2);
      life.push_back({acl ? AbiFunction::aclrtMalloc : AbiFunction::halMemAlloc, second, {ArgumentBytes{}, size}});
      life.push_back({AbiFunction::halHostRegister, second, {}});
    }
    const Place at = any_or_end();
    AbiRecords records;
    records.reserve(life.size());
    for (const AbiCall& call : life) records.push_back(record_of(call));
    records_.insert(at, records.begin(), records.end());
  }

  void repeat() {
    const Place first = any();
    const auto left = static_cast<std::uint64_t>(records_.end() - first);
    const AbiRecords copied(first,
                            first + 1 + static_cast<std::ptrdiff_t>(dice_.below(std::min<std::uint64_t>(left, 4))));
    records_.insert(any_or_end(), copied.begin(), copied.end());
  }

  void change_rest() {
    AbiRecord& setting = records_.front();
    switch (dice_.below(5)) {
      case 0:
        setting[0] = below(256);
        return;
      case 1:
        setting[kBackingAt] = below(2);
        return;
      case 2:
        // Two threads at once take long, and are not the same twice: what they reach is kept by chance.
        setting[kThreadsAt] = dice_.one_in(16) ? std::uint8_t{2} : below(2);
        return;
      case 3:
        (*any())[0] = below(kAbiFunctions);
        return;
      default:
        (*any())[kThreadAt] ^= 1;
    }
  }

  Dice dice_;
  AbiRecords records_;
};

}  // namespace

AbiInput abi_input(std::span<const std::uint8_t> bytes) {
  const AbiRecords records = abi_records(bytes);
  const AbiRecord& setting = records.front();
  AbiInput input;
  input.platform = setting[0];
  input.backing = setting[kBackingAt] % 2 == 1 ? BackingKind::kPlain : BackingKind::kMmu;
  input.threads = static_cast<AbiThreads>(setting[kThreadsAt] <= 2 ? setting[kThreadsAt] : 0);
  input.calls.reserve(records.size() - 1);
  for (std::size_t i = 1; i < records.size(); ++i) input.calls.push_back(call_of(records[i]));
  return input;
}

std::vector<std::uint8_t> abi_bytes(const AbiInput& input) {
  AbiRecord setting{input.platform, static_cast<std::uint8_t>(input.backing == BackingKind::kPlain ? 1 : 0),
                    static_cast<std::uint8_t>(input.threads)};
  AbiRecords records = {setting};
  records.reserve(1 + input.calls.size());
  for (const AbiCall& call : input.calls) records.push_back(record_of(call));
  return abi_record_bytes(records, kMostAbiBytes);
}

std::vector<std::uint8_t> mutated_abi(std::span<const std::uint8_t> bytes, std::size_t most, std::uint64_t seed) {
  return abi_record_bytes(AbiMutation(abi_records(bytes), seed).run(), most);
}

std::vector<std::uint8_t> spliced_abi(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other,
                                      std::size_t most, std::uint64_t seed) {
  Dice dice(seed, 0);
  AbiRecords records = abi_records(one);
  const AbiRecords tail = abi_records(other);
  records.resize(1 + dice.below(records.size()));
  records.insert(records.end(), tail.begin() + 1 + static_cast<std::ptrdiff_t>(dice.below(tail.size())), tail.end());
  return abi_record_bytes(records, most);
}

}  // namespace svmsim
