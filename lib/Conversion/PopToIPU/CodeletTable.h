//===- CodeletTable.h - Codelets of pop ops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_CONVERSION_POPTOIPU_CODELETTABLE_H
#define IPU_MLIR_LIB_CONVERSION_POPTOIPU_CODELETTABLE_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Planner/Partition/LoopPartition.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

/// Returns the target of `module`, or null if it has none.
TargetAttr getTarget(Operation *module);

/// Returns whether the machine has arithmetic for `type`. Other types are
/// emulated exactly.
bool isNative(Type type, TargetAttr target);

/// Makes a codelet round its results stochastically if the machine can. Fails,
/// with an error at an op that rounds, if this op does not compute a single
/// element; if the codelet rounds each element more than once and the generator
/// is `stream`; or if it rounds each element more than kMaxCodeletDraws times.
LogicalResult roundStochastically(CodeletOp codelet,
                                  pop::StochasticRoundingAttr rounding,
                                  TargetAttr target);

/// The codelets of a module. Equal codelets are created once.
class CodeletTable {
public:
  /// Creates an empty table. `symbols` is the symbol table of the module.
  explicit CodeletTable(SymbolTable &symbols) : symbols(symbols) {}

  /// Returns the codelet that computes `op` on buffers with the ranks in
  /// `problem.form`. The last stride of the inputs with `isStrided` is dynamic.
  /// With `rounding`, the results are rounded stochastically if the machine
  /// can.
  FailureOr<CodeletOp> getOrCreate(CodeletOpInterface op,
                                   const PartitionProblem &problem,
                                   ArrayRef<bool> isStrided,
                                   pop::StochasticRoundingAttr rounding);

  /// Returns the codelet that sets all elements of a buffer of `rank` to
  /// `value`.
  CodeletOp getOrCreateFill(Location loc, TypedAttr value, int64_t rank);

private:
  CodeletOp create(Location loc, ArrayRef<Type> arguments, int64_t numInputs,
                   CodeletCostAttr cost);
  CodeletOp insert(StringRef name, CodeletOp codelet);

  SymbolTable &symbols;
  /// Codelets by their requested names.
  llvm::MapVector<StringAttr, SmallVector<CodeletOp>> codelets;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_CONVERSION_POPTOIPU_CODELETTABLE_H
