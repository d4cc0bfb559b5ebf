// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace svmsim {

namespace fs = std::filesystem;

namespace {

std::string failed(const std::string& what, const std::string& path) {
  return fmt::format("cannot {} trace file {}: {}", what, path, std::strerror(errno));
}

// Picoseconds as a decimal number of `unit` picoseconds each, exact.
std::string in_units_of(svmrt::Picoseconds time, std::uint64_t unit) {
  std::string digits = std::to_string(unit + time.count() % unit);
  digits.erase(0, 1);  // the leading 1 kept the zeros behind it
  return fmt::format("{}.{}", time.count() / unit, digits);
}

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> TraceWriter::create(const std::string& asked_path) {
  if (asked_path.empty()) return tl::unexpected(std::string("an empty name is no file"));
  std::error_code error;
  const fs::file_status found = fs::status(asked_path, error);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    return tl::unexpected(fmt::format("{} is not a regular file", asked_path));
  }
  std::string path = fs::exists(found) ? fs::canonical(asked_path, error).string() : asked_path;
  std::string unfinished = path + ".XXXXXX";
  const int descriptor = mkstemp(unfinished.data());
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

void TraceWriter::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed_ = true;
}

void TraceWriter::on_call(const CallRecord& record) {
  const bool addressed = record.address >= origin_ && !record.address.is_null();
  const std::string address = addressed ? fmt::format("\"svm+{:#x}\"", (record.address - origin_).count()) : "null";
  const std::string facts = fmt::format("\"sequence\":{},\"address\":{},\"size\":{},\"code\":{}", record.sequence,
                                        address, record.size.count(), svmrt::code_number(record.code));
  const auto timeline = static_cast<std::uint32_t>(record.timeline);
  if (format_ == Format::kJsonLines) {
    write(fmt::format("{{\"call\":\"{}\",\"timeline\":{},{},\"begin_ns\":{},\"cost_ns\":{}}}\n",
                      call_kind_name(record.kind), timeline, facts, in_units_of(record.begin, 1000),
                      in_units_of(record.cost, 1000)));
  } else {
    write(fmt::format("{}{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}",
                      records_ == 0 ? "" : ",\n", call_kind_name(record.kind), timeline,
                      in_units_of(record.begin, 1'000'000), in_units_of(record.cost, 1'000'000), facts));
  }
  ++records_;
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
