// The search for CUPTI. A library stays loaded once it has been found, so each search is made by a separate process,
// see cupti_fakes/probe.cpp.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "capture/cupti/cupti_capture.h"
#include "capture/cupti/cupti_table.h"
#include "cupti/capture_rig.h"

namespace lanescope::capture::cupti {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

const fs::path kFakes = LANESCOPE_FAKE_CUPTI;

struct Found {
  std::string path, version, problem, places;
};

class FindCupti : public ::testing::Test {
 protected:
  FindCupti() {
    std::string pattern = (fs::temp_directory_path() / "lanescope-cupti-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    variables_["HOME"] = (root_ / "home").string();
  }
  ~FindCupti() override { fs::remove_all(root_); }

  /// Puts the fake library of this kind ("13", "12", "broken", "text") into a folder below the root.
  void put(const std::string& kind, const fs::path& folder) {
    fs::create_directories(root_ / folder);
    for (const auto& file : fs::directory_iterator(kFakes / kind)) {
      fs::copy_file(file.path(), root_ / folder / file.path().filename());
    }
  }
  void set(const std::string& variable, const fs::path& below_root) {
    variables_[variable] = (root_ / below_root).string();
  }

  /// Searches in a process with these variables and no others, after loading `loaded`.
  Found find(const fs::path& loaded = {}) const {
    std::vector<std::string> words = {LANESCOPE_CUPTI_PROBE, root_.string()};
    if (!loaded.empty()) words.push_back((root_ / loaded).string());
    std::vector<std::string> settings;
    for (const auto& [name, value] : variables_) settings.push_back(name + "=" + value);
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> all;
      for (std::string& text : texts) all.push_back(text.data());
      all.push_back(nullptr);
      return all;
    };
    const std::vector<char*> arguments = pointers(words), environment = pointers(settings);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execve(arguments[0], arguments.data(), environment.data());
      _exit(3);
    }
    close(ends[1]);
    std::string text;
    char part[512];
    for (ssize_t n = 0; (n = read(ends[0], part, sizeof(part))) > 0;) text.append(part, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    Found found;
    std::istringstream lines(text);
    std::getline(lines, found.path);
    std::getline(lines, found.version);
    std::getline(lines, found.problem);
    std::getline(lines, found.places);
    const std::string root = root_.string() + "/";
    if (found.path.starts_with(root)) found.path.erase(0, root.size());
    return found;
  }

  fs::path root_;
  std::map<std::string, std::string> variables_;
};

TEST_F(FindCupti, TheVariableNamesItAndNothingElseIsTried) {
  put("13", "named");
  put("13", "usr-local/cuda/lib64");
  set("LANESCOPE_CUPTI", "named/libcupti.so.13");
  const Found found = find();
  EXPECT_EQ(found.path, "named/libcupti.so.13");
  EXPECT_EQ(found.version, "130001");
  EXPECT_EQ(found.problem, "");
  set("LANESCOPE_CUPTI", "named/other.so");
  const Found nothing = find();
  EXPECT_EQ(nothing.path, "");
  EXPECT_THAT(nothing.problem, AllOf(StartsWith("CUPTI not found: LANESCOPE_CUPTI names "), HasSubstr("other.so")));
  EXPECT_THAT(nothing.places, Not(HasSubstr("usr-local")));
}

TEST_F(FindCupti, WhatIsLoadedComesBeforeWhatIsNewer) {
  put("12", "torch");
  put("13", "usr-local/cuda/lib64");
  EXPECT_EQ(find("torch/libcupti.so.12").path, "torch/libcupti.so.12");
  EXPECT_EQ(find().path, "usr-local/cuda/lib64/libcupti.so.13");
}

TEST_F(FindCupti, ToolkitsInTheirOrder) {
  put("13", "usr-local/cuda-13.0/lib64");
  put("13", "usr-local/cuda-13.10/extras/CUPTI/lib64");
  put("12", "usr-local/cuda-12.9/lib64");
  EXPECT_EQ(find().path, "usr-local/cuda-13.10/extras/CUPTI/lib64/libcupti.so.13");  // 10 is newer than 0
  put("13", "usr-local/cuda/lib");
  EXPECT_EQ(find().path, "usr-local/cuda/lib/libcupti.so.13");
  put("13", "path/targets/x86_64-linux/lib");
  set("CUDA_PATH", "path");
  EXPECT_EQ(find().path, "path/targets/x86_64-linux/lib/libcupti.so.13");
  put("13", "home-of-cuda/lib64");
  set("CUDA_HOME", "home-of-cuda");
  EXPECT_EQ(find().path, "home-of-cuda/lib64/libcupti.so.13");
}

TEST_F(FindCupti, ThirteenComesBeforeTwelve) {
  put("12", "home-of-cuda/lib64");
  set("CUDA_HOME", "home-of-cuda");
  const Found twelve = find();
  EXPECT_EQ(twelve.path, "home-of-cuda/lib64/libcupti.so.12");
  EXPECT_EQ(twelve.version, "26");
  put("13", "venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  set("VIRTUAL_ENV", "venv");
  EXPECT_EQ(find().path, "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13");
}

TEST_F(FindCupti, WheelsOfPython) {
  put("12", "usr/lib/python3/dist-packages/nvidia/cuda_cupti/lib");
  EXPECT_THAT(find().path, StartsWith("usr/lib/python3/"));
  put("12", "pythons/lib/python3.11/site-packages/nvidia/cuda_cupti/lib");
  fs::create_directories(root_ / "pythons/bin");
  std::ofstream(root_ / "pythons/bin/python3") << "#!\n";
  variables_["PATH"] = "/nowhere::" + (root_ / "pythons/bin").string() + ":/usr/bin";
  EXPECT_THAT(find().path, StartsWith("pythons/lib/python3.11/"));
  put("12", "conda/lib/python3.9/site-packages/nvidia/cuda_cupti/lib");
  put("12", "conda/lib/python3.10/site-packages/nvidia/cuda_cupti/lib");
  set("CONDA_PREFIX", "conda");
  EXPECT_THAT(find().path, StartsWith("conda/lib/python3.10/"));
  put("12", "venv/lib/python3.8/site-packages/nvidia/cuda_cupti/lib");
  set("VIRTUAL_ENV", "venv");
  EXPECT_THAT(find().path, StartsWith("venv/"));
}

TEST_F(FindCupti, OneThatIsOfNoUseIsPassedOverAndNamedIfThereIsNoOther) {
  put("broken", "home-of-cuda/lib64");
  set("CUDA_HOME", "home-of-cuda");
  const Found broken = find();
  EXPECT_EQ(broken.path, "");
  EXPECT_THAT(broken.problem,
              AllOf(HasSubstr("home-of-cuda/lib64/libcupti.so.13"), HasSubstr("cuptiActivityFlushAll")));
  put("text", "usr-local/cuda/lib64");
  EXPECT_EQ(find().problem, broken.problem);
  put("12", "usr-local/cuda-12.0/lib64");
  EXPECT_EQ(find().path, "usr-local/cuda-12.0/lib64/libcupti.so.12");
}

TEST_F(FindCupti, AFileThatIsNoLibraryIsSaidToBeOne) {
  put("text", "usr-local/cuda/lib64");
  EXPECT_THAT(find().problem, AllOf(StartsWith("CUPTI cannot be loaded: "), HasSubstr("usr-local/cuda/lib64")));
}

TEST_F(FindCupti, NotFoundSaysWhereItWasLookedForAndStaysShort) {
  const Found found = find();
  EXPECT_EQ(found.path, "");
  EXPECT_EQ(found.problem, "CUPTI not found: looked for libcupti.so.13 and .12 in the loaded libraries, " +
                               root_.string() + "/usr-local/cuda; LANESCOPE_CUPTI can name its file");
  for (int i = 0; i < 20; ++i) fs::create_directories(root_ / ("usr-local/cuda-1" + std::to_string(i)) / "lib64");
  // 22 places: what is loaded, cuda and twenty more; six are named.
  EXPECT_THAT(find().problem, AllOf(HasSubstr("and 16 more places"), Not(HasSubstr("cuda-11/"))));
}

// The real library, if it exists and there is no driver: it returns 999 for everything.
TEST(RealCupti, WithoutADriverItIsUnavailableAndSaysSo) {
  if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY)) {
    dlclose(driver);
    GTEST_SKIP() << "there is a driver here";
  }
  const CuptiSearch search = find_cupti();
  if (!search.table.complete()) GTEST_SKIP() << search.problem;
  EXPECT_THAT(search.table.path, HasSubstr("libcupti.so.1"));
  EXPECT_GE(search.table.version, 20u);
  EXPECT_THAT(search.looked_in, Not(IsEmpty()));
  KeepingSink sink;
  CuptiCapture session(search.table, sink, small_buffers());
  EXPECT_EQ(session.health().state, trace::CaptureState::Unavailable);
  EXPECT_THAT(session.health().reason, AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("CUPTI_ERROR_UNKNOWN")));
  EXPECT_EQ(subscription_problem(search.table), session.health().reason);
}

}  // namespace
}  // namespace lanescope::capture::cupti
