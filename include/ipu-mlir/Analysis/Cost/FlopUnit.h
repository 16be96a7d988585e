//===- FlopUnit.h - Units of floating-point arithmetic ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H
#define IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H

#include "ipu-mlir/Dialect/IPU/IR/Target.h"

namespace mlir::ipu {

/// The unit that executes the floating-point operations of a vertex: the
/// arithmetic of the workers (Vector) or the matrix unit (Matrix). F32 stands
/// for all types except f16 and, in the matrix unit, f8. Only some machines
/// have f8 in the matrix unit.
enum class FlopUnit { VectorF32, VectorF16, MatrixF32, MatrixF16, MatrixF8 };
constexpr unsigned kNumFlopUnits = 5;

StringRef stringifyFlopUnit(FlopUnit unit);

/// Returns the greatest number of operations that `unit` executes per cycle on
/// one tile. The arithmetic of the workers executes one operation per cycle on
/// each element of a vector of `vector_bytes` bytes. The matrix unit multiplies
/// one row of inputs by a block of weights and adds the products. This takes 8
/// cycles in f32, and 4 cycles in narrower types. Returns 0 if the unit does
/// not support the type.
int64_t getPeakFlops(const TargetModel &target, FlopUnit unit);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_FLOPUNIT_H
