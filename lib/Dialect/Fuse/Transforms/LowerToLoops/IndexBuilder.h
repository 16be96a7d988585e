//===- IndexBuilder.h - Loops and accesses of a nest ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates loops, conditions, loads and stores, as `affine` or `scf` ops. The
// indices are semi-affine expressions of values that are not negative.
// Dimension k of an expression is the variable of the loop of class k, and the
// symbols are those of the schedule. MLIR's affine passes accept the created
// ops: products with sizes and quotients by sizes become affine.linearize_index
// and affine.delinearize_index, whose results are dimensions of affine maps.
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

  /// `symbols` are the values of the schedule's symbols, which must be defined
  /// before the insertion point of `b`. Sizes that are expressions of symbols
  /// are computed at this insertion point.
  IndexBuilder(ImplicitLocOpBuilder &b, bool isAffine, ArrayRef<Value> symbols,
               unsigned numClasses);

  ImplicitLocOpBuilder &getBuilder() { return b; }
  bool isAffine() const { return affine; }

  /// Sets the value of dimension `loopClass` until `unbind` is called: the
  /// induction variable of a loop, or a constant.
  void bind(ClassId loopClass, Value iv);
  void bind(ClassId loopClass, int64_t constant);
  void unbind(ClassId loopClass);
  bool isBound(ClassId loopClass) const {
    return bindings[loopClass].iv || bindings[loopClass].constant;
  }
  /// Returns `expr`, in which the dimensions with constant values are replaced
  /// by these values.
  AffineExpr simplify(AffineExpr expr) const;

  /// Returns a new symbol for `value`, which must be defined outside of all
  /// loops.
  AffineExpr addSymbol(Value value);
  /// Return a new symbol for the signed minimum or maximum of two sizes.
  AffineExpr addMin(AffineExpr lhs, AffineExpr rhs);
  AffineExpr addMax(AffineExpr lhs, AffineExpr rhs);
  /// Returns the value of `expr`, which only contains symbols. The value is
  /// computed before the nest.
  Value getSize(AffineExpr expr);
  Value getValue(AffineExpr expr);

  Value createLoad(Value memref, ArrayRef<AffineExpr> indices);
  void createStore(Value value, Value memref, ArrayRef<AffineExpr> indices);
  /// Create a load or a store of a vector of `type` along the last dimension.
  Value createVectorLoad(VectorType type, Value memref,
                         ArrayRef<AffineExpr> indices, Value mask);
  void createVectorStore(Value value, Value memref,
                         ArrayRef<AffineExpr> indices, Value mask);

  /// Creates a loop from `lower`, which is a constant or a symbol, to the least
  /// of `uppers`. For parallel loops, `inits` must be empty.
  FailureOr<SmallVector<Value>> createLoop(AffineExpr lower,
                                           ArrayRef<AffineExpr> uppers,
                                           bool isParallel, ValueRange inits,
                                           BodyFn body);
  /// Creates a condition that executes the code of `then` if all `bounds` hold,
  /// and otherwise the code of `otherwise`. `otherwise` is called with the
  /// results of `then`. Both return the results of the condition.
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

  /// Returns `expr` as a purely affine expression of `operands`. Appends
  /// necessary operands to `operands`.
  AffineExpr legalize(AffineExpr expr, Operands &operands);
  AffineExpr getDim(Value value, Operands &operands);
  AffineExpr getSymbol(Value value, Operands &operands);
  AffineMap legalize(ArrayRef<AffineExpr> exprs, Operands &operands);
  /// Returns the value of `expr`, computed by `arith` ops at the insertion
  /// point.
  Value expand(AffineExpr expr);
  /// Creates a division that rounds towards minus infinity, as in affine
  /// expressions.
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
  /// Sizes are computed after the op `anchor`, or at the start of `block` if
  /// `anchor` is null.
  Block *block;
  Operation *anchor;
  llvm::DenseMap<AffineExpr, Value> sizes;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXBUILDER_H
