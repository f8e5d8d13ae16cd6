// The knobs that the program itself has: lanescope.knob() of python/lanescope.py. They are the program's own wish, so
// they work without --knobs.
//
// A knob's value lies in memory that Python reads: whether Lanescope has turned the knob, and to what. That memory is
// shared with forked children, which so follow the values as long as their parent is watched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::inject {

/// A knob as the program describes it. Limits that are no numbers are none; choices are divided by '|', "" is none.
struct OwnKnobFacts {
  const char *name, *value, *least, *most, *choices, *file;
  char kind;  ///< 'q': an integer, or choices; 'd': a double
  std::uint32_t line;
};
/// Two words of 8 bytes for the program to read: 0, or if the knob is turned 1, or the number of its choice from 1; and
/// a number's value. The same for a knob that there is already. Null if there is no room, or the facts are too long.
/// Any thread; neither waits nor allocates.
const void* register_own_knob(const OwnKnobFacts& facts);

/// Turns a knob: a number is brought between the limits; a choice is found by its text. At the program's own value the
/// knob is not turned any more. False if there is no such knob or the text is no value of it. Not in a callback.
bool set_own_knob(const char* name, const char* value);

/// A knob's value now, without an end; 0 if there is no such knob. Not in a callback.
std::size_t own_knob_value(const char* name, char* out, std::size_t room);

/// Tells the viewer of the knobs that are new or were turned. Not in a callback.
void tell_own_knobs();

/// The viewer has ended: the program has its own values again, and the next viewer will be told of all knobs.
void release_own_knobs();

}  // namespace lanescope::inject
