//===- ProgramGraph.h - Tensors and steps of a function ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The future program of a mapped pop function and of those that it calls:
// tensors with storage, each with tile mappings to choose from, and steps whose
// costs depend on the tile mappings of a few of them.
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

/// A tile mapping that a tensor may have. For one that a codelet computes it is
/// also the plan of its op.
struct TileMappingChoice {
  TileMappingAttr mapping;
  /// Of a codelet's result, if `map` is a partition of its op.
  const PartitionProblem *problem = nullptr;
  LoopBlocks blocks = {};
  SmallVector<TileMappingAttr> inputs = {};
  int64_t computeCycles = 0;
};

/// A tensor with storage of its own.
struct PlanTensor {
  /// The result, argument or ref; for a copy, what is copied or the view that
  /// shows all of it.
  Value value;
  /// Null for arguments.
  Operation *op = nullptr;
  /// What may be chosen; the generic choice alone before addChoices.
  SmallVector<TileMappingChoice, 0> choices;
  /// Whether the only choice is given.
  bool isFixed = false;
  /// Whether all choices are plans: the generic one is not among them.
  bool isPlanned = false;
  /// What choices may take of a tile even if that is more than the share.
  int64_t leastBytes = 0;
  /// Whether the tensor is there before the program: an argument, constant or
  /// variable.
  bool isLeaf = false;
  /// Whether several tiles may hold an element.
  bool mayHaveCopies = false;

  ShapedType getType() const { return cast<ShapedType>(value.getType()); }
};

/// What a step reads: a view of a tensor with storage.
struct PlanOperand {
  unsigned tensor;
  StridedView view;
  /// Whether it is all of the tensor in its order.
  bool isWhole;
  /// Which operand of a codelet's op, or which region of a move.
  unsigned index = 0;
};

/// Steps that one op becomes.
struct PlanStep {
  enum class Kind {
    /// An exchange of the operands that are elsewhere, and a compute set.
    Compute,
    /// An optional fill, and an exchange of all operands.
    Move,
    /// An exchange of the one operand into the result's order, or into the part
    /// of the tensor that `to` shows.
    Copy,
    HostLoad,
    HostStore,
  };
  Kind kind;
  Operation *op = nullptr;
  /// The tensor that is written; of a HostStore, read.
  unsigned tensor = 0;
  SmallVector<PlanOperand, 2> operands;
  /// Whether only the exchange counts.
  bool isExchangeOnly = false;
  /// How often it runs, as far as that is known; it costs as much more.
  int64_t times = 1;
  /// Of a copy into a part of a tensor.
  std::optional<StridedView> to = std::nullopt;
  /// Whether isRoundingOfSums() of the op: it takes nothing where its operand
  /// is in place.
  bool roundsSums = false;
  /// Of a copy: whether the op that computes the operand can write the tensor
  /// itself, where both have the same map.
  bool canForward = false;
};

/// What choices take of tiles, without those of ops that have no plan that
/// takes less.
struct ShareNeed {
  /// The most of any op without a share of its own.
  int64_t bytes = 0;
  /// Ops that take more than their share.
  int64_t numOver = 0;
};

class ProgramGraph {
public:
  /// `variables`: maps of symbols that other functions use as well.
  /// `isNested`: plans of ops are nested ones, where there are any, and the
  /// best other one.
  ProgramGraph(func::FuncOp function, const FunctionCalls &calls,
               const TargetModel &target, PlanCache &cache,
               const PlanOptions &options,
               const VariableTileMappings &variables, bool isNested)
      : function(function), calls(calls), context(function.getContext()),
        target(target), cache(cache), options(options), variables(variables),
        isNested(isNested) {}

  /// Finds tensors and steps; each tensor has its generic choice.
  LogicalResult build();

  /// Adds choices: plans of ops by themselves, and maps that neighbors make
  /// cheap. The generic choice goes where there are enough others.
  void addChoices();

  /// The number of the choice of `mapping`, which is added if it is none. Where
  /// a tile mapping is given, that of the only one.
  unsigned getOrAddChoice(unsigned tensor, TileMappingAttr mapping);

  /// Tensors whose choices the step's cost depends on, each once.
  SmallVector<unsigned> getTensors(const PlanStep &step) const;

  /// Cycles of all executions of a step, given the choices of all tensors.
  int64_t getCost(const PlanStep &step, ArrayRef<unsigned> choices,
                  StepCosts &costs) const;

  /// Cycles of all steps, where those of a block share equal moves.
  int64_t getSharedCost(ArrayRef<unsigned> choices, StepCosts &costs) const;

  /// Cycles of all compute sets alone.
  int64_t getComputeCost(ArrayRef<unsigned> choices) const;

  ShareNeed getShareNeed(ArrayRef<unsigned> choices) const;

  /// Bytes of tensors on a tile at the fullest step, at most: as if the fullest
  /// tiles of all tensors that are live there were one.
  int64_t getDataBytes(ArrayRef<unsigned> choices) const;

  /// No choices take fewer cycles.
  int64_t getLeastCost(StepCosts &costs) const;

  /// Cycles of a step that do not depend on maps.
  int64_t fixedCost = 0;

  SmallVector<PlanTensor, 0> tensors;
  SmallVector<PlanStep, 0> steps;
  /// The function, and those that it calls whose tensors and steps are here as
  /// well: a function where its first call is.
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
  /// How often the block runs that is being read.
  int64_t times = 1;
  /// How often each function runs, and in how many calls the current one is.
  DenseMap<Operation *, int64_t> timesOf;
  unsigned callDepth = 0;
  /// Steps of each loop, from the first on and before the last.
  SmallVector<std::pair<size_t, size_t>> loops;
  /// The number of the first step of each function, and for each call but the
  /// first the number of the step after it and that of the function.
  DenseMap<Operation *, size_t> firstStepOf;
  SmallVector<std::pair<size_t, size_t>> laterCalls;
  DenseMap<Value, TensorStorage> storage;
  DenseMap<Value, unsigned> tensorOf;
  /// The ref that stands for a symbol in all functions.
  DenseMap<StringAttr, Value> refOfVariable;
  /// Variables that calls pass to the op that a function is for.
  DenseSet<StringAttr> passed;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_PROGRAMGRAPH_H
