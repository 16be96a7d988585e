//===- ValueSources.h - Sources of values -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, branches, calls and refs pass values on, and often have no placement
// of their own. This class finds the placements of the values that they pass.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_VALUESOURCES_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_VALUESOURCES_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

namespace mlir::pop {

class ValueSources {
public:
  /// A value, or a variable, with a placement or without one that is known.
  struct Source {
    Value value;
    std::optional<int64_t> vgraph, stage;
    Location loc;
  };

  explicit ValueSources(ModuleOp module) : calls(module) {}

  /// Returns the sources of `value`: `value` itself, if its op or argument
  /// states a virtual graph or passes nothing on. If not, these are the values
  /// that loops, branches and calls pass on as `value`, or the variable to
  /// which a ref refers. Without `ofEarlierIterations`, values that an earlier
  /// iteration of a loop passes on are left out. A value for which `isSource`
  /// returns true is a source, too.
  SmallVector<Source> find(
      Value value, bool ofEarlierIterations,
      function_ref<bool(Value)> isSource = [](Value) { return false; });

private:
  SmallVector<Value> getPassed(Value value, bool ofEarlierIterations);

  ipu::FunctionCalls calls;
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, RegionBranchInverseSuccessorMapping> inputsOf;
};

/// Does the same as inheritSchedule(value, op). `sources` belongs to the module
/// of `op`. Callers that place many ops share it.
void inheritSchedule(Value value, Operation *op, ValueSources &sources);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_VALUESOURCES_H
