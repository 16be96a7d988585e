//===- CodeletTable.h - Codelets of pop ops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_CONVERSION_POPTOIPU_CODELETTABLE_H
#define IPU_MLIR_LIB_CONVERSION_POPTOIPU_CODELETTABLE_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Planner/Partition.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

/// What `module` says of its target; null if nothing.
TargetAttr getTarget(Operation *module);

/// Whether the machine computes with `type`; other types are emulated exactly.
bool isNative(Type type, TargetAttr target);

/// Makes a codelet round what it computes stochastically where the machine can.
/// Fails, with an error at the op that rounds, where it is not clear for which
/// element that is, and where the generator is `stream` and an element is
/// rounded twice.
LogicalResult roundStochastically(CodeletOp codelet,
                                  pop::StochasticRoundingAttr rounding,
                                  TargetAttr target);

/// The codelets of a module, each made once.
class CodeletTable {
public:
  /// `symbols`: the module's.
  explicit CodeletTable(SymbolTable &symbols) : symbols(symbols) {}

  /// The codelet that computes `op` on buffers of the ranks in `problem.form`.
  /// With `rounding`, results are rounded stochastically if the machine can.
  FailureOr<CodeletOp> getOrCreate(CodeletOpInterface op,
                                   const PartitionProblem &problem,
                                   pop::StochasticRoundingAttr rounding);

  /// The codelet that sets all elements of a buffer of `rank` to `value`.
  CodeletOp getOrCreateFill(Location loc, TypedAttr value, int64_t rank);

private:
  CodeletOp create(Location loc, ArrayRef<Type> arguments, int64_t numInputs,
                   CodeletCostAttr cost);
  CodeletOp insert(StringRef name, CodeletOp codelet);

  SymbolTable &symbols;
  /// Codelets by the name they asked for.
  llvm::MapVector<StringAttr, SmallVector<CodeletOp>> codelets;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_CONVERSION_POPTOIPU_CODELETTABLE_H
