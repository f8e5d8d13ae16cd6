// What a window changes of somebody else's recording: a thread asks the recorder what is in effect, again and again,
// and passes changes on, so that the window never waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "attach/steering_link.h"

namespace lanescope::attach {

class RecorderControls {
 public:
  /// Asks as often as `every`.
  RecorderControls(std::unique_ptr<SteeringLink> link, std::chrono::milliseconds every);
  ~RecorderControls();
  RecorderControls(const RecorderControls&) = delete;
  RecorderControls& operator=(const RecorderControls&) = delete;

  struct State {
    bool known = false;        ///< the recorder has answered at least once
    bool connected = false;    ///< it has answered the last time
    std::size_t changing = 0;  ///< changes that it has not answered yet
    std::string trouble;       ///< why it is not connected; empty before it was ever tried
    std::string refusal;       ///< why the last change was not made; empty: it was
    SteeringState recorder;    ///< its last answer
  };
  State state() const;
  /// Does not wait.
  void change(const SteeringChange& change);
  /// The recording has ended: nothing more is asked. Does not wait.
  void stop();

 private:
  void run();

  std::unique_ptr<SteeringLink> link_;
  std::chrono::milliseconds every_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable woken_;
  bool stop_ = false;
  std::deque<SteeringChange> changes_;
  State state_;
  std::thread thread_;
};

}  // namespace lanescope::attach
