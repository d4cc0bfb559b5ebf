// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sim/memory/memory_file.h"

namespace svmsim {

namespace fs = std::filesystem;

namespace {

std::string failed(const std::string& what, const std::string& path) {
  return fmt::format("cannot {} trace file {}: {}", what, path, std::strerror(errno));
}

// Picoseconds as a decimal number of thousands or millions of them, exact.
struct Decimal {
  std::uint64_t whole;
  std::uint64_t rest;
};
Decimal in_units_of(svmrt::Picoseconds time, std::uint64_t unit) { return {time.count() / unit, time.count() % unit}; }

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> TraceWriter::create(const std::string& asked_path) {
  if (asked_path.empty()) return tl::unexpected(std::string("an empty name is no file"));
  std::error_code error;
  const fs::file_status found = fs::status(asked_path, error);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    return tl::unexpected(fmt::format("{} is not a regular file", asked_path));
  }
  // The directory of the process may be another one when the file gets its name.
  std::string path = (fs::exists(found) ? fs::canonical(asked_path, error) : fs::absolute(asked_path, error)).string();
  if (error) return tl::unexpected(fmt::format("{}: {}", asked_path, error.message()));
  std::string unfinished = path + ".XXXXXX";
  const int descriptor = above_standard_streams(mkstemp(unfinished.data()));
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  if (file == nullptr) return tl::unexpected(failed("write", path));
  const Format format = path.ends_with(".jsonl") ? Format::kJsonLines : Format::kChromeEvents;
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(path), std::move(unfinished), file, format));
  if (format == Format::kChromeEvents) writer->write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  return writer;
}

TraceWriter::~TraceWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(unfinished_path_.c_str());
}

void TraceWriter::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed_ = true;
}

void TraceWriter::on_call(const CallRecord& record) {
  fmt::memory_buffer line;
  const auto out = fmt::appender(line);
  const auto timeline = static_cast<std::uint32_t>(record.timeline);
  const auto add_facts = [&] {
    fmt::format_to(out, "\"sequence\":{},\"address\":", record.sequence);
    if (record.address >= origin_ && !record.address.is_null()) {
      fmt::format_to(out, "\"svm+{:#x}\"", (record.address - origin_).count());
    } else {
      fmt::format_to(out, "null");
    }
    fmt::format_to(out, ",\"size\":{},\"code\":{}", record.size.count(), svmrt::code_number(record.code));
  };
  if (format_ == Format::kJsonLines) {
    const Decimal begin = in_units_of(record.begin, 1000);
    const Decimal cost = in_units_of(record.cost, 1000);
    fmt::format_to(out, "{{\"call\":\"{}\",\"timeline\":{},", call_kind_name(record.kind), timeline);
    add_facts();
    fmt::format_to(out, ",\"begin_ns\":{}.{:03},\"cost_ns\":{}.{:03}}}\n", begin.whole, begin.rest, cost.whole,
                   cost.rest);
  } else {
    const Decimal begin = in_units_of(record.begin, 1'000'000);
    const Decimal cost = in_units_of(record.cost, 1'000'000);
    fmt::format_to(out,
                   "{}{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{}.{:06},\"dur\":{}.{:06},\"args\":{{",
                   records_ == 0 ? "" : ",\n", call_kind_name(record.kind), timeline, begin.whole, begin.rest,
                   cost.whole, cost.rest);
    add_facts();
    fmt::format_to(out, "}}}}");
  }
  write({line.data(), line.size()});
  ++records_;
}

void TraceWriter::flush() {
  if (std::fflush(file_) != 0) failed_ = true;
}

tl::expected<void, std::string> TraceWriter::finish() {
  if (format_ == Format::kChromeEvents) write("\n]}\n");
  // mkstemp makes files that only their owner may read; a trace is as readable as any other new file.
  const mode_t mask = umask(0);
  umask(mask);
  const bool written = !failed_ && fchmod(fileno(file_), 0666 & ~mask) == 0 && std::fflush(file_) == 0;
  if (!written) return tl::unexpected(failed("write", path_));
  if (std::rename(unfinished_path_.c_str(), path_.c_str()) != 0) return tl::unexpected(failed("name", path_));
  std::fclose(std::exchange(file_, nullptr));
  return {};
}

}  // namespace svmsim
