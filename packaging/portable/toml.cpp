// toml++ as a library of its own: what build/release takes from a shared one.
#define TOML_HEADER_ONLY 0
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
