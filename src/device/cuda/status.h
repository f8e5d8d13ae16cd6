// CUDA's error codes that the program treats in a way of their own.
#pragma once

#include "device/cuda/api.h"

namespace lanescope::device::cuda {

inline constexpr Status kOutOfMemory = 2;  // cudaErrorMemoryAllocation

/// Whether the error stays: every later call returns it too, until the device is reset. CUDA's driver_types.h says of
/// these: "leaves the process in an inconsistent state and any further CUDA work will return the same error". Of the
/// two that are uncorrectable, of a destroyed context and of the unknown error it says nothing, but there is no going
/// on after them either.
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
