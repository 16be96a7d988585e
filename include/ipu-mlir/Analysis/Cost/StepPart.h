//===- StepPart.h - Parts of steps ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_STEPPART_H
#define IPU_MLIR_ANALYSIS_COST_STEPPART_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::ipu {

/// An op in a step, and what it would cost alone: the cycles on each IPU (of
/// its slowest tile or, for a vertex, of the tile that is slowest in the whole
/// step), the floating-point operations and the bytes. Several ops with equal
/// origins may be one part, which `op` then stands for.
struct StepPart {
  Operation *op = nullptr;
  SmallVector<int64_t> cycles;
  int64_t flops = 0, bytes = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_STEPPART_H
