#include "app/command_line.h"

int main(int argc, char** argv) { return lanescope::app::run(argc, argv); }
