//===- Weights.h - The weights of models ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_WEIGHTS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_WEIGHTS_H

#include "Programs.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu::train {

/// The name of argument or result `index`: `attribute` or, if there is none,
/// `fallback` with the index.
std::string getName(Attribute attribute, StringRef fallback, unsigned index);

/// Sets the weights, the variables that are not trained, and the saved tensors
/// of `model`, also those of functions that `main` calls. Warns of selected
/// variables for which the loss has no gradient; a remark names masks, and
/// variables that only decide conditions. Fails if there are no weights, or if
/// the options do not fit the model.
Status findWeights(const SelectionOptions &options, func::FuncOp main,
                   TrainedModel &model);

/// Gives the weights that are in a group the optimizer of their group.
void setOptimizers(ModuleOp module, const TrainedModel &model,
                   ArrayRef<pop::OptimizerAttr> ofGroups);

/// Prints the weights that are trained, and the variables that are not.
void printWeights(llvm::raw_ostream &os, const TrainedModel &model,
                  ArrayRef<GroupOption> groups);

/// The number of rows of the tables, the smallest one, from which a Gather of
/// ONNX selects by the integers of an argument; none if there is none. Such
/// indices are from -N to N - 1. Those of a pop.gather may have any value.
std::optional<int64_t> findRows(BlockArgument argument);

/// Returns the number of groups of replicas that have values of their own.
int64_t countReplicaGroups(pop::VariableOp variable);

/// Whether `main` normalizes with statistics of the samples of a batch.
bool hasBatchStatistics(func::FuncOp main);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_WEIGHTS_H
