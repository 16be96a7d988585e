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
  /// For the result of a codelet, if `map` is a partition of its op.
  const PartitionProblem *problem = nullptr;
  LoopBlocks blocks = {};
  SmallVector<TileMappingAttr> inputs = {};
  int64_t computeCycles = 0;
};

/// A tensor with storage of its own.
struct PlanTensor {
  /// The result, argument or ref. For a copy, the copied value or the view of
  /// all of it.
  Value value;
  /// Null for arguments.
  Operation *op = nullptr;
  /// The possible tile mappings. Before addChoices, only the generic one.
  SmallVector<TileMappingChoice, 0> choices;
  /// Whether the only choice is given.
  bool isFixed = false;
  /// Whether all choices are plans, and none is the generic choice.
  bool isPlanned = false;
  /// The bytes of a tile that choices may take even if they exceed the share.
  int64_t leastBytes = 0;
  /// Whether the tensor exists before the program: an argument, constant or
  /// variable.
  bool isLeaf = false;
  /// Whether several tiles may hold an element.
  bool mayHaveCopies = false;

  ShapedType getType() const { return cast<ShapedType>(value.getType()); }
};

/// An operand of a step: a view of a tensor with storage.
struct PlanOperand {
  unsigned tensor;
  StridedView view;
  /// Whether it is all of the tensor, in order.
  bool isWhole;
  /// The number of the operand of a codelet's op, or of the region of a move.
  unsigned index = 0;
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
  /// Whether only the exchange counts.
  bool isExchangeOnly = false;
  /// The known number of executions, which multiplies the cost.
  int64_t times = 1;
  /// For a copy into a part of a tensor.
  std::optional<StridedView> to = std::nullopt;
  /// Whether isRoundingOfSums() holds for the op. It has no cost if its operand
  /// is on the right tiles.
  bool roundsSums = false;
  /// For a copy: whether the op that computes the operand can write the tensor
  /// directly, if both have the same tile mapping.
  bool canForward = false;
};

/// The bytes of tiles that choices need, without those of ops for which no plan
/// needs fewer.
struct ShareNeed {
  /// The greatest need of an op without a share of its own.
  int64_t bytes = 0;
  /// The number of ops that exceed their share.
  int64_t numOver = 0;
};

class ProgramGraph {
public:
  /// `variables`: tile mappings of symbols that other functions use as well.
  /// With `isNested`, plans of ops are nested plans, if there are any, and the
  /// best other plan.
  ProgramGraph(func::FuncOp function, const FunctionCalls &calls,
               const TargetModel &target, PlanCache &cache,
               const PlanOptions &options,
               const VariableTileMappings &variables, bool isNested)
      : function(function), calls(calls), context(function.getContext()),
        target(target), cache(cache), options(options), variables(variables),
        isNested(isNested) {}

  /// Determines tensors and steps. Each tensor has its generic choice.
  LogicalResult build();

  /// Adds choices: plans of ops alone, and tile mappings that are cheap for
  /// neighbours. The generic choice is removed if there are enough others.
  void addChoices();

  /// The number of the choice with `mapping`, which is added if there is none.
  /// If a tile mapping is given, the number of the only choice.
  unsigned getOrAddChoice(unsigned tensor, TileMappingAttr mapping);

  /// The tensors on whose choices the cost of the step depends, each once.
  SmallVector<unsigned> getTensors(const PlanStep &step) const;

  /// The cycles of all executions of a step, for the choices of all tensors.
  int64_t getCost(const PlanStep &step, ArrayRef<unsigned> choices,
                  StepCosts &costs) const;

  /// The cycles of all steps, if the steps of a block share equal moves.
  int64_t getSharedCost(ArrayRef<unsigned> choices, StepCosts &costs) const;

  /// Cycles of all compute sets alone.
  int64_t getComputeCost(ArrayRef<unsigned> choices) const;

  ShareNeed getShareNeed(ArrayRef<unsigned> choices) const;

  /// An upper bound of the bytes of tensors on a tile at the fullest step: it
  /// assumes that the fullest tiles of all live tensors are the same.
  int64_t getDataBytes(ArrayRef<unsigned> choices) const;

  /// A lower bound of the cycles for all choices.
  int64_t getLeastCost(StepCosts &costs) const;

  /// The cycles of steps that do not depend on tile mappings.
  int64_t fixedCost = 0;

  SmallVector<PlanTensor, 0> tensors;
  SmallVector<PlanStep, 0> steps;
  /// The function, and its callees whose tensors and steps are in this graph,
  /// at their first calls.
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
  void addStep(PlanStep step);
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
                      StepCosts &costs) const;
  unsigned addTensor(Value value, Operation *op, TileMappingAttr given);
  std::optional<PlanOperand> getOperand(Value value) const;
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
  bool addChoice(unsigned tensor, TileMappingAttr mapping);
  void addCopied(unsigned tensor, TileMappingAttr mapping);
  bool hasLayouts(const PlanTensor &tensor) const;
  void addOwnPlans(unsigned tensor);
  void addForward(const PlanStep &step);
  void addBackward(const PlanStep &step);
  void addSlabs(unsigned tensor);

  func::FuncOp function;
  const FunctionCalls &calls;
  MLIRContext *context;
  const TargetModel &target;
  PlanCache &cache;
  PlanOptions options;
  const VariableTileMappings &variables;
  bool isNested;
  /// The number of executions of the current block.
  int64_t times = 1;
  /// The number of executions of each function, and the call depth of the
  /// current function.
  DenseMap<Operation *, int64_t> timesOf;
  unsigned callDepth = 0;
  /// The steps of each loop: the first one, and the one after the last.
  SmallVector<std::pair<size_t, size_t>> loops;
  /// The number of the first step of each function. For each call except the
  /// first, the number of the step after it and the number of the first step of
  /// the function.
  DenseMap<Operation *, size_t> firstStepOf;
  SmallVector<std::pair<size_t, size_t>> laterCalls;
  DenseMap<Value, TensorStorage> storage;
  DenseMap<Value, unsigned> tensorOf;
  /// The ref that represents a symbol in all functions.
  DenseMap<StringAttr, Value> refOfVariable;
  /// Variables that calls pass to the op for which a function was made.
  DenseSet<StringAttr> passed;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_PROGRAMGRAPH_H
