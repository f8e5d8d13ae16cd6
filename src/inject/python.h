// Where a thread of a Python program is: the frames of its interpreter, read without the GIL and without a call into
// the interpreter. CPython 3.10 to 3.14.
//
// The frames of the calling thread cannot change while it is in a callback, they keep their code objects alive, and a
// code object's file, name and table of lines never change. So raw loads suffice. Where the offsets may be wrong or the
// frames are another thread's, process_vm_readv reads them instead, which fails where a load would crash.
#pragma once

#include <cstdint>

#include "inject/threads.h"

namespace lanescope::inject {

/// Looks for an interpreter in this process, learns the layout of its objects and checks it on the calling thread's own
/// frames. Says the result in Status::python and python_text. True if there is nothing left to look for.
bool find_python();

/// The stack of the calling thread: an id, 0 if it is not known. `mark` becomes wire::kLent if it is that of the thread
/// which waits in backward() for this one.
std::uint32_t walk(ThreadState& thread, std::uint16_t& mark);

/// The stack of another thread, which may be running; 0 if it could not be read whole.
std::uint32_t walk_other(const ThreadState& thread);

}  // namespace lanescope::inject
