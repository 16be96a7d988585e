//===- OutputKind.h - Kinds of outputs of a model ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_OUTPUTKIND_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_OUTPUTKIND_H

#include "Programs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu::train {

/// Fails or warns if the op that computes the output of the model, such as a
/// softmax, shows that the output is not what the loss `kind` expects. The
/// message names the loss that fits.
Status checkLoss(StringRef kind, func::FuncOp main, const TrainedModel &model);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_OUTPUTKIND_H
