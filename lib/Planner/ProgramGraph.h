//===- ProgramGraph.h - Tensors and steps of a function ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The future program of a mapped pop function and of its callees: tensors with
// storage, each with possible tile mappings, and steps whose costs depend on
// the tile mappings of a few tensors.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_PROGRAMGRAPH_H
#define IPU_MLIR_LIB_PLANNER_PROGRAMGRAPH_H

#include "PartialValues.h"
#include "StepCosts.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Planner/ProgramPlan.h"
#include "ipu-mlir/Planner/TensorStorage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu {

/// A possible tile mapping of a tensor. For the result of a codelet, it is also
/// the plan of its op.
struct TileMappingChoice {
  TileMappingAttr mapping;
  /// The partition problem, the blocks and the tile mappings of the inputs, for
  /// the result of a codelet whose op has `mapping` as a partition.
  const PartitionProblem *problem = nullptr;
  LoopBlocks blocks = {};
  SmallVector<TileMappingAttr> inputs = {};
  int64_t computeCycles = 0;
};

/// A tensor with storage of its own.
struct PlanTensor {
  /// The result, argument or ref with the storage. For a copy, it is the copied
  /// value or, if a view consists of all elements of the copy, the result of
  /// this view.
  Value value;
  /// The clones of a constant that are the same tensor as `value`.
  SmallVector<Value, 0> clones = {};
  /// The op that computes the tensor; null for arguments.
  Operation *op = nullptr;
  /// The number of bytes of an element. All results of an op are one tensor,
  /// because they have the same tile mapping. Its elements consist of those of
  /// all results.
  int64_t elementBytes = 0;
  /// The possible tile mappings. Before addChoices(), there is only the generic
  /// tile mapping.
  SmallVector<TileMappingChoice, 0> choices;
  /// Whether the tile mapping is given, so that there is only one choice.
  bool isFixed = false;
  /// Whether all choices are plans of ops. The generic choice was removed
  /// unless it is one of them.
  bool isPlanned = false;
  /// The number of bytes of a tile that a choice may take even if it exceeds
  /// the share of memory.
  int64_t leastBytes = 0;
  /// The partial values in the tensor that an op combines.
  PartialValues partialValues;
  /// For a copy of a returned value, the number of the function's result.
  std::optional<unsigned> result = std::nullopt;
  /// Whether the tensor exists before the program: an argument, constant or
  /// variable.
  bool isLeaf = false;
  /// Whether several tiles may hold an element.
  bool mayHaveCopies = false;
  /// The number of operands of steps that are views of the tensor.
  unsigned numReaders = 0;
  /// The number of likely exchanges up to the step that last wrote the tensor.
  unsigned numExchanges = 0;

  bool isConstant() const { return isLeaf && op; }
  ShapedType getType() const { return cast<ShapedType>(value.getType()); }
};

/// An operand of a step: a view of a tensor with storage.
struct PlanOperand {
  unsigned tensor;
  StridedView view;
  /// Whether the view is the whole tensor, in row-major order.
  bool isWhole;
  /// The number of the moved variable in exchanges. It is the number of the
  /// tensor, except for further results of an op.
  unsigned source;
  /// The number of bytes of an element.
  int64_t elementBytes;
  /// The number of the operand of a codelet's op, or of the region of a move.
  unsigned index = 0;
  /// Whether the tensor is written before an earlier exchange of the same
  /// block. A move of the operand can be merged into this exchange.
  bool isEarly = false;
};

/// The steps of one op.
struct PlanStep {
  enum class Kind {
    /// An exchange of the operands that are on other tiles, and a compute set.
    Compute,
    /// An optional fill, and an exchange of all operands.
    Move,
    /// An exchange of the single operand into the order of the result, or into
    /// the part of the tensor that `to` selects.
    Copy,
    HostLoad,
    HostStore,
  };
  Kind kind;
  Operation *op = nullptr;
  /// The tensor that is written; for a HostStore, the tensor that is read.
  unsigned tensor = 0;
  SmallVector<PlanOperand, 2> operands;
  /// Whether the cost includes only the exchange.
  bool isExchangeOnly = false;
  /// The known number of executions, which multiplies the cost.
  int64_t times = 1;
  /// For a copy into a part of a tensor, this part.
  std::optional<StridedView> to = std::nullopt;
  /// Whether isRoundingOfSums() holds for the op. The step has no cost if its
  /// operand is already on the tiles that round it.
  bool roundsSums = false;
  /// For a copy: whether the op that computes the operand can write the tensor
  /// directly, if both have the same tile mapping.
  bool canForward = false;
};

/// The bytes on a tile that the chosen plans of ops need. An op is not counted
/// if no other plan of the op needs fewer bytes.
struct ShareNeed {
  /// The greatest number of bytes that an op needs for which
  /// getAvailableMemory() returns std::nullopt.
  int64_t bytes = 0;
  /// The number of ops that need more bytes than their share of memory.
  int64_t numOver = 0;
};

/// What the choices of a program may be.
struct ChoiceKinds {
  /// Whether the choices of an op are nested plans, if there are any, and the
  /// best plan that is not nested.
  bool isNested = false;
  /// The constants that may have copies, and the clones of constants.
  ConstantCopies copies = ConstantCopies::None;
  const ConstantClones &clones;
};

class ProgramGraph {
public:
  /// `variables` are tile mappings of symbols that other functions also use.
  ProgramGraph(func::FuncOp function, const FunctionCalls &calls,
               const TargetModel &target, PlanCache &cache,
               const PlanOptions &options,
               const VariableTileMappings &variables, ChoiceKinds kinds)
      : function(function), calls(calls), context(function.getContext()),
        target(target), cache(cache), options(options), variables(variables),
        kinds(kinds) {}

  /// Determines the tensors and steps. Each tensor has only its generic choice.
  LogicalResult build();
  /// Returns whether the tiles of all existing tile mappings are tiles of the
  /// target.
  bool hasTiles() const;

  /// Adds choices: the best plans of single ops, and tile mappings with which
  /// neighbouring ops need few exchanges. The generic choice is removed if
  /// there are enough other choices.
  void addChoices();

  /// Returns the number of the choice with `mapping`, which is added if it does
  /// not exist. If the tile mapping of the tensor is given, returns the number
  /// of its only choice.
  unsigned getOrAddChoice(unsigned tensor, TileMappingAttr mapping);

  /// Removes all choices of each tensor except the one in `choices`.
  void keepOnly(ArrayRef<unsigned> choices);

  /// Adds a choice to each tensor whose only tile mapping leaves at least two
  /// of the last tiles free: the same tile mapping up to the last tile.
  void addLastTiles();

  /// Returns the tensors on whose choices the cost of the step depends, each
  /// once.
  SmallVector<unsigned> getTensors(const PlanStep &step) const;

  /// Returns the cycles of all executions of a step. `choices` has the choice
  /// of each tensor.
  int64_t getCost(const PlanStep &step, ArrayRef<unsigned> choices,
                  StepCosts &costs) const;

  /// Returns the cycles of all steps if no exchange is merged into an earlier
  /// exchange.
  int64_t getUnmergedCost(ArrayRef<unsigned> choices, StepCosts &costs) const;

  /// Returns the cycles of all steps if the steps of a block share equal moves.
  int64_t getSharedCost(ArrayRef<unsigned> choices, StepCosts &costs) const;

  /// Returns the cycles of all compute sets, without exchanges and copies.
  int64_t getComputeCost(ArrayRef<unsigned> choices) const;

  ShareNeed getShareNeed(ArrayRef<unsigned> choices) const;

  /// Returns an upper bound of the bytes of tensors on a tile at the fullest
  /// step. The bound assumes that one tile is the fullest tile of all live
  /// tensors.
  int64_t getDataBytes(ArrayRef<unsigned> choices) const;

  /// Returns an estimate of the bytes of the code and the state of vertices on
  /// a tile that executes all compute sets.
  int64_t getVertexBytes() const;

  /// Returns a lower bound of the cycles for all choices.
  int64_t getLeastCost(StepCosts &costs) const;

  /// The cycles of steps that do not depend on tile mappings.
  int64_t fixedCost = 0;

  SmallVector<PlanTensor, 0> tensors;
  SmallVector<PlanStep, 0> steps;
  /// The function and its callees whose tensors and steps are in this graph.
  /// The steps of a callee are at its first call.
  llvm::SetVector<Operation *> functions;

private:
  func::FuncOp getJoined(CallOpInterface call) const;
  void countCalls();
  LogicalResult addCall(func::FuncOp callee);
  LogicalResult addBlock(Block &block);
  LogicalResult addOp(Operation *op);
  LogicalResult addRegions(Operation *op);
  void addVariable(pop::GetVariableOp op);
  void addCopyInto(pop::CopyInPlaceOp op);
  void addStep(PlanStep step, bool exchanges = false);
  LogicalResult addCodelet(CodeletOpInterface op);
  void addView(TileViewOpInterface op);
  void addMove(TileMoveOpInterface op);
  void addReturn(Operation *op);
  bool isFree(const PlanStep &step, ArrayRef<unsigned> choices) const;
  bool isForwarded(const PlanStep &step, ArrayRef<unsigned> choices) const;

  // Memory (PlanMemory.cpp).
  SmallVector<std::pair<size_t, size_t>> getLiveRanges() const;
  int64_t getBytesOfOperands(const PlanStep &step,
                             ArrayRef<unsigned> choices) const;
  int64_t getCostOnce(const PlanStep &step, ArrayRef<unsigned> choices,
                      StepCosts &costs, bool mayMerge) const;
  unsigned addTensor(Value value, Operation *op, TileMappingAttr given);
  std::optional<PlanOperand> getOperand(Value value) const;
  void addFurtherResults(Operation *op, unsigned tensor);
  unsigned addCopy(Value value, Operation *view);
  unsigned getWhole(Value value);
  TileMappingAttr getDefaultTileMapping(Value value) const;
  std::optional<TileMappingChoice> getChoice(unsigned tensor,
                                             TileMappingAttr mapping);
  PlanOptions getOptions(Operation *op) const;

  // Choices (PlanChoices.cpp).
  int64_t getBytes(const TileMappingChoice &choice) const;
  bool fits(const PlanTensor &tensor, int64_t bytes) const;
  bool fits(const PlanTensor &tensor, const TileMappingChoice &choice) const;
  bool addChoice(unsigned tensor, TileMappingAttr mapping,
                 unsigned numMore = 0);
  void addCopied(unsigned tensor, TileMappingAttr mapping);
  bool hasLayouts(const PlanTensor &tensor) const;
  void keepIfGeneric(PlanTensor &tensor, TileMappingAttr mapping);
  void addOwnPlans(unsigned tensor);
  void addForward(const PlanStep &step);
  void addBackward(const PlanStep &step);
  void addCopies(const PlanStep &step);
  void addSeparated(const PlanStep &step);
  void addSlabs(unsigned tensor);

  func::FuncOp function;
  const FunctionCalls &calls;
  MLIRContext *context;
  const TargetModel &target;
  PlanCache &cache;
  PlanOptions options;
  const VariableTileMappings &variables;
  ChoiceKinds kinds;
  /// The number of executions of the current block.
  int64_t times = 1;
  /// The number of likely exchanges so far, and their number at the beginning
  /// of the current block or after the last nested block or call.
  unsigned numExchanges = 0, numOutside = 0;
  /// The number of executions of each function, and the call depth of the
  /// current function.
  DenseMap<Operation *, int64_t> timesOf;
  unsigned callDepth = 0;
  /// For each loop, the number of its first step and the number of the step
  /// after its last step.
  SmallVector<std::pair<size_t, size_t>> loops;
  /// The number of the first step of each function. For each call except the
  /// first, the number of the step after it and the number of the first step of
  /// the function.
  DenseMap<Operation *, size_t> firstStepOf;
  SmallVector<std::pair<size_t, size_t>> laterCalls;
  DenseMap<Value, TensorStorage> storage;
  DenseMap<Value, unsigned> tensorOf;
  /// The numbers in exchanges of the results of ops after the first ones.
  DenseMap<Value, unsigned> sourceOfFurther;
  /// The ref that represents a symbol in all functions.
  DenseMap<StringAttr, Value> refOfVariable;
  /// The scratch variables in which calls pass operands to the only op with
  /// splits in a function (findPassed()).
  DenseSet<StringAttr> passed;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_PROGRAMGRAPH_H
