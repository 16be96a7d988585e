//===- ReductionCombiner.h - Combiners of reductions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Returns the neutral element of `combiner`: accumulating it changes no bit of
/// any other element. Returns std::nullopt if it is not known. For a sum it is
/// -0, because +0 + -0 is +0.
std::optional<TypedAttr> getNeutralElement(Operation *combiner);

/// Returns the combining op of the result of a reduction: the body yields
/// `op(x, out)` or `op(out, x)`, `out` has no other use, and the op has a
/// neutral element. Returns null if these conditions do not hold.
Operation *getCombiner(linalg::LinalgOp op, unsigned result);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H
