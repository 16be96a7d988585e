//===- HostCaches.h - Sizes of the host's caches ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_SUPPORT_HOSTCACHES_H
#define IPU_MLIR_LIB_EXECUTOR_SUPPORT_HOSTCACHES_H

#include <cstdint>

namespace mlir::ipu {

/// The sizes in bytes of the first-level and second-level data caches of one
/// core of the host. If the system does not report them, these are sizes that
/// most processors reach or exceed.
struct HostCaches {
  int64_t firstBytes = int64_t(1) << 15;
  int64_t secondBytes = int64_t(1) << 18;

  static HostCaches get();
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_HOSTCACHES_H
