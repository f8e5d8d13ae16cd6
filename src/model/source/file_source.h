// A finished trace, read from a file or from one of the runs included in the program.
#pragma once

#include <filesystem>
#include <vector>

#include "model/source/recorded.h"
#include "model/source/source.h"

namespace lanescope::ui {

/// "a.json", "a.json and 2 more".
std::string title_of(const std::vector<std::filesystem::path>& files);

/// A trace file, or those of several ranks.
class FileSource final : public Source {
 public:
  FileSource(io::OpenedTrace opened, std::vector<std::filesystem::path> files)
      : opened_(std::move(opened)), files_(std::move(files)) {}

  const trace::Trace& trace() const override { return *opened_.trace; }
  io::RunFacts facts() const override { return opened_.facts; }
  std::string title() const override { return title_of(files_); }
  device::DeviceInfo device() const override;
  SourceWords words() const override;
  bool own() const override { return opened_.own; }
  /// Of several files, none stands for all.
  std::optional<std::filesystem::path> file() const override {
    return files_.size() == 1 ? std::optional(files_.front()) : std::nullopt;
  }
  const io::OpenedTrace* opened() const override { return &opened_; }

 private:
  io::OpenedTrace opened_;
  std::vector<std::filesystem::path> files_;
};

/// A run that was recorded on a GPU and is included in the program.
class RecordedSource final : public Source {
 public:
  /// `opened` is the result of reading `capture.bytes`.
  RecordedSource(io::OpenedTrace opened, const RecordedCapture& capture)
      : opened_(std::move(opened)), name_(capture.name), title_(capture.title) {}

  const trace::Trace& trace() const override { return *opened_.trace; }
  io::RunFacts facts() const override { return opened_.facts; }
  std::string title() const override { return title_; }
  device::DeviceInfo device() const override;
  SourceWords words() const override;
  bool own() const override { return opened_.own; }
  const io::OpenedTrace* opened() const override { return &opened_; }

 private:
  io::OpenedTrace opened_;
  std::string name_, title_;
};

}  // namespace lanescope::ui
