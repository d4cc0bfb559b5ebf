// SPDX-License-Identifier: Apache-2.0
// With backing mmu every touch that the driver does not allow ends the process and is explained. Each is made in a
// child process by a machine of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <optional>

#include <cstdio>

#include "sim/driver/hal_flags.h"
#include "sim/machine/runtime_driver.h"
#include "sim/machine/touch_handler.h"
#include "sim/testing/fault_exit.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

constexpr Bytes kPage{4096};
constexpr Bytes kAboveCache{std::uint64_t{38} << 20};

// Device memory and its host view, one call after the other: the allocate is call 0.
class Program {
 public:
  explicit Program(Bytes size, const Platform& platform = test_platform())
      : machine_(make_test_machine(platform, {BackingKind::kMmu})),
        driver_(*machine_),
        block_(driver_.allocate(kRunnerTimeline, size).address),
        size_(size) {}

  volatile unsigned char* map(std::uint32_t flag = kDevSvmMapHost) {
    return static_cast<volatile unsigned char*>(
        machine_->host_register(kRunnerTimeline, block_, size_.count(), flag, 0).host);
  }
  [[nodiscard]] DriverCode unmap() { return driver_.unregister_from_host(kRunnerTimeline, block_); }
  [[nodiscard]] DriverCode free() { return driver_.free(kRunnerTimeline, block_); }
  [[nodiscard]] volatile unsigned char* device() const {
    return reinterpret_cast<volatile unsigned char*>(block_.value());
  }

 private:
  std::unique_ptr<Machine> machine_;
  RuntimeDriver driver_;
  DeviceAddr block_;
  Bytes size_;
};

// A step that must succeed before the touch; the child otherwise ends without a fault, and the test fails.
void must(bool holds) {
  if (!holds) std::_Exit(0);
}

class ForbiddenTouch : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ForbiddenTouch, F4BeforeRegister) {
  EXPECT_EXIT(
      {
        const Program program(kPage);
        program.device()[16] = 1;
      },
      died_of_a_fault,
      "device memory that is not mapped \\(F4\\)\n  allocation: svm\\+0x0, 4128 bytes, allocated by call 0; offset 16\n"
      "  mapping: never mapped");
}

TEST_F(ForbiddenTouch, F4AfterUnregister) {
  EXPECT_EXIT(
      {
        Program program(kPage);
        volatile unsigned char* const view = program.map();
        view[5] = 1;
        must(program.unmap() == DriverCode::kNone);
        view[5] = 2;
      },
      died_of_a_fault,
      "allocation: svm\\+0x0, .* offset 5\n  mapping: mapped by call 1 \\(register\\), unmapped by call 2 "
      "\\(unregister\\)");
}

TEST_F(ForbiddenTouch, F4AfterAFreeThatReachedTheKernel) {
  EXPECT_EXIT(
      {
        Program program(kAboveCache);
        volatile unsigned char* const view = program.map();
        view[0] = 1;
        must(program.unmap() == DriverCode::kNone);
        must(program.free() == DriverCode::kNone);
        view[0] = 2;
      },
      died_of_a_fault, "last owner: svm\\+0x0, .* freed by call 3 \\(free\\); offset 0\n.*unmapped by call 2");
}

// F2a: the driver drops the mapping with the idle heap, and nobody unregistered. Two blocks of 512 MiB fill a heap, the
// third block is alone in the next one.
TEST_F(ForbiddenTouch, F2aAfterAFreeThatDestroyedAnIdleHeap) {
  EXPECT_EXIT(
      {
        Platform platform = test_platform();
        platform.hbm = Bytes(std::uint64_t{4} << 30);
        const auto machine = make_test_machine(platform, {BackingKind::kMmu});
        constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
        must(machine->mem_alloc(kRunnerTimeline, 512 * kMiB, kAllocSideDevice | kAllocHuge).code == DriverCode::kNone);
        must(machine->mem_alloc(kRunnerTimeline, 512 * kMiB, kAllocSideDevice | kAllocHuge).code == DriverCode::kNone);
        const DeviceAddr block = machine->mem_alloc(kRunnerTimeline, 2 * kMiB, kAllocSideDevice | kAllocHuge).address;
        const auto view = machine->host_register(kRunnerTimeline, block, 2 * kMiB, kDevSvmMapHost, 0);
        must(view.code == DriverCode::kNone);
        must(machine->mem_free(kRunnerTimeline, block) == DriverCode::kNone);
        *static_cast<volatile unsigned char*>(view.host) = 1;
      },
      died_of_a_fault,
      "last owner: svm\\+0x40000000, .* freed by call 4 \\(free\\); offset 0\n  mapping: mapped by call 3 "
      "\\(register\\), unmapped by call 4 \\(free\\)");
}

TEST_F(ForbiddenTouch, R1RawDeviceAddressOnANonIdentityPlatform) {
  EXPECT_EXIT(
      {
        Platform platform = test_platform();
        platform.non_identity = true;
        Program program(kPage, platform);
        *program.map() = 1;
        *program.device() = 2;
      },
      died_of_a_fault, "on this platform views lie elsewhere.*\n  allocation: svm\\+0x0.*\n.*call 1 .register., still");
}

TEST_F(ForbiddenTouch, ViewOfANonIdentityPlatformAfterUnregister) {
  EXPECT_EXIT(
      {
        Platform platform = test_platform();
        platform.non_identity = true;
        Program program(kPage, platform);
        volatile unsigned char* const view = program.map();
        must(program.unmap() == DriverCode::kNone);
        view[7] = 2;
      },
      died_of_a_fault, "not mapped \\(F4\\)\n  allocation: svm\\+0x0, .* offset 7\n.*unmapped by call 2");
}

TEST_F(ForbiddenTouch, R9StoreToAReadOnlyMapping) {
  EXPECT_EXIT(
      {
        Program program(kPage);
        volatile unsigned char* const view = program.map(kDevSvmMapHost | kRegisterReadOnly);
        must(view != nullptr && *view == 0);
        *view = 1;
      },
      died_of_a_fault, "a store to a read-only mapping \\(R9\\)\n  allocation: svm\\+0x0");
}

TEST_F(ForbiddenTouch, R11InAForkedChild) {
  EXPECT_EXIT(
      {
        Program program(kPage);
        volatile unsigned char* const view = program.map();
        *view = 1;
        const pid_t child = fork();
        if (child == 0) *view = 2;
        int status = 0;
        must(child > 0 && waitpid(child, &status, 0) == child && *view == 1);
        must(died_of_a_fault(status));
        std::_Exit(42);
      },
      ::testing::ExitedWithCode(42), "a child does not inherit host mappings \\(R11\\)\n  allocation: svm\\+0x0");
}

// The handler that a program installed before still gets every signal.
void end_with_77(int /*signal*/) { std::_Exit(77); }
TEST_F(ForbiddenTouch, EarlierHandlerOfTheProgramIsCalledAfterTheReport) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, end_with_77);
        const Program program(kPage);
        *program.device() = 1;
      },
      ::testing::ExitedWithCode(77), "svmsim: forbidden touch of");
}

// One that asked for the address finds the one that was touched.
volatile std::uintptr_t expected_address = 0;
void end_with_78_at_the_expected_address(int /*signal*/, siginfo_t* info, void* /*context*/) {
  std::_Exit(reinterpret_cast<std::uintptr_t>(info->si_addr) == expected_address ? 78 : 1);
}
TEST_F(ForbiddenTouch, EarlierHandlerThatAsksForTheAddressIsGivenIt) {
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_sigaction = end_with_78_at_the_expected_address;
        action.sa_flags = SA_SIGINFO;
        must(sigaction(SIGSEGV, &action, nullptr) == 0);
        const Program program(kPage);
        expected_address = reinterpret_cast<std::uintptr_t>(program.device()) + 16;
        program.device()[16] = 1;
      },
      ::testing::ExitedWithCode(78), "svmsim: forbidden touch of");
}

TEST_F(ForbiddenTouch, IgnoredSignalOfATouchEndsTheProcessAllTheSame) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_IGN);
        const Program program(kPage);
        *program.device() = 1;
      },
      died_of_a_fault, "svmsim: forbidden touch of");
}

// A signal that somebody sends is no touch, whatever number it carries.
TEST_F(ForbiddenTouch, SentSignalIsNotExplainedAndTakesItsUsualEffect) {
  EXPECT_EXIT(
      {
        const Program program(kPage);
        std::fputs("before ", stderr);
        std::raise(SIGSEGV);
        std::_Exit(0);
      },
      died_of_a_fault, poison_is_active() ? "before " : "^before $");
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_IGN);
        const Program program(kPage);
        std::raise(SIGSEGV);
        std::raise(SIGSEGV);
        std::_Exit(42);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST_F(ForbiddenTouch, F3AfterTheDeviceWasClosed) {
  EXPECT_EXIT(
      {
        const auto machine = make_test_machine(test_platform(), {BackingKind::kMmu});
        RuntimeDriver driver(*machine);
        const DeviceAddr block = driver.allocate(kRunnerTimeline, kPage).address;
        const auto view = driver.register_to_host(kRunnerTimeline, block, kPage);
        must(view.code == DriverCode::kNone);
        machine->device_close(kRunnerTimeline);
        *static_cast<volatile unsigned char*>(view.host) = 1;
      },
      died_of_a_fault, "last owner: svm\\+0x0, .* freed by call 2 \\(close\\).*\n.*unmapped by call 2 \\(close\\)");
}

TEST_F(ForbiddenTouch, BehindTheBytesOfABlockNamesTheBlock) {
  EXPECT_EXIT(
      {
        const Program program(Bytes(64));
        program.device()[2000] = 1;
      },
      died_of_a_fault,
      "none was ever at svm\\+0x7d0\n  nearest below: svm\\+0x0, 96 bytes, allocated by call 0; offset 2000\n");
}

TEST_F(ForbiddenTouch, FaultElsewhereIsNotExplainedAndEndsAsEver) {
  EXPECT_EXIT(
      {
        const Program program(kPage);
        std::fputs("before ", stderr);
        volatile unsigned char* nowhere = nullptr;
        asm volatile("" : "+r"(nowhere));  // the compiler must not see that it is null
        *nowhere = 1;
      },
      died_of_a_fault, poison_is_active() ? "before " : "^before $");
}

TEST_F(ForbiddenTouch, WatchThatIsGoneExplainsNothing) {
  EXPECT_EXIT(
      {
        const MappingHistory history;
        std::optional<TouchWatch> watch;
        watch.emplace(TouchRanges{DeviceAddr(kPage.count()), kPage, kPage.count()}, history);
        watch.reset();
        std::fputs("before ", stderr);
        auto* nowhere = reinterpret_cast<volatile unsigned char*>(kPage.count());
        asm volatile("" : "+r"(nowhere));
        *nowhere = 1;
      },
      died_of_a_fault, poison_is_active() ? "before " : "^before $");
}

// As a program that probes memory: it leaves the handler by a jump that does not restore the signal mask.
jmp_buf back;
void jump_back(int /*signal*/) { longjmp(back, 1); }
TEST_F(ForbiddenTouch, SecondTouchIsExplainedAfterTheEarlierHandlerJumpedOut) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, jump_back);
        const Program program(kPage);
        static volatile int touches = 0;
        if (setjmp(back) != 0) touches = touches + 1;
        if (touches == 2) std::_Exit(77);
        program.device()[touches] = 1;
      },
      ::testing::ExitedWithCode(77), "offset 0\n(.|\n)*offset 1\n");
}

}  // namespace
}  // namespace svmsim
