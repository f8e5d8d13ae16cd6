// Errors whose text is shown to the user. Never thrown on a hot path or across a C callback.
#pragma once

#include <stdexcept>
#include <string>

namespace lanescope::base {

/// The user asked for something impossible. what() is one line that says what is wrong, where, and what is allowed.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request itself is wrong (unknown name, value out of range): exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The request is fine but a file, a display or a device is not: exit status 1.
class FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace lanescope::base
