// NVTX ranges, straight from the program's calls.
#pragma once

#ifndef NVTX_NO_IMPL
#define NVTX_NO_IMPL  // the types alone
#endif
#include <nvtx3/nvToolsExt.h>

namespace lanescope::inject {

/// Puts this library's functions into the tables of the calling library's NVTX. False if it has no such tables.
bool take_over_nvtx(NvtxGetExportTableFunc_t tables);

}  // namespace lanescope::inject
