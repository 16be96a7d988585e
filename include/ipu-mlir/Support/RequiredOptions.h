//===- RequiredOptions.h - Required options of passes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_REQUIREDOPTIONS_H
#define IPU_MLIR_SUPPORT_REQUIREDOPTIONS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::ipu {

/// Fails if the user did not give values for all `options` of `pass`. The error
/// is at the location of `op` and names the missing options.
template <typename... OptionTs>
LogicalResult verifyOptionsGiven(const Pass &pass, Operation *op,
                                 const OptionTs &...options) {
  SmallVector<StringRef> missing;
  ((options.hasValue() ? void() : missing.push_back(options.ArgStr)), ...);
  if (missing.empty())
    return success();
  InFlightDiagnostic diag = emitError(op->getLoc());
  diag << "'" << pass.getArgument() << "' expects a value of option ";
  llvm::interleaveComma(missing, diag,
                        [&](StringRef name) { diag << "'" << name << "'"; });
  return diag << " but got none";
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_REQUIREDOPTIONS_H
