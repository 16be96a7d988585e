//===- IndexBuilder.h - Loops and accesses of a nest ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates loops, conditions, loads and stores, as `affine` or `scf` ops, from
// expressions whose dimension k is the loop of class k and whose symbols are
// the schedule's. In: semi-affine expressions of non-negative values. Out: ops
// that upstream's affine passes accept; products with sizes and quotients by
// sizes become affine.linearize_index and affine.delinearize_index, whose
// results are dimensions again.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXBUILDER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXBUILDER_H

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse {

class IndexBuilder {
public:
  using BodyFn =
      function_ref<FailureOr<SmallVector<Value>>(Value iv, ValueRange args)>;

  /// `symbols`: values of the schedule's symbols, which are defined before the
  /// insertion point of `b`. More sizes are computed at this point.
  IndexBuilder(ImplicitLocOpBuilder &b, bool isAffine, ArrayRef<Value> symbols,
               unsigned numClasses);

  ImplicitLocOpBuilder &getBuilder() { return b; }
  bool isAffine() const { return affine; }

  /// Sets the value of dimension `loopClass` from now on: the variable of a
  /// loop, or a constant.
  void bind(ClassId loopClass, Value iv);
  void bind(ClassId loopClass, int64_t constant);
  void unbind(ClassId loopClass);
  bool isBound(ClassId loopClass) const {
    return bindings[loopClass].iv || bindings[loopClass].constant;
  }
  /// `expr`, in which dimensions with constant values are replaced.
  AffineExpr simplify(AffineExpr expr) const;

  /// Returns a new symbol with this value, which must be defined outside of all
  /// loops.
  AffineExpr addSymbol(Value value);
  /// New symbols of the signed minimum and maximum of sizes.
  AffineExpr addMin(AffineExpr lhs, AffineExpr rhs);
  AffineExpr addMax(AffineExpr lhs, AffineExpr rhs);
  /// Returns the value of an expression that only contains symbols, computed
  /// before the nest.
  Value getSize(AffineExpr expr);
  Value getValue(AffineExpr expr);

  Value createLoad(Value memref, ArrayRef<AffineExpr> indices);
  void createStore(Value value, Value memref, ArrayRef<AffineExpr> indices);
  /// Loads and stores of `type` elements along the last dimension.
  Value createVectorLoad(VectorType type, Value memref,
                         ArrayRef<AffineExpr> indices, Value mask);
  void createVectorStore(Value value, Value memref,
                         ArrayRef<AffineExpr> indices, Value mask);

  /// Creates a loop from the constant or symbolic `lower` to the least of
  /// `uppers`. Parallel loops have no `inits`.
  FailureOr<SmallVector<Value>> createLoop(AffineExpr lower,
                                           ArrayRef<AffineExpr> uppers,
                                           bool isParallel, ValueRange inits,
                                           BodyFn body);
  /// Executes `then` if all of `bounds` hold. Otherwise, `otherwise` returns
  /// the results, given those of `then`.
  FailureOr<SmallVector<Value>>
  createIf(ArrayRef<IndexBound> bounds,
           function_ref<FailureOr<SmallVector<Value>>()> then,
           function_ref<SmallVector<Value>(ValueRange)> otherwise);

private:
  template <typename OpTy>
  AffineExpr addCombined(AffineExpr lhs, AffineExpr rhs);

  struct Binding {
    Value iv;
    std::optional<int64_t> constant;
  };
  /// The operands of an affine map under construction.
  struct Operands {
    SmallVector<Value> dims, symbols;
    SmallVector<Value> getAll() const;
  };

  /// `expr` as a purely affine expression of `operands`.
  AffineExpr legalize(AffineExpr expr, Operands &operands);
  AffineExpr getDim(Value value, Operands &operands);
  AffineExpr getSymbol(Value value, Operands &operands);
  AffineMap legalize(ArrayRef<AffineExpr> exprs, Operands &operands);
  /// Returns the value of an expression, by `arith` ops at the insertion point.
  Value expand(AffineExpr expr);
  /// Rounds towards minus infinity, as affine expressions do.
  Value createFloorDiv(Value lhs, Value rhs, bool isNonNegative);
  SmallVector<Value> getValues(ArrayRef<AffineExpr> exprs);
  FailureOr<SmallVector<Value>> createAffineLoop(AffineExpr lower,
                                                 ArrayRef<AffineExpr> uppers,
                                                 bool isParallel,
                                                 ValueRange inits, BodyFn body);
  Operation *createIfWithoutResults(ArrayRef<IndexBound> bounds);
  FailureOr<SmallVector<Value>> createSCFLoop(AffineExpr lower,
                                              ArrayRef<AffineExpr> uppers,
                                              bool isParallel, ValueRange inits,
                                              BodyFn body);

  ImplicitLocOpBuilder &b;
  bool affine;
  SmallVector<Value> symbols;
  SmallVector<Binding> bindings;
  /// Sizes are computed after this op, at first at the start of the block.
  Block *block;
  Operation *anchor;
  llvm::DenseMap<AffineExpr, Value> sizes;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXBUILDER_H
