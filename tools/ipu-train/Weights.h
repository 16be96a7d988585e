//===- Weights.h - The weights of models ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_WEIGHTS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_WEIGHTS_H

#include "Programs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu::train {

/// The name of argument or result `index`: `attribute` or, if there is none,
/// `fallback` with the index.
std::string getName(Attribute attribute, StringRef fallback, unsigned index);

/// Sets the weights and saved tensors of `model`, also those of functions that
/// `main` calls. Statistics of a normalization are no weights. Warns of float
/// variables for which the loss has no gradient; they are no weights either.
/// Fails, after a diagnostic, if there are no weights.
LogicalResult findWeights(func::FuncOp main, TrainedModel &model);

/// The number of rows of the tables, the smallest one, from which a Gather of
/// ONNX selects by the integers of an argument; none if there is none. Such
/// indices are from -N to N - 1. Those of a pop.gather may have any value.
std::optional<int64_t> findRows(BlockArgument argument);

/// Whether `main` normalizes with statistics of the samples of a batch.
bool hasBatchStatistics(func::FuncOp main);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_WEIGHTS_H
