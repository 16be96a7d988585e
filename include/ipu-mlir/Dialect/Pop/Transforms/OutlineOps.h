//===- OutlineOps.h - Functions for equal sequences of ops ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces sequences of ops that compute the same by calls of one function.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_OUTLINEOPS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_OUTLINEOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::pop {

/// Ops of one block, in program order. Ops with regions include the ops in the
/// regions.
using OpSequence = SmallVector<Operation *>;

/// Returns whether `op` is a leaf: it has no operands, regions or effects. A
/// constant and the handle of a variable are leaves. A function can have a copy
/// of a leaf.
bool isLeaf(Operation *op);

/// Replaces the static rows of transfers with remote buffers, except those in a
/// `pop.remote_exchange`, by constants. Transfers of different rows are then
/// equal except for their operands.
void separateRows(ModuleOp module);
/// Replaces these constants by static rows, where transfers still use them.
void foldRows(ModuleOp module);

/// The values that equal sequences exchange with their surroundings. Each list
/// of values has one value for each sequence.
struct SequenceInterface {
  /// The values from outside that the sequences use.
  SmallVector<SmallVector<Value>> operands;
  /// The results of ops that are used outside of some sequence.
  SmallVector<SmallVector<Value>> results;
  /// The leaves outside of the first sequence that become part of the function,
  /// because all sequences use equal leaves where the first one uses them.
  SmallVector<Operation *> leaves;
};

/// Returns the interface of `sequences`. Ops at equal positions of the
/// sequences must be equal except for their operands. If an op uses a value of
/// its sequence, the ops at this position use the corresponding values. If the
/// first sequence uses a value from outside in several places, so does each
/// sequence.
SequenceInterface getSequenceInterface(ArrayRef<OpSequence> sequences);

/// Creates a private function `name` before `position` that executes the first
/// of `sequences`, and inserts it into `symbols`. The function is not inlined.
func::FuncOp createSequenceFunction(StringRef name, Operation *position,
                                    const OpSequence &first,
                                    const SequenceInterface &interface,
                                    SymbolTable &symbols);

/// Replaces each of `sequences` by a call of `function` after the last op of
/// the sequence. No op between the ops of a sequence may use their results or
/// depend on their effects. Each call has the placement of the first op of its
/// sequence. Returns the calls.
SmallVector<func::CallOp>
replaceSequencesByCalls(ArrayRef<OpSequence> sequences,
                        const SequenceInterface &interface,
                        func::FuncOp function);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_OUTLINEOPS_H
