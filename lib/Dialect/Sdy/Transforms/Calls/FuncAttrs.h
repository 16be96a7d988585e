//===- FuncAttrs.h - Attributes of functions --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_FUNCATTRS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_FUNCATTRS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ipu::sdy {

/// Name of an attribute of named computations: a dictionary of the attributes
/// of the original function, except its name, type and shardings.
constexpr StringLiteral kFuncAttrsAttrName = "sdy.func_attrs";

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_FUNCATTRS_H
