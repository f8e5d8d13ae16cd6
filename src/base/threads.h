// Whether this build can start threads.
#pragma once

namespace lanescope::base {

/// A browser gives threads only to pages whose server isolates them, so the program for the browser does without: runs
/// advance in turns between two frames (workload::Runner::advance), and work in the background is done when its result
/// is asked for. What needs threads of its own (a CPU measured in real time, a GPU) is not offered there.
#ifdef __EMSCRIPTEN__
inline constexpr bool kThreads = false;
#else
inline constexpr bool kThreads = true;
#endif

}  // namespace lanescope::base
