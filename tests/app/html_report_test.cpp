// The report as a page: its contents, that nothing from a file breaks out of its place, and that it stays small.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/html_charts.h"
#include "app/html_text.h"
#include "app/program.h"
#include "timeline/theme.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kPageMostBytes = 3'000'000;

std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

// Elements are closed in the order in which they were opened, quotes end, and ids are unique.
void expect_well_formed(const std::string& page) {
  const std::set<std::string> empty_elements{"meta", "input", "!doctype"};
  std::vector<std::string> open;
  std::multiset<std::string> ids;
  for (std::size_t i = page.find('<'); i != std::string::npos; i = page.find('<', i)) {
    const bool closing = page[i + 1] == '/';
    std::size_t end = i + (closing ? 2 : 1);
    std::string name;
    while (end < page.size() && page[end] != ' ' && page[end] != '>' && page[end] != '/') name += page[end++];
    bool quoted = false;
    const std::size_t attributes = end;
    while (end < page.size() && (quoted || page[end] != '>')) quoted ^= page[end++] == '"';
    ASSERT_LT(end, page.size()) << "in <" << name;
    const std::string inside = page.substr(attributes, end - attributes);
    if (const std::size_t id = inside.find(" id=\""); id != std::string::npos) {
      ids.insert(inside.substr(id + 5, inside.find('"', id + 5) - id - 5));
    }
    if (closing) {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), name) << page.substr(i > 200 ? i - 200 : 0, 260);
      open.pop_back();
    } else if (page[end - 1] != '/' && !empty_elements.contains(name)) {
      open.push_back(name);
    }
    i = name == "style" && !closing ? page.find("</style>", end) : end;
  }
  EXPECT_TRUE(open.empty());
  for (const std::string& id : ids) EXPECT_EQ(ids.count(id), 1u) << id;
}

// The page loads nothing and runs nothing.
void expect_self_contained(const std::string& page) {
  for (const char* never :
       {"<script", "http://", "https://", "javascript:", "@import", "<img", "<link", "url(h", " src=\""}) {
    EXPECT_THAT(page, Not(HasSubstr(never)));
  }
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'"));
}

class HtmlReport : public ProgramTest {
 protected:
  std::string page_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--html", "page.html"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string page = text_of(folder_ / "page.html");
    EXPECT_LT(page.size(), kPageMostBytes);
    expect_well_formed(page);
    expect_self_contained(page);
    return page;
  }
};

TEST_F(HtmlReport, AnAnswerThatWasAskedForHasItsSection) {
  const std::vector<std::string> loop{"run", "--workload", "linear-mse", "--iterations", "100", "--json", "run.json"};
  const std::string without = page_of(loop);
  EXPECT_THAT(without, HasSubstr("Without this wait: 1.2"));
  EXPECT_THAT(without, Not(HasSubstr("id=\"prediction\"")));
  std::vector<std::string> asking = loop;
  asking.insert(asking.end(), {"--what-if", "no-wait:item()"});
  const std::string page = page_of(asking);
  EXPECT_THAT(page, HasSubstr("id=\"prediction\""));
  EXPECT_THAT(page, HasSubstr("<dt>What if no-wait:item()</dt><dd>1.2"));
  const Json json = Json::parse(text_of(folder_ / "run.json"));
  EXPECT_EQ(json["prediction"], json["advice"]["cards"][0]["what_if"]) << "one question, one answer";
  asking.back() = "pinned";
  EXPECT_THAT(page_of(asking), HasSubstr("<dd>No answer: pinned: nothing is copied from pageable memory"));
}

TEST_F(HtmlReport, OfARunHasAllSections) {
  const std::vector<std::string> command{"report", "--workload", "linear-mse",    "--iterations",
                                         "200",    "--set",      "log_interval=1"};
  const std::string page = page_of(command);
  for (const char* id :
       {"advice", "timeline", "time", "iterations", "calls", "kernels", "settings", "machine", "losses", "making"}) {
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + id + "\">"), 1u) << id;
  }
  EXPECT_THAT(page, AllOf(HasSubstr("Sync-bound"), HasSubstr("SIMULATED"), HasSubstr("<code>item()</code>"),
                          HasSubstr("<span>200 iterations</span>"), HasSubstr("role=\"img\" aria-label=\"Timeline:")));
  EXPECT_THAT(page, HasSubstr("<pre><code>lanescope report --workload linear-mse --iterations 200 --set log_interval=1 "
                              "--html page.html</code></pre>"));
  // The timeline uses the page's colours and follows its theme: light, dark, and dark with the switch on.
  EXPECT_THAT(page, AllOf(Not(HasSubstr("fill=\"#")), Not(HasSubstr("stroke=\"#")), HasSubstr("fill=\"var(--t0-0)\"")));
  EXPECT_EQ(occurrences(page, "\n--t0-0:"), 3u);
  // Made again, and via `run`: identical except for the command.
  EXPECT_EQ(page_of(command), page);
  std::vector<std::string> by_run = command;
  by_run[0] = "run";
  std::string same = page_of(by_run);
  same.replace(same.find("lanescope run "), 14, "lanescope report ");
  EXPECT_EQ(same, page);
}

// Everything readable on the page is in the JSON.
TEST_F(HtmlReport, TheJsonHoldsWhatThePageShows) {
  const Outcome outcome = run({"report", "--workload", "transfer-loop", "--iterations", "60", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Json json = Json::parse(outcome.out);
  Json& b = json["breakdown"];
  EXPECT_EQ(b["durations"]["count"], 60);
  Json& histogram = b["durations"]["histogram"];
  std::int64_t all = histogram["longer"];
  for (const auto& n : histogram["counts"]) all += n.get<std::int64_t>();
  EXPECT_EQ(all, 60);
  // Busy and idle with and without a cause are the whole time; what has no cause is the rest.
  std::int64_t known = b["time"]["gpu_busy_ns"];
  for (const auto& ns : b["time"]["bubbles_by_fine_cause"]) known += ns.get<std::int64_t>();
  EXPECT_LE(known, b["time"]["span_ns"].get<std::int64_t>());
  EXPECT_EQ(b["time"]["kernel_ns"].get<std::int64_t>() + b["time"]["exposed_copy_ns"].get<std::int64_t>(),
            b["time"]["gpu_busy_ns"]);
  double share = 0;
  for (const auto& kernel : b["kernels"]) share += kernel["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-9);
  ASSERT_FALSE(b["copies"].empty());
  EXPECT_EQ(b["copies"][0]["direction"], "host-to-device");
  EXPECT_FALSE(b["call_sites"].empty());
}

TEST_F(HtmlReport, OfAnExperimentHasBothSidesAndWhatWasPublished) {
  const std::string page = page_of({"report", "--experiment", "P09", "--iterations", "100", "--lang", "en"});
  for (const char* id : {"experiment", "comparison", "advice-1", "timeline-1", "timeline-2", "settings-2", "making"}) {
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + id + "\">"), 1u) << id;
  }
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>P09 "), HasSubstr("published"), HasSubstr("id=\"run-2\"")));
  EXPECT_EQ(occurrences(page, "<td>does not agree with this</td>"), 3u);
  const std::string link = page_of({"report", "--experiment", "P17", "--iterations", "2", "--lang", "en"});
  EXPECT_THAT(link, HasSubstr("<td>cannot be checked: No link has this rate; ours is that of the copy itself.</td>"));
  const std::string one = page_of({"report", "--experiment", "P09", "--side", "after", "--iterations", "100"});
  EXPECT_THAT(one,
              AllOf(HasSubstr("id=\"experiment\""), Not(HasSubstr("id=\"comparison\"")), HasSubstr("id=\"time\"")));
}

TEST_F(HtmlReport, OfTwoRunsSetsThemSideBySide) {
  const std::string page = page_of({"run", "--workload", "linear-mse", "--iterations", "60", "--set", "log_interval=1",
                                    "--compare", "log_interval=50"});
  EXPECT_THAT(page, AllOf(HasSubstr("id=\"comparison\""), HasSubstr("Log interval 1"), HasSubstr("Log interval 50")));
}

TEST_F(HtmlReport, OfRealPyTorchTraces) {
  for (const char* name : {"pytorch-ns-resolution", "pytorch-event-sync", "pytorch-alexnet"}) {
    const std::string page =
        page_of({"report", std::string(LANESCOPE_SOURCE_DIR) + "/tests/data/" + name + ".json.gz"});
    EXPECT_THAT(page, AllOf(HasSubstr("id=\"kernels\""), HasSubstr("Another program wrote the trace"),
                            Not(HasSubstr("class=\"badge\""))))
        << name;
  }
}

// Tries to break out of a text, an attribute, a style and a comment; includes control characters.
const std::string kEvil =
    R"(</code></style><script>alert(1)</script><img src=x onerror=a()>\"' -->]]>&lt;\u202e\u0000\u001b[31m)";

void expect_harmless(const std::string& page) {
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;/code&gt;&lt;/style&gt;&lt;script&gt;alert(1)"),
                          Not(HasSubstr("onerror=a()>")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
}

TEST_F(HtmlReport, NamesFromAnotherProgramStayText) {
  std::ofstream file(folder_ / "evil.json");
  file << R"({"traceEvents": [)";
  const auto event = [&](const char* category, const std::string& name, int start, int length,
                         const std::string& more) {
    file << R"({"ph":"X","cat":")" << category << R"(","name":")" << name << R"(","pid":7,"tid":7,"ts":)" << start
         << R"(,"dur":)" << length << R"(,"args":{)" << more << "}},\n";
  };
  for (int i = 0; i < 6; ++i) {
    const int t = i * 100;
    const std::string launch = R"("correlation":)" + std::to_string(2 * i + 1);
    event("user_annotation", "ProfilerStep#" + std::to_string(i), t, 100, "");
    event("user_annotation", "item" + kEvil, t + 1, 80, "");
    event("cuda_runtime", "cudaLaunchKernel", t + 2, 8, launch);
    event("kernel", "gemm<a & b>" + kEvil, t + 15, 20, launch + R"(,"stream":7,"device":0)");
    event("cuda_runtime", "cudaStreamSynchronize", t + 12, 40, R"("correlation":)" + std::to_string(2 * i + 2));
  }
  file << R"({"ph":"X","cat":"<b>bad)" << kEvil << R"(","name":"x","pid":7,"tid":7,"ts":0,"dur":1}]})";
  file.close();
  const std::string page = page_of({"report", "evil.json"});
  expect_harmless(page);
  EXPECT_THAT(page, AllOf(HasSubstr("gemm&lt;a &amp; b&gt;&lt;/code&gt;"), HasSubstr("&lt;b&gt;bad"),
                          HasSubstr("in <code>item")));
}

TEST_F(HtmlReport, FactsFromAFileStayText) {
  ASSERT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "30", "--trace", "t.json"}).status, 0);
  std::string text = text_of(folder_ / "t.json");
  for (const std::string name : {"linear-mse", "sim:rtx4090", "NVIDIA GeForce RTX 4090", "log_interval", "resident",
                                 "linear_forward", "item()"}) {
    const std::size_t found = occurrences(text, name);
    ASSERT_GT(found, 0u) << name;
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + name.size() + kEvil.size())) {
      text.insert(at + name.size(), kEvil);
    }
  }
  std::ofstream(folder_ / "t.json") << text;
  expect_harmless(page_of({"report", "t.json"}));
}

// A file whose head comes after its events is neither ours nor another program's.
TEST_F(HtmlReport, OfAFileThatContradictsItselfIsRefused) {
  std::ofstream(folder_ / "late.json")
      << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7}}],)"
      << R"("otherData":{"lanescope":"0.1.0"}})";
  expect_complaint(run({"report", "late.json"}), 1, {"late.json", "otherData", "after the events"});
}

// 3,000 kernels with long names on 40 streams, and a name of a megabyte.
TEST_F(HtmlReport, StaysSmallForLargeTraces) {
  std::ofstream file(folder_ / "large.json");
  file << R"({"traceEvents": [)";
  for (int i = 0; i < 3000; ++i) {
    file << R"({"ph":"X","cat":"kernel","name":"k)" << i << std::string(400, 'x') << R"(","pid":0,"tid":)" << i % 40
         << R"(,"ts":)" << i * 3 << R"(,"dur":2,"args":{"stream":)" << i % 40 << R"(,"device":0}},)";
  }
  file << R"({"ph":"X","cat":"kernel","name":")" << std::string(1'000'000, 'y')
       << R"(","pid":0,"tid":1,"ts":9100,"dur":900,"args":{"stream":1,"device":0}}]})";
  file.close();
  const std::string page = page_of({"report", "large.json"});
  EXPECT_THAT(page, HasSubstr("2,801 more are left out"));
}

TEST_F(HtmlReport, ComplainsInOneLineAndLeavesNothing) {
  const std::vector<std::string> loop{"--workload", "linear-mse", "--iterations", "5"};
  const auto complaint = [&](std::vector<std::string> arguments, int status, const std::vector<std::string>& parts) {
    expect_complaint(run(arguments), status, parts);
    EXPECT_TRUE(files().empty());
  };
  complaint({"report"}, 2, {"report needs a trace file", "--workload", "--experiment"});
  complaint({"report", "--html", "x.html"}, 2, {"report needs a trace file"});
  complaint({"report", "none.json", "--html", "x.html"}, 1, {"none.json", "cannot read"});
  complaint({"report", "none.json", "--workload", "linear-mse"}, 2, {"--workload", "a trace file is given"});
  complaint({"report", "none.json", "--html"}, 2, {"--html needs a value"});
  complaint({"report", "none.json", "--json", "-", "--html", "-"}, 2,
            {"--json and --html both write to standard output"});
  complaint({"run", "--workload", "linear-mse", "--html", "none/x.html"}, 1, {"none/x.html", "cannot write"});
  complaint({"run", "--workload", "linear-mse", "--html", "a", "--json", "./a"}, 2, {"named for two outputs"});
  std::ofstream(folder_ / "t.json") << R"({"traceEvents": []})";
  const std::string before = text_of(folder_ / "t.json");
  expect_complaint(run({"report", "t.json", "--html", "t.json"}), 2, {"t.json is the trace that is read"});
  EXPECT_EQ(text_of(folder_ / "t.json"), before);
  expect_complaint(run({"report", "t.json", "--html", "x.html"}), 1, {"t.json: it has no events"});
  EXPECT_THAT(files(), ElementsAre("t.json"));
}

TEST_F(HtmlReport, GoesToStandardOutputAlone) {
  const Outcome outcome = run({"report", "--workload", "linear-mse", "--iterations", "20", "--html", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("<!doctype html>"));
  EXPECT_TRUE(outcome.out.ends_with("</html>\n"));
}

TEST(HtmlText, EscapesAndShortens) {
  EXPECT_EQ(html::escaped("a<b>&\"'\x01\xff\n"), "a&lt;b&gt;&amp;&quot;&#39;\uFFFD\uFFFD ");
  EXPECT_EQ(html::escaped("äöü", 2), "äö…");
  EXPECT_EQ(html::percent(0.414), "41\u202f%");
  EXPECT_EQ(html::percent(0.0041), "0.4\u202f%");
  EXPECT_EQ(html::rate(1.0), "1");
  EXPECT_EQ(html::rate(0.25), "0.25");
}

// 1..100 and one of 10,000: the 99th percentile is 100 (rank 100 of 101), and 10,000 is more than four times as far
// from the shortest. So the bins end at 100, each 99 / 32 + 1 = 4 wide: 25 of them with four durations each.
TEST(Histogram, EndsAtThe99thPercentileWhereOneIsFarOff) {
  std::vector<analysis::Nanoseconds> durations{10'000};
  for (int i = 1; i <= 100; ++i) durations.push_back(i);
  const analysis::Histogram h = analysis::histogram(durations);
  EXPECT_EQ(h.from_ns, 1);
  EXPECT_EQ(h.width_ns, 4);
  EXPECT_EQ(h.counts, std::vector<std::int64_t>(25, 4));
  EXPECT_EQ(h.longer, 1);
  EXPECT_THAT(analysis::histogram({7, 7, 7}).counts, ElementsAre(3));
  EXPECT_TRUE(analysis::histogram({}).counts.empty());
}

// The stylesheet cannot include theme.h, so that a build without a window has its colours, too.
TEST(HtmlColours, AreThoseOfTheProgram) {
  using ui::Colour;
  const std::vector<std::pair<const char*, Colour>> named{{"ground", Colour::Ground},
                                                          {"row", Colour::Row},
                                                          {"panel", Colour::Panel},
                                                          {"raised", Colour::PanelRaised},
                                                          {"line", Colour::Line},
                                                          {"grid", Colour::Grid},
                                                          {"text", Colour::Text},
                                                          {"muted", Colour::Muted},
                                                          {"dim", Colour::Dim},
                                                          {"accent", Colour::Accent},
                                                          {"call", Colour::Call},
                                                          {"launch", Colour::Launch},
                                                          {"kernel", Colour::Kernel},
                                                          {"h2d", Colour::CopyH2D},
                                                          {"d2h", Colour::CopyD2H},
                                                          {"copy-other", Colour::CopyOther},
                                                          {"wait", Colour::Wait},
                                                          {"wait-ground", Colour::WaitGround},
                                                          {"wait-ink", Colour::WaitInk},
                                                          {"loader", Colour::LoaderWait},
                                                          {"loader-ground", Colour::LoaderWaitGround},
                                                          {"wrong", Colour::NotArrived},
                                                          {"bubble", Colour::Bubble},
                                                          {"bubble-ground", Colour::BubbleGround},
                                                          {"simulated", Colour::Simulated},
                                                          {"simulated-ink", Colour::SimulatedInk},
                                                          {"unknown", Colour::Unknown},
                                                          {"good", Colour::Good}};
  for (const ui::ThemeName name : {ui::ThemeName::Dark, ui::ThemeName::Light}) {
    const std::string css =
        text_of(std::string(LANESCOPE_SOURCE_DIR) + "/assets/report/" + std::string(ui::theme_key(name)) + ".css");
    for (const auto& [variable, colour] : named) {
      const std::uint32_t c = ui::theme(name)[colour];
      char wanted[64];
      std::snprintf(wanted, sizeof wanted, "--%s: #%02x%02x%02x;", variable, c & 255, c >> 8 & 255, c >> 16 & 255);
      EXPECT_THAT(css, HasSubstr(wanted));
    }
    EXPECT_EQ(occurrences(css, "--"), named.size());
  }
}

}  // namespace
}  // namespace lanescope::app::test
