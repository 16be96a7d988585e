//===- SplitMethod.h - Methods of splits over IPUs --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLACEMENT_SPLITMETHOD_H
#define IPU_MLIR_PLACEMENT_SPLITMETHOD_H

namespace mlir::ipu {

/// How a program is split over the IPUs of a replica.
enum class SplitMethod {
  /// The slowest IPU takes the fewest cycles.
  Balanced,
  /// The IPUs have equal or given shares of the bytes of weights, as in PopART.
  Segments,
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLACEMENT_SPLITMETHOD_H
