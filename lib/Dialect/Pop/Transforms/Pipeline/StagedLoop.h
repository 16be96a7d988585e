//===- StagedLoop.h - Loops with pipeline stages ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A staged loop is an scf.for over micro-batches, whose ops are in pipeline
// stages. This class finds the stages, verifies that they can overlap, and
// sorts the body by stages.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PIPELINE_STAGEDLOOP_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PIPELINE_STAGEDLOOP_H

#include "../DrawAdvances.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::pop {

/// The ops of one stage, in the order in which they are executed. Ops with
/// regions include the ops in the regions.
struct PipelineStage {
  /// The value of `pop.stage`; the least one if several stages were merged.
  int64_t number;
  std::optional<int64_t> vgraph;
  bool isBackward = false;
  /// The ops that make the index of the loop a tensor. The loads from the host,
  /// and ops that make other scalars tensors.
  SmallVector<FromScalarOp> indices;
  SmallVector<Operation *> loads;
  /// All ops that are not in another list.
  SmallVector<Operation *> body;
  SmallVector<Operation *> stores;
  /// The copies of values of the stage to other IPUs, with one operand each.
  SmallVector<IpuCopyOp> copies;
};

/// Calls `visit` for each op that an execution of `op` executes: `op`, and ops
/// in its regions and in called functions.
void visitExecuted(Operation *op, const ipu::FunctionCalls &calls,
                   function_ref<void(Operation *)> visit);

/// The kinds of stages that a loop can have.
enum class StageKind {
  /// Parts of a pipeline over IPUs. Consecutive stages of one IPU become one
  /// stage. A copy between IPUs follows the stage that computes its operand.
  Pipeline,
  /// Transfers on I/O tiles, and the ops between them. The stages stay as they
  /// are, and a copy between IPUs is an op like others. An op may have effects
  /// on the memory of ops of the next stage that come after it: an iteration
  /// executes the stages in descending order, which keeps the order of both.
  Transfers,
};

class StagedLoop {
public:
  /// Returns whether ops of several stages are in the body of `loop`. An op
  /// with regions, and a call, are in the stages of the ops that they execute.
  static bool hasStages(scf::ForOp loop, const ipu::FunctionCalls &calls);

  /// `effects` are those of the module before a loop is changed. The stages are
  /// empty before `find`.
  StagedLoop(scf::ForOp loop, const ipu::GraphEffects &effects,
             StageKind kind = StageKind::Pipeline)
      : loop(loop), effects(effects), kind(kind) {}

  /// Finds the stages and sorts the body by stages. Emits an error and fails if
  /// the stages cannot overlap. The last stage of the forward pass of a
  /// pipeline and the first one of the backward pass become one stage only with
  /// `mergesPasses`.
  LogicalResult find(bool mergesPasses = false);

  /// Lets the ops of each stage draw their bits if iterations execute the stage
  /// as late as in `schedule`, and no op of a stage advances random bits for
  /// the ops after the stage.
  LogicalResult shiftDraws(const PipelineSchedule &schedule,
                           DrawShifter &shifter);

  /// Replaces the body of the stage at `position` in getStages() by a call of a
  /// new function, whose name starts with `name`. Does nothing if the body is
  /// empty, or if it uses a value on I/O tiles, which a call cannot pass.
  void outlineStage(unsigned position, StringRef name, SymbolTable &symbols);

  /// Returns the ops of the body whose values are equal in all iterations or,
  /// with `usesIndex`, depend on nothing but the index of the loop. Any stage
  /// may execute them again.
  llvm::DenseSet<Operation *> findInvariantOps(bool usesIndex) const;

  scf::ForOp getLoop() const { return loop; }
  int64_t getNumMicroBatches() const { return count; }
  /// Returns the value of the loop's index for micro-batch `number`.
  int64_t getIndex(int64_t number) const { return lower + number * step; }
  int64_t getStep() const { return step; }
  /// Returns the number of advances of random bits for a micro-batch.
  int64_t getNumAdvances() const { return numAdvances; }

  ArrayRef<PipelineStage> getStages() const { return stages; }
  unsigned getNumForward() const;
  /// Returns the position in getStages() of the stage that computes `value`.
  /// This is the stage of the op that defines it or, for a value that the loop
  /// carries, of the op that computes its next value. Returns std::nullopt for
  /// a value from outside of the loop, and for its index.
  std::optional<unsigned> getStageOf(Value value) const;

private:
  LogicalResult findBounds();
  LogicalResult verifyForm() const;
  void hoistIndices();
  void splitCopies();
  void hoistInvariantCopies();
  LogicalResult findStagesOfOps();
  FailureOr<std::optional<int64_t>> findOwnStage(Operation *op) const;
  bool isCopyAfterStage(Operation *op) const;
  bool isFree(Operation *op) const;
  bool isOuterScalar(Value value) const;
  std::optional<int64_t> findStage(Value value,
                                   llvm::DenseSet<Value> &visited) const;
  void mergeStages(bool mergesPasses);
  int64_t findStageOfVgraph(Value value) const;
  LogicalResult verifyEffects() const;
  LogicalResult reportInterference(int64_t first, int64_t second) const;
  LogicalResult countAdvances();
  void cloneFreeOps();
  LogicalResult verifyFlow() const;
  LogicalResult verifyUse(Operation *user, Value value, int64_t stage) const;
  LogicalResult verifyOuterUse(Operation *user, Value value) const;
  void sortBody();
  void addToStage(PipelineStage &stage, Operation *op) const;
  bool canMovePast(Operation *op, ArrayRef<Operation *> ops) const;

  Block &getBody() const { return *loop.getBody(); }
  /// Returns the position of the stage of `op`, or std::nullopt if any stage
  /// can execute `op`.
  std::optional<int64_t> lookupStage(Operation *op) const;

  mutable scf::ForOp loop;
  const ipu::GraphEffects &effects;
  StageKind kind;
  int64_t count = 0, lower = 0, step = 1;
  SmallVector<PipelineStage, 0> stages;
  /// The stages of ops of the body: positions in `stages` or, before stages are
  /// merged, values of `pop.stage`.
  llvm::DenseMap<Operation *, int64_t> stageOf;
  /// The copies of ops that any stage can execute.
  llvm::DenseSet<Operation *> freeClones;
  /// The number of advances of random bits before an op, and in it.
  struct Advances {
    int64_t before = 0, own = 0;
  };
  llvm::DenseMap<Operation *, Advances> advances;
  int64_t numAdvances = 0;
  bool draws = false;
};

/// Erases private functions that are not used any more. `before` are the calls
/// before the transform: functions without calls then stay.
void eraseUnusedFunctions(ModuleOp module, const ipu::FunctionCalls &before);

/// Calls `visit` for each value that `op` or an op in its regions uses and that
/// is defined outside of `op`. A value may be visited several times.
void forEachOuterOperand(Operation *op,
                         function_ref<void(Operation *user, Value)> visit);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PIPELINE_STAGEDLOOP_H
