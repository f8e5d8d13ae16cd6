// Draws an animation and makes a GIF of it, picture by picture, so that a window can go on in between.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "picture/animation.h"
#include "picture/picture.h"

namespace lanescope::ui {

/// The largest file: what slides and pull requests take.
inline constexpr std::size_t kMostAnimationBytes = 5'000'000;

/// If the file becomes too large, it begins again with fewer pictures per second, and then with smaller ones.
class AnimationFilm {
 public:
  explicit AnimationFilm(Animation animation, std::size_t most_bytes = kMostAnimationBytes);
  ~AnimationFilm();
  AnimationFilm(const AnimationFilm&) = delete;
  AnimationFilm& operator=(const AnimationFilm&) = delete;

  /// Draws the next picture; false: all are done. Always needs the same OpenGL context to be current, and so does the
  /// destructor. Throws base::FileError, also if the animation does not fit in the size.
  bool draw();
  /// Takes in what draw() has drawn. Call it after each draw() that returned true, on any thread. Throws
  /// base::FileError.
  void encode();

  /// Once draw() has returned false: the file.
  std::string take_bytes();
  /// How it was made smaller than asked for, in one line; empty: it was not.
  const std::string& note() const;
  int pictures_per_second() const;
  PictureSize size() const;  ///< in pixels

 private:
  class Making;
  std::unique_ptr<Making> making_;
};

}  // namespace lanescope::ui
