// NVTX ranges, straight from the program's calls.
#pragma once

#ifndef NVTX_NO_IMPL
#define NVTX_NO_IMPL  // the types alone
#endif
#include <nvtx3/nvToolsExt.h>

namespace lanescope::inject {

/// Puts this library's functions into the tables of the calling library's NVTX. False if it has no such tables.
bool take_over_nvtx(NvtxGetExportTableFunc_t tables);
/// The same for an extension; `module` is an nvtxExtModuleInfo_t. False if it is not the one with payloads.
bool take_over_nvtx_extension(void* module);

}  // namespace lanescope::inject
