// A finished trace, read from a file or from one of the runs included in the program.
#pragma once

#include "model/recorded.h"
#include "model/source.h"

namespace lanescope::ui {

/// A trace file.
class FileSource final : public Source {
 public:
  FileSource(io::OpenedTrace opened, std::filesystem::path path) : opened_(std::move(opened)), path_(std::move(path)) {}

  const trace::Trace& trace() const override { return *opened_.trace; }
  io::RunFacts facts() const override { return opened_.facts; }
  std::string title() const override { return path_.filename().string(); }
  device::DeviceInfo device() const override;
  SourceWords words() const override;
  bool own() const override { return opened_.own; }
  std::optional<std::filesystem::path> file() const override { return path_; }
  const io::OpenedTrace* opened() const override { return &opened_; }

 private:
  io::OpenedTrace opened_;
  std::filesystem::path path_;
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
