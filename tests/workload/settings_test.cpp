#include "workload/settings.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "base/error.h"
#include "workload/common_settings.h"
#include "workload/workload.h"

namespace lanescope::workload {
namespace {

Settings settings() {
  SettingSpec interval{.key = "log_interval",
                       .label = "Log interval",
                       .help = "",
                       .type = SettingType::Integer,
                       .standard = std::int64_t{1},
                       .minimum = 0,
                       .maximum = 100'000};
  SettingSpec feed{.key = "feed",
                   .label = "Feed",
                   .help = "",
                   .type = SettingType::Choice,
                   .standard = std::string("resident"),
                   .choices = {"resident", "per-iteration"}};
  SettingSpec pinned{.key = "pinned", .label = "Pinned", .help = "", .type = SettingType::Bool, .standard = false};
  SettingSpec dispatch{.key = "dispatch_us",
                       .label = "Dispatch",
                       .help = "",
                       .type = SettingType::Real,
                       .standard = 10.0,
                       .minimum = 0,
                       .maximum = 200};
  SettingSpec seed{.key = "seed",
                   .label = "Seed",
                   .help = "",
                   .type = SettingType::Integer,
                   .standard = std::int64_t{1},
                   .minimum = 0,
                   .maximum = 2'147'483'647};
  return Settings({interval, feed, pinned, dispatch, seed});
}

template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "accepted";
}
std::string refusal_of(const std::string& assignment) {
  Settings s = settings();
  const std::string why = refusal([&] { s.assign(assignment); });
  EXPECT_TRUE(why == "accepted" || s == settings()) << "a refused value changed something";
  return why;
}

TEST(Settings, StartAtTheirDefaults) {
  const Settings s = settings();
  EXPECT_EQ(s.integer("log_interval"), 1);
  EXPECT_EQ(s.choice("feed"), "resident");
  EXPECT_FALSE(s.boolean("pinned"));
  EXPECT_EQ(s.real("dispatch_us"), 10.0);
  EXPECT_EQ(s.specs().size(), 5u);
  EXPECT_EQ(s.spec("pinned")->label, "Pinned");
  EXPECT_EQ(s.spec("nothing"), nullptr);
}

TEST(Settings, ACopyHasTheSameStampUntilItIsChanged) {
  const Settings standard = settings();
  Settings copy = standard;
  EXPECT_EQ(copy.stamp(), standard.stamp());
  copy.set("seed", std::int64_t{3});
  const std::uint64_t changed = copy.stamp();
  EXPECT_NE(changed, standard.stamp());
  copy.assign("seed=4");
  EXPECT_NE(copy.stamp(), changed);
  EXPECT_NE(settings().stamp(), standard.stamp());
}

TEST(Settings, ADefaultMustItselfBeAllowed) {
  const SettingSpec spec{.key = "n", .type = SettingType::Integer, .standard = std::int64_t{5}, .maximum = 4};
  EXPECT_EQ(refusal([&] { Settings({spec}); }), "setting 'n': '5' is out of range; allowed: 0 to 4");
}

TEST(Settings, TakeWhatTextSays) {
  Settings s = settings();
  s.assign("log_interval=100");
  s.assign("feed=per-iteration");
  s.assign("dispatch_us=0.25");
  EXPECT_EQ(s.integer("log_interval"), 100);
  EXPECT_EQ(s.choice("feed"), "per-iteration");
  EXPECT_EQ(s.real("dispatch_us"), 0.25);
  for (const char* yes : {"true", "1", "on"}) {
    s.set("pinned", false);
    s.set_text("pinned", yes);
    EXPECT_TRUE(s.boolean("pinned")) << yes;
  }
  for (const char* no : {"false", "0", "off"}) {
    s.set("pinned", true);
    s.set_text("pinned", no);
    EXPECT_FALSE(s.boolean("pinned")) << no;
  }
}

TEST(Settings, TakeTheEndsOfTheirRange) {
  Settings s = settings();
  for (const char* fits :
       {"log_interval=0", "log_interval=100000", "log_interval=007", "dispatch_us=0", "dispatch_us=200",
        "dispatch_us=200.0", "dispatch_us=.5", "dispatch_us=-0", "seed=2147483647"}) {
    EXPECT_NO_THROW(s.assign(fits)) << fits;
  }
  EXPECT_EQ(refusal_of("log_interval=-3"), "setting 'log_interval': '-3' is out of range; allowed: 0 to 100000");
  EXPECT_EQ(refusal_of("log_interval=100001"),
            "setting 'log_interval': '100001' is out of range; allowed: 0 to 100000");
  EXPECT_EQ(refusal_of("seed=2147483648"), "setting 'seed': '2147483648' is out of range; allowed: 0 to 2147483647");
  EXPECT_EQ(refusal_of("dispatch_us=200.001"), "setting 'dispatch_us': '200.001' is out of range; allowed: 0 to 200");
  EXPECT_EQ(refusal_of("dispatch_us=-0.001"), "setting 'dispatch_us': '-0.001' is out of range; allowed: 0 to 200");
}

TEST(Settings, RefuseWhatIsNotANumber) {
  EXPECT_EQ(refusal_of("log_interval="), "setting 'log_interval': '' is not a whole number; allowed: 0 to 100000");
  for (const char* wrong : {"log_interval=1.5", "log_interval=1e3", "log_interval= 1", "log_interval=1 ",
                            "log_interval=10x", "log_interval=+1", "log_interval=0x10", "log_interval=ten"}) {
    EXPECT_NE(refusal_of(wrong).find("is not a whole number; allowed: 0 to 100000"), std::string::npos) << wrong;
  }
  EXPECT_EQ(refusal_of("dispatch_us=abc"),
            "setting 'dispatch_us': 'abc' is not a plain decimal number; allowed: 0 to 200");
  for (const char* wrong : {"dispatch_us=", "dispatch_us=nan", "dispatch_us=-nan", "dispatch_us=inf",
                            "dispatch_us=infinity", "dispatch_us=-inf", "dispatch_us=1e1", "dispatch_us=0x1",
                            "dispatch_us=1,5", "dispatch_us=1.5us", "dispatch_us= 1", "dispatch_us=."}) {
    EXPECT_NE(refusal_of(wrong).find("is not a plain decimal number; allowed: 0 to 200"), std::string::npos) << wrong;
  }
}

TEST(Settings, RefuseNumbersTooLargeForTheMachine) {
  const std::string huge(400, '9');
  EXPECT_NE(refusal_of("log_interval=" + huge).find("is out of range; allowed: 0 to 100000"), std::string::npos);
  EXPECT_NE(refusal_of("log_interval=-" + huge).find("is out of range"), std::string::npos);
  EXPECT_NE(refusal_of("dispatch_us=" + huge).find("is out of range; allowed: 0 to 200"), std::string::npos);
}

TEST(Settings, RefuseOtherChoicesAndSwitches) {
  EXPECT_EQ(refusal_of("feed=Resident"),
            "setting 'feed': 'Resident' is not one of the choices; allowed: resident, per-iteration");
  EXPECT_EQ(refusal_of("pinned=yes"),
            "setting 'pinned': 'yes' is neither true nor false; allowed: true, false, 1, 0, on, off");
  EXPECT_EQ(refusal_of("pinned="),
            "setting 'pinned': '' is neither true nor false; allowed: true, false, 1, 0, on, off");
}

TEST(Settings, NameAnUnknownSetting) {
  EXPECT_EQ(refusal_of("foo=1"), "unknown setting 'foo'; allowed: log_interval, feed, pinned, dispatch_us, seed");
  EXPECT_EQ(refusal_of("=1"), "unknown setting ''; allowed: log_interval, feed, pinned, dispatch_us, seed");
  EXPECT_EQ(refusal_of("log_interval"),
            "'log_interval' does not set anything; write KEY=VALUE, for example log_interval=100");
  EXPECT_EQ(refusal([] { (void)settings().integer("bar"); }),
            "unknown setting 'bar'; allowed: log_interval, feed, pinned, dispatch_us, seed");
}

TEST(Settings, MessagesStayOneReadableLine) {
  EXPECT_EQ(refusal_of("feed=a\nb\tc"),
            "setting 'feed': 'a?b?c' is not one of the choices; allowed: resident, per-iteration");
  // 59 letters and then two-byte ones: the cut at 60 bytes would fall inside the first 'ü'.
  EXPECT_EQ(
      refusal_of("feed=" + std::string(59, 'a') + "üüüü"),
      "setting 'feed': '" + std::string(59, 'a') + "…' is not one of the choices; allowed: resident, per-iteration");
}

TEST(Settings, CheckTypedValuesToo) {
  Settings s = settings();
  s.set("dispatch_us", std::int64_t{30});  // a whole number is a real one
  EXPECT_EQ(s.real("dispatch_us"), 30.0);
  EXPECT_EQ(refusal([&] { s.set("dispatch_us", std::numeric_limits<double>::quiet_NaN()); }),
            "setting 'dispatch_us': 'nan' is not a plain decimal number; allowed: 0 to 200");
  EXPECT_EQ(refusal([&] { s.set("dispatch_us", std::numeric_limits<double>::infinity()); }),
            "setting 'dispatch_us': 'inf' is not a plain decimal number; allowed: 0 to 200");
  EXPECT_EQ(refusal([&] { s.set("log_interval", 2.0); }),
            "setting 'log_interval': '2' is not a whole number; allowed: 0 to 100000");
  EXPECT_EQ(refusal([&] { s.set("pinned", std::int64_t{1}); }),
            "setting 'pinned': '1' is neither true nor false; allowed: true, false, 1, 0, on, off");
  EXPECT_EQ(refusal([&] { s.set("log_interval", std::numeric_limits<std::int64_t>::max()); }),
            "setting 'log_interval': '9223372036854775807' is out of range; allowed: 0 to 100000");
  EXPECT_EQ(s.real("dispatch_us"), 30.0);
}

TEST(Settings, TextAndBack) {
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(std::int64_t{-7}), "-7");
  EXPECT_EQ(to_text(0.5), "0.5");
  EXPECT_EQ(to_text(10.0), "10");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(std::string("resident")), "resident");
  Settings s = settings();
  s.assign("dispatch_us=33.3");
  Settings again = settings();
  again.set_text("dispatch_us", to_text(s.value("dispatch_us")));
  EXPECT_EQ(again, s);
  s.assign("dispatch_us=-0");
  EXPECT_EQ(to_text(s.value("dispatch_us")), "0");
}

TEST(Settings, AreValues) {
  Settings a = settings();
  Settings b = a;
  EXPECT_EQ(a, b);
  b.assign("log_interval=2");
  EXPECT_FALSE(a == b);
  EXPECT_EQ(a.integer("log_interval"), 1);
  a = b;
  EXPECT_EQ(a, b);
  EXPECT_TRUE(Settings().specs().empty());
}

TEST(Settings, ASettingSaysWhenItHasNoEffect) {
  Settings s = default_settings("linear-mse", {});
  for (const char* key : {"pinned", "non_blocking"}) {
    const NoEffect* none = s.no_effect(*s.spec(key));
    ASSERT_NE(none, nullptr) << key;
    EXPECT_EQ(none->reason, "no batch is copied while the feed is resident");
  }
  EXPECT_EQ(s.no_effect(*s.spec("feed")), nullptr);
  s.assign("feed=per-iteration");
  EXPECT_EQ(s.no_effect(*s.spec("pinned")), nullptr);
  // A workload without that other setting always copies.
  const Settings bandwidth = default_settings("bandwidth", {});
  EXPECT_EQ(bandwidth.no_effect(*bandwidth.spec("pinned")), nullptr);
}

// In some workloads a larger batch is not more work: its model takes a given time, or the data decide how long it
// loops.
TEST(Settings, TheSamplesOfAnIterationSayWhetherTheyTellItsWork) {
  const auto samples = [](const char* workload, const std::vector<std::string>& set = {}) {
    Settings s = default_settings(workload, {});
    for (const std::string& assignment : set) s.assign(assignment);
    return batch_size_of(s);
  };
  EXPECT_EQ(samples("linear-mse"), 128);
  EXPECT_EQ(samples("break-even"), 128);
  EXPECT_EQ(samples("bandwidth"), 0);
  EXPECT_EQ(samples("transfer-loop"), -1000);
  EXPECT_EQ(samples("dataloader"), -8);
  EXPECT_EQ(samples("readback"), -64);
  EXPECT_EQ(samples("control-flow"), 128);
  EXPECT_EQ(samples("control-flow", {"network=while-loop"}), -128);
  EXPECT_EQ(samples("control-flow", {"network=while-loop", "branch=fixed"}), 128);
}

// A setting that has an effect only sometimes names one of the same workload, with a value that is allowed there.
TEST(Settings, WhatSpecsSayOfOtherSettingsIsPossible) {
  for (const std::string& workload : workload_names()) {
    const Settings standard = default_settings(workload, {});
    std::set<SettingAction> actions;
    for (const SettingSpec& spec : standard.specs()) {
      Settings s = standard;
      for (const NoEffect& none : spec.no_effect_when) {
        for (const Condition& condition : none.when) {
          if (!s.spec(condition.key)) continue;
          EXPECT_NO_THROW(s.set(condition.key, condition.value)) << workload << " " << spec.key;
        }
      }
      if (spec.range) {
        EXPECT_NO_THROW(s.set(spec.key, spec.range->with)) << workload << " " << spec.key;
        EXPECT_NO_THROW(s.set(spec.key, spec.range->without)) << workload << " " << spec.key;
      }
      if (spec.action == SettingAction::None) continue;
      EXPECT_TRUE(actions.insert(spec.action).second) << workload << ": two settings with the action of " << spec.key;
      EXPECT_EQ(standard.spec(spec.action), standard.spec(spec.key));
    }
  }
  EXPECT_EQ(default_settings("linear-mse", {}).spec(SettingAction::None), nullptr);
  EXPECT_EQ(Settings().spec(SettingAction::Pinned), nullptr);
}

}  // namespace
}  // namespace lanescope::workload
