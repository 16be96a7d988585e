//===- NestEmitter.h - Loop nest of a fusion --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the nest of one fusion. In: a legal schedule with its loop classes and
// nest. Out: loops on memrefs before the fusion, and the tensors that replace
// its results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H

#include "IndexRanges.h"
#include "IndexBuilder.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/LowerToLoops.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fuse {

class NestEmitter {
public:
  NestEmitter(const FusionSchedule &fusion, const LoopClasses &classes,
              const LoopNest &nest, const LowerToLoopsOptions &options);

  /// Writes the nest; fails with a diagnostic if a loop cannot run as its type
  /// says. `results` replace those of the fusion.
  LogicalResult run(SmallVectorImpl<Value> &results);

private:
  /// How a value is kept between the statement that makes it and its readers.
  enum class Form { Scalar, Vector, Memory };

  /// The update of a tensor, or its init: which also stands for the store of
  /// what was reduced, since it is in the same loops.
  struct Statement {
    TensorId tensor;
    std::unique_ptr<IndexSolver> solver;
    /// Where it must not run outside of.
    SmallVector<IndexBound> bounds;
  };

  /// What is known of one tensor.
  struct State {
    /// Of its value for readers, and of a reduction's accumulator.
    Form form = Form::Scalar;
    Form accForm = Form::Scalar;
    /// Indices of the loops that are the dimensions of its own buffer.
    SmallVector<unsigned> privateLoops;
    /// Per result: its own buffer or an output's; null if it has none.
    SmallVector<Value> buffers;
    /// The buffers are whole tensors, indexed by logical axes.
    bool isWhole = false;
    Statement compute, init;
    /// What it is now, if that is known as SSA values, per result.
    SmallVector<Value> values;
    SmallVector<Value> accs;
    /// Nesting level of the init that is open; 0: none.
    unsigned initLevel = 0;
  };

  //===--- Set-up (LowerToLoopsSetUp.cpp) ---------------------------------===//

  LogicalResult setUp();
  void setUpInputs();
  LogicalResult setUpScalars();
  void setUpSymbols();
  void setUpOutputs();
  Value getDim(Value tensor, unsigned dim);
  void chooseVectorLoops();
  void setUpStatements();
  void setUpStatement(Statement &statement);
  void chooseForms();
  Form chooseForm(TensorId tensor) const;
  /// Whether a tensor that is computed deeper than it is stored is read outside
  /// of the loops that it is computed in.
  bool isReadOutside(TensorId tensor) const;
  /// Whether each reader of the tensor wants just the lane that it computes.
  bool isReadByLane(TensorId tensor) const;

  //===--- Nest (LowerToLoopsNest.cpp) ------------------------------------===//

  LogicalResult emitBody(const std::vector<LoopNode> &body);
  LogicalResult emitNodes(ArrayRef<const LoopNode *> nodes);
  LogicalResult emitNode(const LoopNode &node);
  LogicalResult emitGuarded(ArrayRef<const LoopNode *> nodes,
                            ArrayRef<IndexBound> bounds);
  LogicalResult emitLoop(const LoopNode &node);
  LogicalResult emitSegment(const LoopNode &node, AffineExpr lower,
                            SmallVector<AffineExpr> uppers);

  /// Reductions that `nodes` update and whose accumulators are values made
  /// before them.
  SmallVector<TensorId> getCarried(ArrayRef<const LoopNode *> nodes) const;
  SmallVector<Value> getAccumulators(ArrayRef<TensorId> tensors) const;
  void setAccumulators(ArrayRef<TensorId> tensors, ValueRange values);
  void setValues(TensorId tensor, ArrayRef<Value> values);

  //===--- Buffers (LowerToLoopsBuffers.cpp) ------------------------------===//

  LogicalResult emitAlloc(const LoopNode &node);
  /// Where buffers on the stack go, once for all iterations.
  Block *getAllocaBlock();
  LogicalResult emitInit(const LoopNode &node);
  LogicalResult emitInitLoops(TensorId tensor, ArrayRef<unsigned> axes);
  /// Stores values where the statement's bounds hold.
  void storeGuarded(const Statement &statement,
                    function_ref<SmallVector<Value>()> getValues);
  /// Stores a reduction that is complete, or makes it known as a value.
  LogicalResult finish(TensorId tensor);

  //===--- Bounds (LowerToLoopsBounds.cpp) --------------------------------===//

  /// Statements in `node` that must not run out of bounds.
  SmallVector<const Statement *> getStatements(const LoopNode &node) const;
  /// Those bounds that depend on open loops alone and that nothing implies yet;
  /// of lane 0, where there are lanes.
  SmallVector<IndexBound> getOpenBounds(const Statement &statement) const;
  /// Those that all statements of `node` have; none if no statement in `node`
  /// must respect any.
  std::optional<SmallVector<IndexBound>>
  getOpenBounds(const LoopNode &node) const;
  bool isAssumed(const IndexBound &bound) const;
  bool dependsOnlyOn(AffineExpr expr, std::optional<ClassId> extra) const;
  /// Where the bounds that the loop decides first begin to fail: all
  /// `implied` hold before it. None if there is no such place within the loop.
  std::optional<AffineExpr> getPeelPoint(const LoopNode &node,
                                         SmallVectorImpl<IndexBound> &implied);
  AffineExpr zero() const;
  AffineExpr getMin(AffineExpr lhs, AffineExpr rhs);
  /// The first of `extent` iterations, each worth `factor`, in which an index
  /// that has up to `slack` added may reach `bound`.
  AffineExpr getFirstFailure(AffineExpr bound, AffineExpr slack, int64_t factor,
                             AffineExpr extent);
  /// Bounds of the loop that stand for bounds of all statements in it.
  SmallVector<AffineExpr> getTightBounds(const LoopNode &node,
                                         SmallVectorImpl<IndexBound> &implied);

  //===--- Statements (LowerToLoopsStatements.cpp) ------------------------===//

  void emitCompute(TensorId tensor);
  Value readOperand(const Statement &statement, OpOperand &operand);
  SmallVector<Value> getInitialValues(TensorId tensor);
  /// The same where the statement that sets them may run, else zeros.
  FailureOr<SmallVector<Value>> getGuardedInitialValues(TensorId tensor);
  /// Clones the op's body without its terminator.
  void cloneBody(TensorId tensor, IRMapping &mapping,
                 const llvm::SmallPtrSetImpl<Operation *> &except);
  void store(const Statement &statement, ArrayRef<Value> values);
  SmallVector<AffineExpr> getBufferIndices(const Statement &statement,
                                           unsigned result) const;
  SmallVector<AffineExpr> getReadIndices(const Statement &statement,
                                         OpOperand &operand) const;
  AffineExpr getIndex(const Statement &statement, AxisId axis) const;
  Value getScalar(Value value) { return scalars.lookupOrDefault(value); }
  Value getZero(Type type);
  Value createLoad(const Statement &statement, Value memref,
                   ArrayRef<AffineExpr> indices);

  //===--- Vectors (LowerToLoopsVector.cpp) -------------------------------===//

  bool canVectorize(TensorId tensor, ClassId loopClass) const;
  /// c, if `expr` at lane l is c * l more than at lane 0.
  static std::optional<AffineExpr> getLaneFactor(AffineExpr expr, ClassId lane);
  /// A mask tells where the bound holds.
  bool isOfLane(const IndexBound &bound) const {
    return lane && bound.index.isFunctionOfDim(*lane);
  }
  int64_t getNumLanes() const { return getNumLanes(*lane); }
  int64_t getNumLanes(ClassId loopClass) const;
  bool isReducedByLane(TensorId tensor, ClassId lane) const;
  bool hasLane(TensorId tensor, ClassId lane) const;
  Value toVector(Value value);
  Value getMask(const Statement &statement);
  /// `expr` with the loop at `i`; the present lane at `i`.
  static AffineExpr atDim(AffineExpr expr, ClassId loopClass, int64_t i);
  AffineExpr atLane(AffineExpr expr, int64_t i) const {
    return lane ? atDim(expr, *lane, i) : expr;
  }
  Value createLaneLoad(const Statement &statement, Value memref,
                       ArrayRef<AffineExpr> indices);
  void createLaneStore(const Statement &statement, Value value, Value memref,
                       ArrayRef<AffineExpr> indices);
  Value createLaneIndex(AffineExpr expr);
  Operation *cloneOnVectors(Operation *op, IRMapping &mapping);
  /// Reduces the lanes of what a reduction adds by a tree of halves.
  SmallVector<Value> reduceLanes(TensorId tensor, IRMapping &mapping);
  Value reduceByHalves(Operation *combiner, Value vector);
  /// Runs `body` in the vectors of `lane`.
  LogicalResult withLanes(ClassId lane, function_ref<LogicalResult()> body);

  //===--------------------------------------------------------------------===//

  FusionOp op;
  const FusionSchedule &fusion;
  const Schedule &schedule;
  const LoopClasses &classes;
  const LoopNest &nest;
  LowerToLoopsOptions options;
  ImplicitLocOpBuilder b;
  std::unique_ptr<IndexBuilder> index;
  IndexRanges ranges;

  /// Inputs' buffers and values that are no tensors.
  IRMapping inputs, scalars;
  SmallVector<Value> outputBuffers;
  SmallVector<Value> wholeTemporaries;
  std::vector<State> states;
  std::vector<bool> isVectorLoop;

  /// The vectors that statements are written on at present.
  std::optional<ClassId> lane;
  SmallVector<IndexBound> assumed;
  unsigned level = 0;
  /// How many times the current node is written.
  unsigned copies = 1;
  /// What is on the function's stack; none if that is not known yet.
  std::optional<int64_t> stackBytes;
  /// By the result that they hold.
  llvm::DenseMap<Value, Value> stackBuffers;
  bool isInParallelLoop = false;
  /// Tensors whose values are set, in the order they were.
  SmallVector<TensorId> known;
  /// Of each loop to unroll, outer before inner.
  SmallVector<Block *> unrolled;

public:
  ArrayRef<Block *> getUnrolled() const { return unrolled; }
};

/// The combining op of a reduction's result: the value yielded is `op(x, out)`
/// or `op(out, x)`, `out` has no other use, and the op has a neutral element.
/// Null if that is not how it is.
Operation *getCombiner(linalg::LinalgOp op, unsigned result);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
