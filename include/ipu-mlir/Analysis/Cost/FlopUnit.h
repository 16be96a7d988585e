//===- FlopUnit.h - Units of floating-point arithmetic ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H
#define IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H

#include "ipu-mlir/Dialect/IPU/IR/Target.h"

namespace mlir::ipu {

/// What does the floating-point operations of a vertex: the arithmetic of the
/// workers or the matrix unit, in f32 (and types that cost the same), f16 or,
/// where the matrix unit has it, f8.
enum class FlopUnit { VectorF32, VectorF16, MatrixF32, MatrixF16, MatrixF8 };
constexpr unsigned kNumFlopUnits = 5;

StringRef stringifyFlopUnit(FlopUnit unit);

/// Operations that the unit of one tile can do in a cycle: one on each element
/// of `vector_bytes`, or what a matrix unit multiplies and adds, a block of
/// weights for one row in 8 cycles in f32 and in 4 in narrower types. None in a
/// type that the unit has not.
int64_t getPeakFlops(const TargetModel &target, FlopUnit unit);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H
