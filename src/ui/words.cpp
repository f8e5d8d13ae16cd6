#include "ui/words.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/translate.h"

// Marks a text for translation where it stands in a table; it is translated where it is shown.
#define N_(text) text

namespace lanescope::ui {
namespace {

using experiment::Language;

struct InBoth {
  const char *english, *chinese;
};

constexpr std::array<InBoth, static_cast<std::size_t>(Word::Count)> kWords{{
    {N_("Experiments"), "实验"},
    {N_("EXPERIMENT"), "实验"},
    {N_("All experiments"), "全部实验"},
    {N_("type to filter"), "输入以筛选"},
    {N_("No experiment has these words."), "没有符合的实验。"},
    {N_("Start"), "开始"},
    {N_("WHAT IT SHOWS"), "看点"},
    {N_("WATCH"), "观察"},
    {N_("TURN"), "调节"},
    {N_("PUBLISHED"), "教程给出的数字"},
    {N_("PUBLISHED BESIDE THIS RUN"), "教程的数字与本次运行"},
    {N_("here"), "本次"},
    {N_("WHERE THE TUTORIAL ERRS"), "教程的错误之处"},
    {N_("before"), "之前"},
    {N_("after"), "之后"},
    {N_("THIS RUN"), "本次运行"},
    {N_("iteration"), "每次迭代"},
    {N_("GPU busy"), "GPU 忙碌"},
    {N_("syncs/iter."), "同步/迭代"},
    {N_("THE PROGRAM'S OWN FIGURES"), "程序自己的数字"},
    {N_("changed by hand: neither side"), "已手动修改：不属于任何一侧"},
    {N_("told on"), "讲述于"},
    {N_("running on"), "运行于"},
    {N_("measured"), "实测"},
    {N_("estimate"), "估计"},
    {N_("impossible"), "不可能"},
    {N_("Not run yet: flip the switch to this side."), "尚未运行：请切换到这一侧。"},
    {N_("Has settings of its own: lanescope run --experiment shows it."),
     "有自己的设置：用 lanescope run --experiment 查看。"},
    {N_("There is no figure to set beside it."), "没有可与之比较的数字。"},
    {N_("more"), "更多"},
    {N_("less"), "收起"},
    {N_("OTHER KNOBS"), "其他旋钮"},
    {N_("FREE PLAY"), "自由试验"},
    {N_("runs now"), "正在运行"},
    {N_("faster"), "更快"},
    {N_("slower"), "更慢"},
    {N_("the same"), "相同"},
    {N_("Close"), "关闭"},
    {N_("experiments"), "个实验"},
    {N_("The queue still fills: the CPU runs ahead of the GPU. Figures follow when it is full."),
     "队列还在填充：CPU 跑在 GPU 前面。填满后才有数字。"},
}};

struct Chapter {
  std::string_view workload;
  InBoth title;
};
// Workloads that tell one story stand under one heading.
constexpr std::array<Chapter, 10> kChapters{{
    {"linear-mse", {N_("WHAT A READ COSTS"), "读取一个数的代价"}},
    {"readback", {N_("GETTING NUMBERS OUT"), "怎样取回数据"}},
    {"plot-transfer", {N_("GETTING NUMBERS OUT"), "怎样取回数据"}},
    {"transfer-loop", {N_("BRINGING DATA IN"), "怎样送入数据"}},
    {"control-flow", {N_("BRANCHES ON GPU VALUES"), "由 GPU 的值决定的分支"}},
    {"bandwidth", {N_("PINNED MEMORY AND BANDWIDTH"), "锁页内存与带宽"}},
    {"raw-cuda", {N_("CUDA WITHOUT PYTORCH"), "不用 PyTorch 的 CUDA"}},
    {"dataloader", {N_("LOADING DATA"), "数据加载"}},
    {"iris-mlp", {N_("A SMALL NETWORK"), "一个小网络"}},
    {"break-even", {N_("CPU OR GPU"), "用 CPU 还是 GPU"}},
}};

const char* in(const InBoth& text, Language language) {
  return language == Language::Chinese ? text.chinese : base::tr(text.english);
}

}  // namespace

std::string word(Word w, Language language) { return in(kWords[static_cast<std::size_t>(w)], language); }

std::string word(experiment::Quality quality, Language language) {
  switch (quality) {
    case experiment::Quality::Measured:
      return word(Word::Measured, language);
    case experiment::Quality::Estimate:
      return word(Word::Estimate, language);
    default:
      return word(Word::Impossible, language);
  }
}

std::string chapter(const std::string& workload, Language language) {
  for (const Chapter& c : kChapters) {
    if (c.workload == workload) return in(c.title, language);
  }
  return workload;
}

std::string no_chinese_text() {
  return fmt::format(fmt::runtime(base::tr("no font with Chinese letters here; install the package {}")),
                     kChineseFontPackage);
}

const char* language_name(Language language) { return language == Language::Chinese ? "中文" : "EN"; }

ChineseTexts chinese_texts(Language language) {
  ChineseTexts texts;
  texts.body = language_name(Language::Chinese);  // the switch itself
  if (language == Language::English) return texts;
  for (const InBoth& w : kWords) texts.body += w.chinese;
  for (const Chapter& c : kChapters) texts.body += c.title.chinese;
  texts.small = texts.body;
  for (const experiment::Experiment& e : experiment::experiments()) {
    texts.title += e.title[language];
    texts.body += e.title[language];
    for (const experiment::Variant& side : e.sides) {
      texts.body += side.label[language];
      texts.small += side.label[language];
    }
    for (const experiment::Text* t : {&e.shows, &e.watch, &e.knob, &e.correction}) texts.body += (*t)[language];
    texts.small += e.shows[language] + e.knob[language];
    for (const experiment::Published& p : e.published) {
      texts.small += p.label[language] + p.environment[language];
      texts.body += p.label[language] + p.environment[language];
    }
  }
  texts.title += word(Word::Experiments, language);
  return texts;
}

}  // namespace lanescope::ui
