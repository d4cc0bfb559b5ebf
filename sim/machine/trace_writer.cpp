// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/trace_writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>

#include "sim/output/json_document.h"

namespace svmsim {

namespace {

// Picoseconds as a decimal number of thousands or millions of them, exact.
struct Decimal {
  std::uint64_t whole;
  std::uint64_t rest;
};
// The device is the second process of Chrome's events, its cores are threads: cube cores from 0, vector cores from
// here.
constexpr std::uint64_t kFirstVectorTrack = 100'000;

Decimal in_units_of(svmrt::Picoseconds time, std::uint64_t unit) { return {time.count() / unit, time.count() % unit}; }

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> TraceWriter::create(const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  const Format format = (*file)->path().ends_with(".jsonl") ? Format::kJsonLines : Format::kChromeEvents;
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(*file), format));
  if (format == Format::kChromeEvents) writer->file_->write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  return writer;
}

void TraceWriter::on_call(const CallRecord& record) {
  // Ten numbers of at most 20 digits, a name and the words.
  std::array<char, 512> line;
  char* end = line.data();
  const auto timeline = static_cast<std::uint32_t>(record.timeline);
  const auto add_facts = [&] {
    end = fmt::format_to(end, FMT_COMPILE("\"sequence\":{},\"address\":"), record.sequence);
    if (record.address >= origin_ && !record.address.is_null()) {
      end = fmt::format_to(end, FMT_COMPILE("\"svm+{:#x}\""), (record.address - origin_).count());
    } else {
      end = fmt::format_to(end, FMT_COMPILE("null"));
    }
    end = fmt::format_to(end, FMT_COMPILE(",\"size\":{},\"code\":{}"), record.size.count(),
                         svmrt::code_number(record.code));
  };
  if (format_ == Format::kJsonLines) {
    const Decimal begin = in_units_of(record.begin, 1000);
    const Decimal cost = in_units_of(record.cost, 1000);
    end = fmt::format_to(end, FMT_COMPILE("{{\"call\":\"{}\",\"timeline\":{},"), call_kind_name(record.kind), timeline);
    add_facts();
    end = fmt::format_to(end, FMT_COMPILE(",\"begin_ns\":{}.{:03},\"cost_ns\":{}.{:03}}}\n"), begin.whole, begin.rest,
                         cost.whole, cost.rest);
    return file_->write({line.data(), end});
  }
  const Decimal begin = in_units_of(record.begin, 1'000'000);
  const Decimal cost = in_units_of(record.cost, 1'000'000);
  end = fmt::format_to(
      end,
      FMT_COMPILE("{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{}.{:06},\"dur\":{}.{:06},\"args\":{{"),
      call_kind_name(record.kind), timeline, begin.whole, begin.rest, cost.whole, cost.rest);
  add_facts();
  end = fmt::format_to(end, FMT_COMPILE("}}}}"));
  write_event({line.data(), end});
}

void TraceWriter::write_event(std::string_view event) {
  if (events_++ > 0) file_->write(",\n");
  file_->write(event);
}

void TraceWriter::add_core_span(const CoreTraceSpan& span) {
  const std::string kernel = line_text(Json(span.kernel));
  if (format_ == Format::kJsonLines) {
    const Decimal begin = in_units_of(span.begin, 1000);
    const Decimal cost = in_units_of(span.cost, 1000);
    return file_->write(fmt::format(
        "{{\"core\":\"{} {}\",\"kernel\":{},\"task\":{},\"block\":{},\"begin_ns\":{}.{:03},\"cost_ns\":{}.{:03}}}\n",
        span.core_kind, span.core, kernel, span.task, span.block, begin.whole, begin.rest, cost.whole, cost.rest));
  }
  const std::uint64_t track = span.core + (span.core_kind == "vector" ? kFirstVectorTrack : 0);
  if (named_tracks_.empty()) {
    write_event(R"({"name":"process_name","ph":"M","pid":0,"args":{"name":"host"}})");
    write_event(R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"device"}})");
  }
  if (named_tracks_.insert(track).second) {
    write_event(
        fmt::format("{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":\"{} {}\"}}}}",
                    track, span.core_kind, span.core));
  }
  const Decimal begin = in_units_of(span.begin, 1'000'000);
  const Decimal cost = in_units_of(span.cost, 1'000'000);
  write_event(
      fmt::format("{{\"name\":{},\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{}.{:06},\"dur\":{}.{:06},\"args\":{{"
                  "\"task\":{},\"block\":{}}}}}",
                  kernel, track, begin.whole, begin.rest, cost.whole, cost.rest, span.task, span.block));
}

tl::expected<void, std::string> TraceWriter::finish() {
  if (format_ == Format::kChromeEvents) file_->write("\n]}\n");
  return file_->finish();
}

}  // namespace svmsim
