//===- TrainedFunction.h - The function that a pass trains ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_TRAINEDFUNCTION_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_TRAINEDFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pop {

/// Returns the function `name` of `module`, or the entry function if `name` is
/// empty. If there is no such function, or if its body does not have exactly
/// one block, fails with an error that states what `pass` expects.
FailureOr<func::FuncOp> getTrainedFunction(ModuleOp module, StringRef name,
                                           StringRef pass);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_TRAINEDFUNCTION_H
