//===- ImportPlanModel.h - Models of pop functions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_MODEL_IMPORTPLANMODEL_H
#define IPU_MLIR_PLANNER_MODEL_IMPORTPLANMODEL_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Planner/Model/PlanModel.h"
#include "ipu-mlir/Planner/Partition/PartitionCache.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

/// The constants of which several tiles may hold an element. Unless the value
/// is OfAll, the large clones of a constant are one tensor without copies.
enum class ConstantCopies { None, OfSmall, OfAll };

/// A constant that has only one user, because each other user has a clone of
/// it.
struct ConstantClone {
  /// The constant of which it is a clone. This is the constant itself if it is
  /// the first of the clones in its block.
  Operation *first;
  /// This flag is set if the clones together take more memory than clones of a
  /// small constant may.
  bool isLarge;
};
using ConstantClones = DenseMap<Operation *, ConstantClone>;

/// The tile mappings of variables, by symbol.
using VariableTileMappings = llvm::MapVector<StringAttr, TileMappingAttr>;

/// The values of the IR that a tensor of a model stands for.
struct TensorBinding {
  /// The result, argument or ref with the storage. For a copy, it is the copied
  /// value or, if a view consists of all elements of the copy, the result of
  /// this view.
  Value value;
  /// The op that computes the tensor; null for arguments, variables and copies
  /// without a view.
  Operation *op = nullptr;
  /// The clones of a constant that are the same tensor as `value`.
  SmallVector<Value, 0> clones = {};
  /// The symbol of a variable; null for other tensors.
  StringAttr variable = {};
  /// The number of the function's result whose copy the tensor is.
  std::optional<unsigned> result = std::nullopt;
};

struct ImportedModel {
  PlanModel model;
  /// A binding for each tensor of the model.
  SmallVector<TensorBinding, 0> bindings;
  /// The function, and the functions that it calls and whose steps are in the
  /// model at their first call.
  SmallVector<func::FuncOp, 1> functions;
};

/// Predicts, op by op, the steps that convert-pop-to-ipu and
/// ipu-materialize-exchange will create for `function` and for the functions
/// that it calls and that have no arguments and no results. The ops must be
/// decomposed. `variables` are tile mappings of symbols that other functions
/// also use. Emits an error and fails if an op cannot be executed on tiles in
/// its present form. `function`, `target` and `cache` must outlive the model.
FailureOr<ImportedModel>
importPlanModel(func::FuncOp function, const FunctionCalls &calls,
                const TargetModel &target, PartitionCache &cache,
                const VariableTileMappings &variables, ConstantCopies copies,
                const ConstantClones &clones);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_MODEL_IMPORTPLANMODEL_H
