// The events of a file while it is read: a growing list in pieces with stable addresses. Growing copies nothing and
// never needs the memory twice.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "trace/event.h"

namespace lanescope::io {

class EventStore {
 public:
  static constexpr std::size_t kPiece = 32'768;  ///< events

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  trace::Event& operator[](std::size_t i) { return pieces_[i / kPiece][i % kPiece]; }
  const trace::Event& operator[](std::size_t i) const { return pieces_[i / kPiece][i % kPiece]; }
  void push_back(const trace::Event& event) {
    if (size_ % kPiece == 0) pieces_.push_back(std::make_unique_for_overwrite<trace::Event[]>(kPiece));
    pieces_.back()[size_++ % kPiece] = event;
  }

 private:
  std::vector<std::unique_ptr<trace::Event[]>> pieces_;
  std::size_t size_ = 0;
};

}  // namespace lanescope::io
