//===- OriginKeys.h - Axes as keys of origins -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_IR_ORIGINKEYS_H
#define IPU_MLIR_DIALECT_SDY_IR_ORIGINKEYS_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu::sdy {

/// Returns the axis that `key`, a key of `sdy.sharding_origins`, denotes; for
/// example, `c` or `c:(1)4`. Returns null if the key has another form. `mesh`
/// may be null. The function does not check whether `mesh` has the axis.
AxisRefAttr parseOriginKey(StringAttr key, MeshAttr mesh);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_IR_ORIGINKEYS_H
