//===- OriginKeys.h - Axes as keys of origins -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_IR_ORIGINKEYS_H
#define IPU_MLIR_DIALECT_SDY_IR_ORIGINKEYS_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu::sdy {

/// The axis that a key of `sdy.sharding_origins` means, `c` or `c:(1)4`; null
/// if it is written like none. `mesh` may be null. Whether it has that axis is
/// not checked.
AxisRefAttr parseOriginKey(StringAttr key, MeshAttr mesh);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_IR_ORIGINKEYS_H
