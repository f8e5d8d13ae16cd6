// The CUDA error codes that need special treatment.
#pragma once

#include "device/cuda/api.h"

namespace lanescope::device::cuda {

inline constexpr Status kOutOfMemory = 2;  // cudaErrorMemoryAllocation

/// True for errors that persist: every later call returns them, too, until the device is reset. For most of these,
/// CUDA's driver_types.h says: "leaves the process in an inconsistent state and any further CUDA work will return the
/// same error". It does not say so for the two uncorrectable errors, a destroyed context and the unknown error, but the
/// device is unusable after them as well.
constexpr bool is_sticky(Status status) {
  switch (status) {
    case 214:  // cudaErrorECCUncorrectable
    case 220:  // cudaErrorNvlinkUncorrectable
    case 226:  // cudaErrorContained
    case 700:  // cudaErrorIllegalAddress
    case 702:  // cudaErrorLaunchTimeout
    case 709:  // cudaErrorContextIsDestroyed
    case 710:  // cudaErrorAssert
    case 714:  // cudaErrorHardwareStackError
    case 715:  // cudaErrorIllegalInstruction
    case 716:  // cudaErrorMisalignedAddress
    case 717:  // cudaErrorInvalidAddressSpace
    case 718:  // cudaErrorInvalidPc
    case 719:  // cudaErrorLaunchFailure
    case 721:  // cudaErrorTensorMemoryLeak
    case 810:  // cudaErrorMpsClientTerminated
    case 911:  // cudaErrorExternalDevice
    case 999:  // cudaErrorUnknown
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::device::cuda
