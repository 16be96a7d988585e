//===- PlanModel.h - Tensors and steps of a planned program -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem that the planner solves: tensors that need a tile mapping, and
// steps whose costs depend on the tile mappings of a few tensors. A model is
// built once, and its tensors and steps do not change. importPlanModel() builds
// the model of a pop function; tests build models without IR.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_MODEL_PLANMODEL_H
#define IPU_MLIR_PLANNER_MODEL_PLANMODEL_H

#include "ipu-mlir/Planner/Partition/LoopPartition.h"
#include "ipu-mlir/Planner/Partition/TileSpace.h"
#include <functional>

namespace mlir::ipu {

/// Returns the partition problem of the ops that compute a tensor, with loops
/// over the shape `domain`; an empty domain leaves the loops to the ops. The
/// problem has a fixed address, and equal problems have equal addresses.
/// Returns null if there is no such problem. The function may use IR and
/// caches, so it must be called by one thread at a time.
using GetPartitionProblem =
    std::function<const PartitionProblem *(ArrayRef<int64_t> domain)>;

/// A tensor with storage of its own.
struct ModelTensor {
  enum class Origin {
    Argument,
    Constant,
    /// A variable that keeps its value when the program ends, or that exists
    /// before the program.
    Variable,
    /// A variable that only passes values, such as the arguments of a call.
    Scratch,
    /// A step writes the tensor.
    Result
  };

  Origin origin = Origin::Result;
  SmallVector<int64_t> shape;
  Type elementType;
  /// The number of bytes of an element. All results of an op are one tensor,
  /// because they have the same tile mapping. Its elements consist of those of
  /// all results.
  int64_t elementBytes = 0;
  TileSpace space = {};
  /// The only tile mapping that the tensor may have, if it is given. All tile
  /// mappings of the tensor number the tiles of its space.
  TileMappingAttr given = {};
  /// Set if ops with partition problems compute the tensor.
  GetPartitionProblem getProblem = nullptr;
  /// The share of tile memory of the op that computes the tensor, in
  /// thousandths, if it differs from the share of other ops.
  std::optional<int64_t> memoryPerMille = std::nullopt;
  /// This flag is set if the op that computes the tensor reads only whole
  /// tensors, in row-major order.
  bool readsInOrder = true;
  /// This flag is set if the tensor is moved data with a single use.
  bool isMovedForOneUse = false;
  /// This flag is set if several tiles may hold an element.
  bool mayHaveCopies = false;
  /// The key of the value of a constant; null for other tensors. Constants
  /// with equal keys and equal tile mappings share their storage.
  const void *content = nullptr;

  // The builder sets the following members.

  /// The row-major tile mapping or, if the ops that compute the tensor have no
  /// such partition, the tile mapping of their first legal partition.
  TileMappingAttr generic = {};
  /// The number of operands of steps that are views of the tensor.
  unsigned numReaders = 0;
  /// The numbers of consecutive elements, in row-major order, that a reader
  /// combines, and that the reader of its results combines. A reader may read
  /// the tensor by elementwise ops. If there is no such reader, there are no
  /// numbers.
  SmallVector<int64_t, 2> readGrains = {};
  /// The numbers of the first and the last step in which the tensor is live. If
  /// the first number is greater than the last one, no step uses the tensor.
  size_t firstStep = SIZE_MAX, lastStep = 0;

  bool isConstant() const { return origin == Origin::Constant; }
  bool isVariable() const {
    return origin == Origin::Variable || origin == Origin::Scratch;
  }
  /// Returns whether no step needs to write the tensor before it is read.
  bool isLeaf() const { return origin != Origin::Result; }
  int64_t getNumElements() const { return ShapedType::getNumElements(shape); }

  /// Returns the partition of the ops that compute the tensor with which its
  /// tile mapping is `mapping`, and sets `problem`. Returns std::nullopt if
  /// there is no such partition, or if `getProblem` is not set.
  std::optional<LoopBlocks>
  getPartition(TileMappingAttr mapping, const PartitionProblem *&problem) const;
};

/// An operand of a step: a view of a tensor with storage.
struct ModelOperand {
  unsigned tensor = 0;
  StridedView view;
  /// This flag is set if the view is the whole tensor, in row-major order.
  bool isWhole = true;
  /// The number of the moved variable in exchanges. It is the number of the
  /// tensor, except for further results of an op.
  unsigned source = 0;
  /// The number of bytes of an element.
  int64_t elementBytes = 0;
  /// The number of the operand of the step's ops.
  unsigned index = 0;
  /// The part of the written tensor that receives the operand of a copy or a
  /// move; std::nullopt stands for the whole tensor.
  std::optional<StridedView> to = std::nullopt;

  // The builder sets the following members.

  /// This flag is set if the tensor is written before an earlier exchange of
  /// the same block. A move of the operand can be merged into this exchange.
  bool isEarly = false;
  /// See ModelStep::tileOffset.
  int64_t tileOffset = 0;
};

struct ModelStep {
  enum class Kind {
    /// An exchange of the operands that are on other tiles, and a compute set.
    Compute,
    /// An optional fill, and an exchange of all operands.
    Move,
    /// An exchange of the single operand, a view, into its row-major order.
    Reorder,
    /// An exchange of the single operand into a variable or a part of it.
    Copy,
    HostLoad,
    HostStore,
  };

  Kind kind = Kind::Compute;
  /// The names of the ops that the step executes. The vertices of a Compute
  /// step compute all of them, with one partition problem.
  SmallVector<StringRef, 1> ops;
  /// The tensor that is written; for a HostStore, the tensor that is read.
  unsigned tensor = 0;
  SmallVector<ModelOperand, 2> operands;
  /// The known number of executions, which multiplies the cost.
  int64_t times = 1;
  /// Only steps of the same block are merged.
  unsigned block = 0;
  /// This flag is set if a Move sets elements of the tensor to a constant.
  bool fills = false;
  /// If this flag is set, the vertices that compute the single operand also
  /// execute the ops of this step if they hold all elements that these ops
  /// read. The step then has no cost. Roundings of sums have this flag.
  bool mayJoinProducer = false;
  /// If this flag of a Copy is set, the op that computes the operand can write
  /// the tensor directly if both have the same tile mapping.
  bool canForward = false;
  /// The distance by which the tile numbers of the written tensor's space
  /// differ from those with which the cost of the step is computed; set by the
  /// builder. If one IPU has all tensors of the step, its first tile has the
  /// number 0. Otherwise, the first tile of the replica has the number 0.
  int64_t tileOffset = 0;

  /// Returns whether the step copies a whole tensor to a whole variable.
  bool copiesVariable() const {
    return kind == Kind::Copy && !operands.front().to &&
           operands.front().isWhole;
  }
  /// Returns the tensors on whose tile mappings the cost of the step depends,
  /// each once. The written tensor is the first one.
  SmallVector<unsigned> getTensors() const;
};

class PlanModel {
public:
  MLIRContext *getContext() const { return context; }
  const TargetModel &getTarget() const { return *target; }
  ArrayRef<ModelTensor> getTensors() const { return tensors; }
  const ModelTensor &getTensor(unsigned number) const {
    return tensors[number];
  }
  ArrayRef<ModelStep> getSteps() const { return steps; }
  /// Returns the cycles of steps that do not depend on tile mappings.
  int64_t getFixedCycles() const { return fixedCycles; }

  void print(raw_ostream &os) const;

private:
  friend class ModelDivider;
  friend class PlanModelBuilder;

  MLIRContext *context = nullptr;
  const TargetModel *target = nullptr;
  SmallVector<ModelTensor, 0> tensors;
  SmallVector<ModelStep, 0> steps;
  int64_t fixedCycles = 0;
};

/// Returns the row-major tile mapping of `tensor` or, if the ops that compute
/// the tensor have no such partition, the tile mapping of their first legal
/// partition. Returns null if there is no legal partition.
TileMappingAttr getGenericTileMapping(MLIRContext *context,
                                      const TargetModel &target,
                                      const ModelTensor &tensor);

/// Builds a model from its tensors and steps, which are added in program order.
class PlanModelBuilder {
public:
  /// `target` must outlive the model.
  PlanModelBuilder(MLIRContext *context, const TargetModel &target);

  /// Adds a tensor and returns its number. Fails if the ops that compute the
  /// tensor have no partition.
  FailureOr<unsigned> addTensor(ModelTensor tensor);
  /// Adds the bytes of a further result to the elements of a tensor.
  void addElementBytes(unsigned tensor, int64_t bytes) {
    model.tensors[tensor].elementBytes += bytes;
  }
  const ModelTensor &getTensor(unsigned tensor) const {
    return model.tensors[tensor];
  }

  /// Adds a step to the current block, and returns its number. Sets the times
  /// and the block of the step.
  size_t addStep(ModelStep step);
  size_t getNumSteps() const { return model.steps.size(); }
  void addFixedCycles(int64_t cycles, int64_t times = 1);

  /// Begins a block, or continues a block after nested blocks or a call: later
  /// steps are not merged with earlier ones.
  void beginBlock();
  void continueBlock(unsigned block);
  unsigned getBlock() const { return block; }

  /// Sets the number of executions of the following steps, and returns the
  /// previous number.
  int64_t setTimes(int64_t number) { return std::exchange(times, number); }
  int64_t getTimes() const { return times; }

  /// Adds a loop of the steps from number `begin` up to the last one.
  void addLoop(size_t begin);
  /// Adds a further call of a function whose steps have the numbers [begin,
  /// end).
  void addLaterCall(size_t begin, size_t end);

  PlanModel finish();

private:
  bool likelyExchanges(const ModelStep &step) const;
  void setTileOffsets(ModelStep &step) const;
  void setLiveRanges();
  void setReadGrains();

  PlanModel model;
  int64_t times = 1;
  unsigned block = 0, numBlocks = 1;
  /// The number of likely exchanges so far, and their number at the beginning
  /// of the current block or after the last nested block or call.
  unsigned numExchanges = 0, numOutside = 0;
  /// The number of likely exchanges up to the step that last wrote a tensor, by
  /// the number of the tensor.
  SmallVector<unsigned> exchangesUntil;
  /// The number of the first step of each loop and the number of the step after
  /// its last step.
  SmallVector<std::pair<size_t, size_t>> loops;
  /// A call of a function except the first call: the number of the step after
  /// the call, and the numbers [begin, end) of the steps of the function.
  struct LaterCall {
    size_t next, begin, end;
  };
  SmallVector<LaterCall> laterCalls;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_MODEL_PLANMODEL_H
