// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace svmsim {

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

TraceWriter::TraceWriter(std::string path, Format format) : path_(std::move(path)), format_(format) {
  file_.open(unfinished_path(), std::ios::binary | std::ios::trunc);
}

tl::expected<std::unique_ptr<TraceWriter>, std::string> TraceWriter::create(const std::string& path) {
  const Format format = path.ends_with(".jsonl") ? Format::kJsonLines : Format::kChromeEvents;
  std::unique_ptr<TraceWriter> writer(new TraceWriter(path, format));
  if (!writer->file_.is_open()) return tl::unexpected(failed("write", path));
  if (format == Format::kChromeEvents) writer->file_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  return writer;
}

TraceWriter::~TraceWriter() {
  if (!file_.is_open()) return;
  file_.close();
  std::remove(unfinished_path().c_str());
}

void TraceWriter::on_call(const CallRecord& record) {
  const bool addressed = record.address >= origin_ && !record.address.is_null();
  const std::string address = addressed ? fmt::format("\"svm+{:#x}\"", (record.address - origin_).count()) : "null";
  const std::string facts = fmt::format("\"sequence\":{},\"address\":{},\"size\":{},\"code\":{}", record.sequence,
                                        address, record.size.count(), svmrt::code_number(record.code));
  const auto timeline = static_cast<std::uint32_t>(record.timeline);
  if (format_ == Format::kJsonLines) {
    file_ << fmt::format("{{\"call\":\"{}\",\"timeline\":{},{},\"begin_ns\":{},\"cost_ns\":{}}}\n",
                         call_kind_name(record.kind), timeline, facts, in_units_of(record.begin, 1000),
                         in_units_of(record.cost, 1000));
  } else {
    file_ << fmt::format("{}{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}",
                         records_ == 0 ? "" : ",\n", call_kind_name(record.kind), timeline,
                         in_units_of(record.begin, 1'000'000), in_units_of(record.cost, 1'000'000), facts);
  }
  ++records_;
}

tl::expected<void, std::string> TraceWriter::finish() {
  if (format_ == Format::kChromeEvents) file_ << "\n]}\n";
  file_.flush();
  if (!file_) return tl::unexpected(failed("write", path_));
  file_.close();
  if (std::rename(unfinished_path().c_str(), path_.c_str()) != 0) return tl::unexpected(failed("name", path_));
  return {};
}

}  // namespace svmsim
