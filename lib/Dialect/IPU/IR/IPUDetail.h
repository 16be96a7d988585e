//===- IPUDetail.h - Utilities of ipu verifiers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_IPU_IR_IPUDETAIL_H
#define IPU_MLIR_LIB_DIALECT_IPU_IR_IPUDETAIL_H

#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"

namespace mlir::ipu::detail {

/// Returns whether `value` has no elements.
inline bool isEmpty(Value value) {
  return cast<MemRefType>(value.getType()).getNumElements() == 0;
}

/// Returns whether `value` selects all elements of its variable, in their
/// order.
bool isWholeVariable(Value value);

/// Checks that `value` is a view of an `ipu.var`, and that the view selects no
/// elements after the end of the variable. `what` names the value in errors.
LogicalResult verifyView(Operation *op, Value value, const Twine &what);

/// Checks that `op` may read `value`. If some elements of a variable with
/// copies are on no tile, only vertices may read the variable.
LogicalResult verifyReadable(Operation *op, Value value);

/// Checks that a replica of the target of `op` has all tiles of `mapping`.
/// `what` is the start of the error message. It names the value that has the
/// mapping, and is empty for `op` itself.
LogicalResult verifyTiles(Operation *op, TileMappingAttr mapping,
                          StringRef what = "");

/// Checks that `op`, which is not an exchange, may write `value`.
LogicalResult verifyWritable(Operation *op, Value value);

/// Returns whether a variable of type `variable` can store tensor elements of
/// type `tensorElement`. The element types may only differ in signedness.
bool isSameStorage(MemRefType variable, Type tensorElement);

/// Checks that `type` is a valid type of a variable. `copies` states whether
/// several tiles may store copies of an element.
LogicalResult verifyVariableType(Operation *op, MemRefType type, bool copies);

/// Checks that `value` is a whole variable with one integer element of `width`
/// bits. `what` names the value in errors.
LogicalResult verifyScalarVariable(Operation *op, Value value, unsigned width,
                                   const Twine &what);

/// Checks that `name` is a `func.func` that a program can call.
LogicalResult verifyProgramFunction(Operation *op, FlatSymbolRefAttr name,
                                    SymbolTableCollection &symbols);

/// Checks that `rng` is the RNG state that `op` may advance.
LogicalResult verifyRng(Operation *op, Value rng);

/// Checks that `op`, which may draw random bits from `rng`, has a draw number
/// if the generator of its module requires one.
LogicalResult verifyDraw(Operation *op, Value rng, DrawAttr draw);

/// Adds the effects on the RNG state `rng` of an op that draws from it. If
/// `draw` is null, the random bits depend on earlier draws. Otherwise, `draw`
/// determines the bits.
void addRngEffects(MutableOperandRange rng, DrawAttr draw,
                   SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

/// Checks that all ops in `codelet` that compute element numbers or draw random
/// bits refer to the same buffer.
LogicalResult verifyOneNumberedBuffer(CodeletOp codelet);

/// Checks that `body`, a region of `op`, only contains ops of type OpTy.
template <typename OpTy>
LogicalResult verifyBodyHoldsOnly(Operation *op, Region &body) {
  for (Operation &inner : body.getOps()) {
    if (isa<OpTy>(inner))
      continue;
    InFlightDiagnostic diag = op->emitOpError();
    diag << "expects its body to hold only '" << OpTy::getOperationName()
         << "' but got '" << inner.getName() << "'";
    diag.attachNote(inner.getLoc()) << "op defined here";
    return diag;
  }
  return success();
}

/// Checks that `buffer` has a row with the number `row`.
LogicalResult verifyRow(Operation *op, IntegerAttr row, RemoteBufferOp buffer);

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_DIALECT_IPU_IR_IPUDETAIL_H
