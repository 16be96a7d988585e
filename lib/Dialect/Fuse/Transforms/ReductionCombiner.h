//===- ReductionCombiner.h - Combiners of reductions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Returns the neutral element of `combiner`: an element whose combination with
/// any other element changes no bit of the other element. Returns std::nullopt
/// if no neutral element is known. The neutral element of a sum is -0, because
/// +0 + -0 is +0.
std::optional<TypedAttr> getNeutralElement(Operation *combiner);

/// Returns the op in the body of `op` that combines elements for `result`. The
/// body must yield `combiner(x, out)` or `combiner(out, x)`, `out` must have no
/// other use, and the combiner must have a neutral element. Returns null if
/// these conditions do not hold.
Operation *getCombiner(linalg::LinalgOp op, unsigned result);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H
