//===- PartFunctions.h - Equal parts of ops as calls ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most serial parts of an op are equal except for the elements that they read.
// If they become calls of one function, their code is on the tiles once.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_SPLITS_PARTFUNCTIONS_H
#define IPU_MLIR_LIB_PLANNER_SPLITS_PARTFUNCTIONS_H

#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"

namespace mlir::ipu {

/// `result` is a concatenation of parts. While it has a single user that
/// computes the same bits for each part separately, replaces this user by an op
/// on each part, and concatenates the results. Such users are reductions over
/// other dimensions, roundings to nearest, and reshapes. With `sumsParts`, a
/// user that adds the parts one after the other becomes additions of each part
/// to the sum of the parts before it. Returns whether a user was a reduction.
bool sinkUsesIntoParts(Value result, bool sumsParts);

/// Returns the tensor that is stored as a whole if `result` is computed in
/// serial parts: the sum if all uses of `result` are part of one reduction, and
/// otherwise `result`.
Value getStoredResult(Value result);

class PartFunctions {
public:
  explicit PartFunctions(ModuleOp module) : symbols(module) {}

  /// `parts` are the ops into which one op of a function was split. Replaces
  /// equal parts by calls of one function. The function also contains the ops
  /// that are the only users of the results of the parts. Each call writes its
  /// part of the concatenation.
  void share(ArrayRef<Operation *> parts);

  int64_t getNumFunctions() const { return numFunctions; }

private:
  SmallVector<func::CallOp> call(ArrayRef<pop::OpSequence> runs);

  SymbolTable symbols;
  int64_t numFunctions = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_SPLITS_PARTFUNCTIONS_H
