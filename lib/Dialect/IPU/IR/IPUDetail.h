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

/// Returns whether `value` is a view of all elements of its variable, in order.
bool isWholeVariable(Value value);

/// Checks that `value` is a view of an `ipu.var` that does not reach beyond its
/// end.
LogicalResult verifyView(Operation *op, Value value, const Twine &what);

/// Checks that an op may read `value`. In a variable with copies, some elements
/// may be on no tile, which only vertices take into account.
LogicalResult verifyReadable(Operation *op, Value value);

/// Checks that a replica of the op's target has all tiles of `mapping`. `what`
/// names the value with the mapping: it is empty for the op itself, or the
/// start of a phrase.
LogicalResult verifyTiles(Operation *op, TileMappingAttr mapping,
                          StringRef what = "");

/// Checks that the op, which is not an exchange, may write `value`.
LogicalResult verifyWritable(Operation *op, Value value);

/// Returns whether a variable of type `variable` can hold elements of a tensor:
/// the types only differ in signedness.
bool isSameStorage(MemRefType variable, Type tensorElement);

/// Checks the type of the memory of a variable.
LogicalResult verifyVariableType(Operation *op, MemRefType type, bool copies);

/// Checks that `value` is a whole variable with one integer element of `width`
/// bits.
LogicalResult verifyScalarVariable(Operation *op, Value value, unsigned width,
                                   const Twine &what);

/// Checks that `name` is a `func.func` that a program can call.
LogicalResult verifyProgramFunction(Operation *op, FlatSymbolRefAttr name,
                                    SymbolTableCollection &symbols);

/// Checks that `rng` is the RNG state that `op` may advance.
LogicalResult verifyRng(Operation *op, Value rng);

/// Checks that `op`, which may draw from `rng`, has a draw if the generator of
/// its module requires one.
LogicalResult verifyDraw(Operation *op, Value rng, DrawAttr draw);

/// Adds the effects on `rng` of an op that draws from it. They depend on
/// whether `draw` determines the bits, or whether the bits depend on earlier
/// draws.
void addRngEffects(MutableOperandRange rng, DrawAttr draw,
                   SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

/// Checks that all ops that use element numbers or random bits use those of one
/// output.
LogicalResult verifyOneNumberedBuffer(CodeletOp codelet);

/// Checks the ops of the body of `op`.
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

/// Checks that `buffer` has row `row`.
LogicalResult verifyRow(Operation *op, IntegerAttr row, RemoteBufferOp buffer);

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_DIALECT_IPU_IR_IPUDETAIL_H
