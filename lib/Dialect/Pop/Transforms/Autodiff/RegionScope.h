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
/// built. Either the forward op keeps the values that gradients need, or the
/// backward graph recomputes them from values that the forward op keeps. The
/// forward op is the op of the region in the forward graph.
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
  /// Replaces the placeholder of `kept` by `value`. The placeholder stays valid
  /// for builders of gradients that already use it.
  static void replacePlaceholder(const Kept &kept, Value value,
                                 GraphContext &context);

protected:
  bool isOwn(Value value) const override;
  Value importForward(Value value) override;
  Value keep(Value value);
  /// Returns the scalar of the backward graph that equals `value`, an argument
  /// of the region, or null if there is no such scalar.
  virtual Value importScalar(Value) { return {}; }

private:
  bool isComputedAgain(Value value) const;
  void reportNotKept(Value value);
  void computeAgain(Operation *op);

  Region *region;
  IRMapping imported;
  SmallVector<Kept> kept;
};

/// Returns the active values in `reached` that are defined above `op` and used
/// in its regions.
SmallVector<Value> getActiveCaptures(Operation *op, Scope &scope,
                                     const llvm::DenseSet<Value> &reached);

/// Replaces `op`, whose results are values of `scope`, by an op of the same
/// kind that has the regions of `op`, the additional operands `operands`, and
/// additional results of the types in `results`. Returns the new op.
Operation *extendOp(Operation *op, Scope &scope, ValueRange operands,
                    TypeRange results);

/// Builds a tensor of `type` whose elements are 0 (false for i1).
Value buildZeros(OpBuilder &b, Location loc, Type type);

LogicalResult differentiateFor(scf::ForOp loop, Scope &scope);
LogicalResult differentiateWhile(scf::WhileOp loop, Scope &scope);
/// Differentiates `op`, which executes one of its regions.
LogicalResult differentiateBranch(Operation *op, Scope &scope);
LogicalResult differentiateSequence(InSequenceOp op, Scope &scope);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_REGIONSCOPE_H
