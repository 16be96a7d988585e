//===- DialectAttributes.td - Traits of attributes ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_TD
#define IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_TD

include "mlir/IR/OpBase.td"

/// Each attribute of the op is defined by the op, or has the prefix of a dialect.
def OnlyKnownAttributes : NativeOpTrait<"OnlyKnownAttributes"> {
  let cppNamespace = "::mlir::ipu";
}

#endif // IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_TD
