#include "model/source/file_source.h"

#include "base/translate.h"
#include "experiment/session.h"

namespace lanescope::ui {

using base::tr;

namespace {

std::string written_by(const io::OpenedTrace& opened) {
  if (!opened.incomplete.empty()) return opened.incomplete;
  return opened.own ? tr("Written by Lanescope: nothing is missing.")
                    : tr("Written by another program: shown as far as its contents allow.");
}

// The device in a file is not one of this machine's.
device::DeviceInfo device_elsewhere(const io::RunFacts& facts, std::string menu_entry) {
  device::DeviceInfo info = experiment::device_of(facts);
  info.id = std::move(menu_entry);
  return info;
}

}  // namespace

std::string title_of(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return "";
  std::string first = files.front().filename().string();
  return files.size() == 1 ? first : tr("{} and {} more", first, files.size() - 1);
}

device::DeviceInfo FileSource::device() const { return device_elsewhere(opened_.facts, ""); }

SourceWords FileSource::words() const { return {tr("an opened trace"), tr("TRACE FILE"), written_by(opened_)}; }

device::DeviceInfo RecordedSource::device() const {
  return device_elsewhere(opened_.facts, std::string(kRecordedPrefix) + name_);
}

SourceWords RecordedSource::words() const { return {tr("a recorded run"), tr("RECORDED RUN"), written_by(opened_)}; }

}  // namespace lanescope::ui
