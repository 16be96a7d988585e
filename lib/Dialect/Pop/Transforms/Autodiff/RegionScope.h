//===- RegionScope.h - Differentiation of a region --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_REGIONSCOPE_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_REGIONSCOPE_H

#include "Scope.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pop {

/// The scope of a region whose values are not visible where its gradients are
/// built. The forward op keeps the values that are needed, or they are
/// recomputed from the values that it keeps.
class RegionScope : public Scope {
public:
  RegionScope(Scope &parent, Region &region, Block *backward)
      : Scope(parent.getContext(), &parent, backward), region(&region) {}

  void replaceForward(Value from, Value to) override;

  /// A value that the forward op must keep, and its placeholder in the backward
  /// block.
  struct Kept {
    Value value;
    Value placeholder;
  };
  ArrayRef<Kept> getKept() const { return kept; }
  /// Replaces the placeholder, which later builders of gradients may use, by
  /// `value`.
  static void replacePlaceholder(const Kept &kept, Value value,
                                 GraphContext &context);

protected:
  bool isOwn(Value value) const override;
  Value importForward(Value value) override;
  Value keep(Value value);
  /// Returns the scalar in the backward graph for `value`, an argument of the
  /// region, or null if there is none.
  virtual Value importScalar(Value) { return {}; }

private:
  bool isComputedAgain(Value value) const;
  void reportNotKept(Value value);
  void computeAgain(Operation *op);

  Region *region;
  IRMapping imported;
  SmallVector<Kept> kept;
};

/// Returns the values that are defined above `op`, used in its regions, and in
/// `reached`, and whose gradients are needed.
SmallVector<Value> getActiveCaptures(Operation *op, Scope &scope,
                                     const llvm::DenseSet<Value> &reached);

/// Replaces `op`, whose results are in `scope`, by an op with additional
/// operands and results and with the regions of `op`.
Operation *extendOp(Operation *op, Scope &scope, ValueRange operands,
                    TypeRange results);

/// Returns a tensor of zeros (false for i1).
Value buildZeros(OpBuilder &b, Location loc, Type type);

LogicalResult differentiateFor(scf::ForOp loop, Scope &scope);
LogicalResult differentiateWhile(scf::WhileOp loop, Scope &scope);
/// Differentiates an op that executes one of its regions.
LogicalResult differentiateBranch(Operation *op, Scope &scope);
LogicalResult differentiateSequence(InSequenceOp op, Scope &scope);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_REGIONSCOPE_H
