//===- FlopUnit.h - What does floating-point operations ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H
#define IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H

#include "ipu-mlir/Dialect/IPU/IR/Target.h"

namespace mlir::ipu {

/// What does the floating-point operations of a vertex: the arithmetic of the
/// workers or the matrix unit, in f32 (and types that cost the same) or f16.
enum class FlopUnit { VectorF32, VectorF16, MatrixF32, MatrixF16 };
constexpr unsigned kNumFlopUnits = 4;

StringRef stringifyFlopUnit(FlopUnit unit);

/// Operations that the unit of one tile can do in a cycle: one on each element
/// of `vector_bytes`, or what a matrix unit multiplies and adds, a block of
/// weights for one row in 8 cycles in f32 and in 4 in f16.
int64_t getPeakFlops(const TargetModel &target, FlopUnit unit);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H
