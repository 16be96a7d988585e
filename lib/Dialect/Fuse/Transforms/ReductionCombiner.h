//===- ReductionCombiner.h - Combiners of reductions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// The element that leaves every other one as it is, bit for bit, when
/// `combiner` accumulates it; none if there is none known. Of a sum it is -0:
/// +0 + -0 is +0.
std::optional<TypedAttr> getNeutralElement(Operation *combiner);

/// The combining op of a reduction's result: the value yielded is `op(x, out)`
/// or `op(out, x)`, `out` has no other use, and the op has a neutral element.
/// Null if that is not how it is.
Operation *getCombiner(linalg::LinalgOp op, unsigned result);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_REDUCTIONCOMBINER_H
