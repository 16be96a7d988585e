//===- IPUEnums.h - Enumerations of the ipu dialect -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUENUMS_H
#define IPU_MLIR_DIALECT_IPU_IR_IPUENUMS_H

#include "mlir/IR/OpImplementation.h"

#include "ipu-mlir/Dialect/IPU/IR/IPUEnums.h.inc"

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUENUMS_H
