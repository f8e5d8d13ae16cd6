// What GCC 12's static C++ library takes from a C library newer than 2.31, for the portable Linux build.
#include <unistd.h>
#include <cstdint>
#include <cstdlib>

extern "C" {

// glibc 2.32: whether there is only one thread so far. No is always right.
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

// glibc 2.36. It may not fail; nor may a random number that is none be returned.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (getentropy(&value, sizeof(value)) != 0) std::abort();
  return value;
}
}
