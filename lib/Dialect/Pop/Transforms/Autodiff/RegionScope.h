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

/// The scope of a region whose values cannot be seen where its gradients are
/// built. The forward op keeps those that are asked for until then, or they are
/// computed again from those that it keeps.
class RegionScope : public Scope {
public:
  RegionScope(Scope &parent, Region &region, Block *backward)
      : Scope(parent.getContext(), &parent, backward), region(&region) {}

  void replaceForward(Value from, Value to) override;

  /// A value that the forward op is to keep, and what stands for it in the
  /// backward block until it does.
  struct Kept {
    Value value;
    Value placeholder;
  };
  ArrayRef<Kept> getKept() const { return kept; }
  /// Lets `value` take the place of the placeholder, which what is yet to build
  /// gradients may have.
  static void replacePlaceholder(const Kept &kept, Value value,
                                 GraphContext &context);

protected:
  bool isOwn(Value value) const override;
  Value importForward(Value value) override;
  Value keep(Value value);
  /// The scalar in the backward graph that `value`, an argument of the region,
  /// is; null if it is not known there.
  virtual Value importScalar(Value) { return {}; }

private:
  bool isComputedAgain(Value value) const;
  void reportNotKept(Value value);
  void computeAgain(Operation *op);

  Region *region;
  IRMapping imported;
  SmallVector<Kept> kept;
};

/// The values used in the regions of `op` and defined above it that are in
/// `reached` and whose gradients are asked for.
SmallVector<Value> getActiveCaptures(Operation *op, Scope &scope,
                                     const llvm::DenseSet<Value> &reached);

/// Replaces `op`, whose results are in `scope`, by an op with more operands and
/// more results, which has its regions.
Operation *extendOp(Operation *op, Scope &scope, ValueRange operands,
                    TypeRange results);

/// A tensor of zeros, as false and 0 are.
Value buildZeros(OpBuilder &b, Location loc, Type type);

LogicalResult differentiateFor(scf::ForOp loop, Scope &scope);
LogicalResult differentiateWhile(scf::WhileOp loop, Scope &scope);
/// Differentiates an op that executes one of its regions.
LogicalResult differentiateBranch(Operation *op, Scope &scope);
LogicalResult differentiateSequence(InSequenceOp op, Scope &scope);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_REGIONSCOPE_H
