#include "io/summary_file.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>

#include "analysis/live_analysis.h"
#include "analysis/run_figures.h"
#include "base/error.h"
#include "base/platform/files.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/atomic_file.h"
#include "io/job_of_ranks.h"
#include "io/session_format.h"
#include "io/trace_file.h"

namespace lanescope::io {
namespace {

namespace fs = std::filesystem;
using analysis::JobSummary;
using base::tr;

constexpr std::string_view kSummaryMagic{"\x89LSS\r\n\x1a\n", 8};
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kHeadBytes = 24;
/// More than any that packs into kMostSummaryBytes has.
constexpr std::size_t kMostUnpacked = 1 << 20;
constexpr int kSummaryLevel = 9;  // a few milliseconds

/// Fewer of what takes most of the bytes; false: there is nothing left to leave out.
bool shorten(JobSummary& summary) {
  constexpr std::size_t kFewestIterations = 100;
  if (summary.iterations.size() > kFewestIterations) {
    summary.iteration_stride *= 2;
    std::erase_if(summary.iterations,
                  [&](const analysis::JobIteration& one) { return one.number % summary.iteration_stride != 0; });
  } else if (!summary.collectives.empty()) {
    summary.thin(summary.stride * 2);
  } else if (!summary.clock.pairs.empty()) {
    summary.clock.pairs.resize(summary.clock.pairs.size() / 2);
  } else if (!summary.communicators.empty()) {
    summary.communicators.clear();
  } else {
    return false;
  }
  return true;
}

std::string read_bytes(const fs::path& path) {
  const auto fail = [&] {
    throw base::FileError(fmt::format("{}: {}: {}", path.string(), tr("cannot read"), base::system_error_text(errno)));
  };
  const base::File file(base::open_file(path, "rb"));
  if (!file) fail();
  std::string bytes(analysis::kMostSummaryBytes + 1, '\0');
  errno = 0;
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0) fail();
  return bytes;
}

analysis::JobRank rank_of(const OpenedTrace& opened, const fs::path& path) {
  analysis::JobRank who;
  who.rank = opened.rank >= 0 ? opened.rank : rank_in_name(path.filename().string()).value_or(-1);
  who.ranks = opened.world_size;
  who.host = opened.facts.clock.host;
  who.gpu = opened.facts.device_name;
  who.program = opened.facts.program;
  who.ended = opened.incomplete;
  return who;
}

analysis::JobClockFacts clock_of(const OpenedTrace& opened) {
  const trace::ClockFacts& facts = opened.facts.clock;
  analysis::JobClockFacts clock;
  if (!facts.boot_id.empty()) clock.clock = facts.boot_id + ' ' + facts.time_namespace;
  clock.origin_ns = facts.origin_ns;
  for (const trace::ClockReading& reading : facts.readings) {
    const base::Nanoseconds error = reading.maxerror_us * base::kMicrosecond + reading.width_ns / 2;
    clock.pairs.push_back({reading.monotonic_ns, reading.real_ns, reading.synchronised() ? error : 0});
  }
  // Another program's file says when its time 0 was; whether that is right, nobody knows.
  if (!opened.own && opened.time_offset_ns > 0) clock.pairs.push_back({0, opened.time_offset_ns, 0});
  return clock;
}

}  // namespace

std::vector<analysis::JobSummary> summaries_of_recording(const fs::path& path, ReadProgress* progress) {
  const OpenedTrace opened = read_traces({path}, progress);
  const trace::Trace& trace = *opened.trace;
  analysis::LiveAnalysis analysis(trace);
  analysis.update(std::numeric_limits<base::Nanoseconds>::max());
  analysis.finish();
  analysis::RunFigures figures = analysis::figures_of(trace, analysis, opened.facts);
  figures.idle = analysis::idle_ledger(trace, analysis, figures.summary);
  return analysis::summaries_of(trace, analysis, figures, rank_of(opened, path), clock_of(opened));
}

std::string packed_summary(JobSummary summary) {
  for (;;) {
    const std::string bytes = analysis::encoded(summary);
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kSummaryLevel);
    if (ZSTD_isError(size)) throw base::Error(ZSTD_getErrorName(size));
    packed.resize(size);
    if ((packed.size() + kHeadBytes > analysis::kMostSummaryBytes || bytes.size() > kMostUnpacked) && shorten(summary))
      continue;
    std::string file(kSummaryMagic);
    for (const std::size_t number : {std::size_t{kFormat}, bytes.size(), packed.size()}) {
      session::put(file, static_cast<std::uint32_t>(number));
    }
    session::put(file, session::checksum(packed));
    return file + packed;
  }
}

JobSummary unpacked_summary(std::string_view bytes, std::string_view name) {
  const auto fail = [&](const std::string& why) { throw base::FileError(fmt::format("{}: {}", name, why)); };
  session::Bytes in(bytes);
  if (in.take_bytes(kSummaryMagic.size()) != kSummaryMagic) fail(tr("not a summary of Lanescope"));
  const auto format = in.take<std::uint32_t>(), size = in.take<std::uint32_t>(), stored = in.take<std::uint32_t>(),
             sum = in.take<std::uint32_t>();
  if (in.bad()) fail(tr("it ends too early"));
  if (format > kFormat) fail(tr("written by a newer Lanescope; this one cannot read it"));
  if (format == 0) fail(tr("not a summary of Lanescope"));
  if (size > kMostUnpacked) {
    fail(tr("it claims {}; allowed: {}", base::format_bytes(size),
            base::format_bytes(static_cast<std::int64_t>(kMostUnpacked))));
  }
  const std::string_view packed = in.take_bytes(stored);
  if (in.bad() || in.more()) fail(tr("it ends too early"));
  if (session::checksum(packed) != sum) fail(tr("its checksum is wrong"));
  std::string unpacked(size, '\0');
  const std::size_t got = ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size) fail(tr("its compressed data makes no sense"));
  try {
    return analysis::decoded_summary(unpacked);
  } catch (const base::Error& error) {
    throw base::FileError(fmt::format("{}: {}", name, error.what()));
  }
}

void write_summary(const fs::path& path, const JobSummary& summary) {
  AtomicFile file(path);
  file.write(packed_summary(summary));
  file.commit();
}

JobSummary read_summary(const fs::path& path) { return unpacked_summary(read_bytes(path), path.string()); }

std::vector<fs::path> summaries_in(const fs::path& folder) {
  constexpr int kDeepest = 8;
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->path().extension() == kSummaryEnding && at->is_regular_file(ignored)) files.push_back(at->path());
  }
  if (error) throw base::FileError(tr("{}: {}", folder.string(), error.message()));
  if (files.empty()) {
    throw base::FileError(
        tr("{}: a folder without summaries (.summary); lanescope reduce makes them", folder.string()));
  }
  std::ranges::sort(files);
  return files;
}

fs::path summary_path(const fs::path& recording, std::string_view which) {
  fs::path stem = recording.filename();
  if (stem.extension() == ".gz") stem = stem.stem();
  std::string name = stem.stem().string();
  if (!which.empty()) name += fmt::format("-{}", which);
  return recording.parent_path() / (name + std::string(kSummaryEnding));
}

}  // namespace lanescope::io
