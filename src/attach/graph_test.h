// Whether CUDA graphs can still be replayed once CUPTI has been finalised. No version number tells: with CUPTI 13.0 the
// first replay ends the program. So a process of this program's own tries it first, with the library that watches
// programs: there, a failure hurts nobody.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "inject/wire.h"

namespace lanescope::attach {

class GraphTest {
 public:
  /// `variables`: those of the watched program.
  explicit GraphTest(std::map<std::string, std::string> variables);
  ~GraphTest();
  GraphTest(const GraphTest&) = delete;
  GraphTest& operator=(const GraphTest&) = delete;

  /// With the CUPTI of this path. The first question starts the test, which takes some seconds; until it has ended the
  /// answer is Unknown.
  wire::GraphsSurvive answer(const std::string& cupti);

 private:
  struct Try;
  const std::map<std::string, std::string> variables_;
  std::atomic<bool> stop_{false};
  std::map<std::string, std::unique_ptr<Try>> tries_;
};

/// `lanescope replay-graphs`, which the test starts: captures CUDA graphs and replays all of them again and again,
/// until SIGTERM. Returns 0 if each replay did what it should. With a libcupti it is the test itself: 0 if they outlive
/// it.
int replay_graphs(const std::string& cupti);

}  // namespace lanescope::attach
