#include "cuda_backend/cublas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gpu/scratch.h"

namespace lanescope::cuda_backend {
namespace {

using gpu_test::Scratch;
using gpu_test::Variable;
using testing::ElementsAre;

std::vector<std::filesystem::path> found_in(const Scratch& scratch) {
  auto folders = library_folders("cublas");
  std::erase_if(folders, [&](const auto& f) { return !f.string().starts_with(scratch.folder().string()); });
  return folders;
}

TEST(LibraryFolders, ComeInTheirOrder) {
  const Scratch scratch;
  const auto home = scratch.make_folder("home/lib64"), path = scratch.make_folder("path/targets/x86_64-linux/lib");
  const auto old_wheel = scratch.make_folder("venv/lib/python3.9/site-packages/nvidia/cublas/lib");
  const auto wheel = scratch.make_folder("venv/lib/python3.11/site-packages/nvidia/cu13/lib");
  const auto wheel_12 = scratch.make_folder("venv/lib/python3.11/site-packages/nvidia/cublas/lib");
  scratch.make_folder("venv/lib/python3.11/site-packages/nvidia/cudnn/lib");
  const auto conda = scratch.make_folder("conda/lib/python3.12/site-packages/nvidia/cu13/lib");
  const auto python = scratch.make_folder("python/lib/python3/dist-packages/nvidia/cublas/lib");
  scratch.make_folder("python/bin");
  scratch.write("python/bin/python3", "");
  const auto in = [&](const char* folder) { return (scratch.folder() / folder).string(); };
  const Variable cuda_home("CUDA_HOME", in("home")), cuda_path("CUDA_PATH", in("path"));
  const Variable virtual_env("VIRTUAL_ENV", in("venv")), conda_prefix("CONDA_PREFIX", in("conda"));
  const Variable search("PATH", in("nothing") + ":" + in("python/bin") + ":/usr/bin");
  EXPECT_THAT(found_in(scratch), ElementsAre(home, path, wheel, wheel_12, old_wheel, conda, python));
}

TEST(LibraryFolders, OfNothingAreNone) {
  const Scratch scratch;
  const Variable home("CUDA_HOME", scratch.folder() / "missing"), path("CUDA_PATH", ""), python("PATH", "");
  EXPECT_THAT(found_in(scratch), ElementsAre());
}

}  // namespace
}  // namespace lanescope::cuda_backend
