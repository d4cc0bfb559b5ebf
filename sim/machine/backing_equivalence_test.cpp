// SPDX-License-Identifier: Apache-2.0
// The same random sequences of driver calls on backing plain and on backing mmu: equal codes, addresses, costs and
// bytes after each call.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "sim/driver/hal_flags.h"
#include "sim/driver/span.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

constexpr std::uint64_t kSequences = 10'000;
constexpr int kCallsPerSequence = 24;

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}
  // 0 to limit - 1.
  std::uint64_t below(std::uint64_t limit) { return mix64(state_ += 0x9e3779b97f4a7c15u) % limit; }
  template <std::size_t kCount>
  std::uint64_t one_of(const std::array<std::uint64_t, kCount>& values) {
    return values[below(kCount)];
  }

 private:
  std::uint64_t state_;
};

std::vector<Platform> platforms() {
  std::vector<Platform> all;
  const auto add = [&all](const char* name, auto change) {
    Platform platform = test_platform();
    platform.name = name;
    change(platform);
    all.push_back(platform);
  };
  add("v2", [](Platform&) {});
  add("v2-64k-host", [](Platform& p) { p.host_page = Bytes(65536); });
  add("v2-64k-pages", [](Platform& p) { p.host_page = p.device_page = Bytes(65536); });
  add("v2-nonidentity", [](Platform& p) { p.non_identity = true; });
  add("v2-lenient", [](Platform& p) { p.lenient = true; });
  add("v2-quarantine", [](Platform& p) { p.reuse = AddressReuse::kQuarantine; });
  add("v3", [](Platform& p) { p.personality = Personality::kV3; });
  add("v3-lifo", [](Platform& p) {
    p.personality = Personality::kV3;
    p.reuse = AddressReuse::kLifo;
  });
  return all;
}

// A device address as an offset from the start of its machine's slice, so that one operation fits both machines.
using Offset = std::uint64_t;

// What a call answered, without anything that depends on where the slice lies.
struct Answer {
  DriverCode code = DriverCode::kNone;
  Offset address = 0;
  std::uint64_t byte = 0;
  bool operator==(const Answer&) const = default;
};

class Side {
 public:
  Side(const Platform& platform, BackingKind backing) : machine_(make_test_machine(platform, {backing})) {}

  Answer allocate(std::uint64_t size, std::uint64_t flag) {
    const auto outcome = machine_->mem_alloc(kRunnerTimeline, size, flag);
    return {outcome.code, outcome.code == DriverCode::kNone ? machine_->relative(outcome.address) : 0, 0};
  }
  Answer free(Offset base) { return {machine_->mem_free(kRunnerTimeline, at(base)), 0, 0}; }
  // A view is written and read at its last requested byte, through the address that came back.
  Answer map(Offset base, std::uint64_t size, std::uint32_t flag, unsigned char value) {
    const auto outcome = machine_->host_register(kRunnerTimeline, at(base), size, flag, 0);
    if (outcome.code != DriverCode::kNone) return {outcome.code, 0, 0};
    auto* const byte = static_cast<volatile unsigned char*>(outcome.host) + (size - 1);
    const unsigned char before = *byte;
    if (can_store(at(base) + Bytes(size - 1))) *byte = value;
    return {outcome.code, 0, before};
  }
  Answer unmap(Offset base) { return {machine_->host_unregister(kRunnerTimeline, at(base), 0).code, 0, 0}; }
  Answer set(Offset base, std::uint64_t size, unsigned char value) {
    return {machine_->set_memory(kRunnerTimeline, at(base), value, Bytes(size)), 0, 0};
  }
  Answer write(Offset base, unsigned char value) {
    return {machine_->copy_to_device(kRunnerTimeline, at(base), &value, Bytes(1)), 0, 0};
  }
  Answer read(Offset base) {
    unsigned char value = 0;
    const DriverCode code = machine_->copy_from_device(kRunnerTimeline, &value, at(base), Bytes(1));
    return {code, 0, value};
  }
  Answer feature(std::int32_t type) {
    return {DriverCode::kNone, 0, machine_->support_feature(0, type) ? std::uint64_t{1} : 0};
  }

  // Everything that can be compared: time, digest of all calls, blocks, mappings.
  [[nodiscard]] std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> words{machine_->now(kRunnerTimeline).count(), machine_->trace_digest()};
    for (const BlockInfo& block : machine_->live_blocks()) {
      words.insert(words.end(), {machine_->relative(block.base), block.size.count(), std::uint64_t(block.kind)});
    }
    for (const MappedExtent& extent : machine_->mapped_extents()) {
      words.insert(words.end(), {machine_->relative(extent.base), extent.size.count(), std::uint64_t(extent.access)});
      words.push_back(std::to_integer<std::uint64_t>(*machine_->device_bytes(extent.base, Bytes(1))));
    }
    return words;
  }

 private:
  [[nodiscard]] DeviceAddr at(Offset offset) const { return machine_->slice_base() + Bytes(offset); }
  // On a lenient platform a page keeps the access of its first mapping.
  [[nodiscard]] bool can_store(DeviceAddr address) const {
    for (const MappedExtent& extent : machine_->mapped_extents()) {
      if (Span{extent.base, extent.size}.contains(address)) return extent.access == HostAccess::kReadWrite;
    }
    return false;
  }
  std::unique_ptr<Machine> machine_;
};

class Sequence {
 public:
  Sequence(const Platform& platform, std::uint64_t seed)
      : random_(seed), plain_(platform, BackingKind::kPlain), mmu_(platform, BackingKind::kMmu) {}

  // The first difference, or an empty text.
  std::string run() {
    for (int call = 0; call < kCallsPerSequence; ++call) {
      std::string name;
      const auto [plain, mmu] = step(name);
      if (plain != mmu) {
        return "call " + std::to_string(call) + ", " + name + ": plain answers " +
               std::to_string(svmrt::code_number(plain.code)) + ", mmu " + std::to_string(svmrt::code_number(mmu.code));
      }
      if (plain_.state() != mmu_.state()) return "call " + std::to_string(call) + ", " + name + ": states differ";
    }
    return "";
  }
  [[nodiscard]] std::uint64_t mapped() const { return mapped_; }

 private:
  struct Block {
    Offset base;
    std::uint64_t size;
  };

  // An address in a live block, mostly its base, sometimes an interior or wild one.
  Offset some_address() {
    if (blocks_.empty()) return random_.below(1 << 22);
    const Block& block = blocks_[random_.below(blocks_.size())];
    switch (random_.below(6)) {
      case 0:
        return block.base + 4096 * random_.below(block.size / 4096 + 1);
      case 1:
        return block.base + random_.below(block.size);
      default:
        return block.base;
    }
  }

  std::pair<Answer, Answer> step(std::string& name) {
    const auto both = [this](auto operation) { return std::pair(operation(plain_), operation(mmu_)); };
    const auto value = static_cast<unsigned char>(random_.below(255) + 1);
    const std::uint64_t choice = random_.below(20);
    if (choice < 4) {
      name = "allocate";
      static constexpr std::array<std::uint64_t, 10> kSizes = {1,       4096,    65536,    256 << 10, 1677722,
                                                               1 << 20, 2 << 20, 38 << 20, 20 << 20,  600 << 20};
      const std::uint64_t size = random_.one_of(kSizes);
      std::uint64_t flag = kAllocSideDevice | kAllocHbm;
      if (random_.below(2) == 0) flag |= kAllocHuge;
      if (random_.below(12) == 0) flag |= kAllocReadOnly;
      const auto answers = both([&](Side& side) { return side.allocate(size, flag); });
      if (answers.first.code == DriverCode::kNone) blocks_.push_back({answers.first.address, size});
      return answers;
    }
    const Offset address = some_address();
    if (choice < 7) {
      name = "free";
      const auto answers = both([&](Side& side) { return side.free(address); });
      if (answers.first.code == DriverCode::kNone) {
        std::erase_if(blocks_, [&](const Block& block) { return block.base == address; });
      }
      return answers;
    }
    if (choice < 12) {
      name = "register";
      static constexpr std::array<std::uint64_t, 7> kSizes = {0, 1, 4096, 8192, 65536, 2 << 20, 5 << 20};
      const std::uint64_t size = random_.one_of(kSizes);
      std::uint32_t flag = random_.below(12) == 0 ? kHostMemMapDev : kDevSvmMapHost;
      if (random_.below(6) == 0) flag |= kRegisterReadOnly;
      const auto answers = both([&](Side& side) { return side.map(address, size, flag, value); });
      mapped_ += answers.first.code == DriverCode::kNone ? 1 : 0;
      return answers;
    }
    if (choice < 15) {
      name = "unregister";
      return both([&](Side& side) { return side.unmap(address); });
    }
    if (choice == 15) {
      name = "set";
      const std::uint64_t size = 1 + random_.below(4096);
      return both([&](Side& side) { return side.set(address, size, value); });
    }
    if (choice < 18) {
      name = "write";
      return both([&](Side& side) { return side.write(address, value); });
    }
    if (choice == 18) {
      name = "read";
      return both([&](Side& side) { return side.read(address); });
    }
    name = "feature";
    return both([](Side& side) { return side.feature(kFeatureRegisterQuery); });
  }

  Random random_;
  Side plain_;
  Side mmu_;
  std::vector<Block> blocks_;
  std::uint64_t mapped_ = 0;
};

TEST(BackingEquivalence, TenThousandSequencesGiveEqualCodesCostsAndBytes) {
  const std::vector<Platform> all = platforms();
  std::uint64_t mapped = 0;
  for (std::uint64_t seed = 0; seed < kSequences; ++seed) {
    const Platform& platform = all[seed % all.size()];
    Sequence sequence(platform, seed);
    const std::string difference = sequence.run();
    ASSERT_EQ(difference, "") << "seed " << seed << " on " << platform.name;
    mapped += sequence.mapped();
  }
  // The sequences reach what they are about: more than one view a sequence.
  EXPECT_GT(mapped, kSequences);
}

}  // namespace
}  // namespace svmsim
