//===- DefaultValue.h - Default values of streams ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DEFAULTVALUE_H
#define IPU_MLIR_SUPPORT_DEFAULTVALUE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::ipu {

/// Verifies `value`, the attribute `default_value` of a stream of `type`. The
/// attribute may be null.
LogicalResult verifyDefaultValue(Operation *stream, ElementsAttr value,
                                 Type type, bool isToDevice);

/// Verifies a stream of `type` with the attribute `seed`. `isShared` is whether
/// the stream goes to the device, and all replicas receive the same tensor.
LogicalResult verifySeedStream(Operation *stream, ElementsAttr value, Type type,
                               bool isShared);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DEFAULTVALUE_H
