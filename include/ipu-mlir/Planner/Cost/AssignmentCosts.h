//===- AssignmentCosts.h - Cycles and bytes of assignments ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An assignment has the number of a candidate for each tensor of a model. Its
// cycles are the sum of the cycles of all steps. Its peak is the largest number
// of bytes on a tile over all steps.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_COST_ASSIGNMENTCOSTS_H
#define IPU_MLIR_PLANNER_COST_ASSIGNMENTCOSTS_H

#include "ipu-mlir/Planner/Candidates/CandidateLists.h"
#include "ipu-mlir/Planner/Cost/ExchangeCosts.h"
#include "ipu-mlir/Planner/Partition/PartitionCache.h"

namespace mlir::ipu {

/// The candidate of each tensor.
using Assignment = SmallVector<unsigned>;

/// The bytes on a tile that the chosen partitions of ops need. An op is not
/// counted if no other partition of the op needs fewer bytes.
struct ShareNeed {
  /// The greatest number of bytes that an op needs, among the ops without a
  /// share of their own (ModelTensor::memoryPerMille).
  int64_t bytes = 0;
  /// The number of ops that need more bytes than their share of memory.
  int64_t numOver = 0;
};

class AssignmentCosts {
public:
  /// `lists` and `exchanges` must outlive the costs. `exchanges` adds up the
  /// code of all exchanges that are asked for; see
  /// ExchangeCosts::takeCodeBytes().
  AssignmentCosts(const CandidateLists &lists, ExchangeCosts &exchanges)
      : model(lists.getModel()), lists(lists), exchanges(exchanges) {}

  const PlanModel &getModel() const { return model; }
  const CandidateLists &getLists() const { return lists; }
  ExchangeCosts &getExchanges() const { return exchanges; }

  /// Returns the cycles of all executions of a step. If `isExchangeOnly` is
  /// set, compute sets are not counted.
  int64_t getStepCycles(const ModelStep &step, ArrayRef<unsigned> choices,
                        bool isExchangeOnly = false) const;

  /// Returns the cycles of all steps.
  int64_t getCycles(ArrayRef<unsigned> choices) const;

  /// Returns the cycles of all steps if no exchange is merged into an earlier
  /// exchange.
  int64_t getUnmergedCycles(ArrayRef<unsigned> choices) const;

  /// Returns the cycles of all steps if the steps of a block share equal moves.
  int64_t getSharedCycles(ArrayRef<unsigned> choices) const;

  /// Returns the cycles of all compute sets and of steps that do not depend on
  /// tile mappings, without exchanges and copies.
  int64_t getComputeCycles(ArrayRef<unsigned> choices) const;

  /// Returns a lower bound of the cycles for all assignments.
  int64_t getLeastCycles() const;

  /// Returns the bytes of a candidate on the tile that holds most of it. The
  /// tensor takes these bytes in all steps in which it is live.
  int64_t getBytes(unsigned tensor, const Candidate &candidate) const;

  /// Returns an upper bound of the bytes of tensors on a tile at the fullest
  /// step. The bound assumes that one tile is the fullest tile of all live
  /// tensors. If it exceeds `limit`, any number above `limit` may be returned.
  int64_t getPeakBytes(ArrayRef<unsigned> choices,
                       int64_t limit = INT64_MAX) const;

  /// Returns smaller shares of memory, in thousandths, for the ops that compute
  /// each tensor, with which the operands of the steps that take more than
  /// `room` bytes may fit. Returns no shares if there are no such ops.
  SmallVector<int64_t> getSmallerShares(ArrayRef<unsigned> choices,
                                        int64_t room) const;

  /// Returns an estimate of the bytes of the code and the state of vertices on
  /// a tile that executes all compute sets.
  int64_t getVertexBytes() const;

  /// Returns the shares of memory that the ops need. `cache` has the partitions
  /// with the fewest bytes.
  ShareNeed getShareNeed(ArrayRef<unsigned> choices,
                         PartitionCache &cache) const;

private:
  const Candidate &getChosen(unsigned tensor,
                             ArrayRef<unsigned> choices) const {
    return lists[tensor][choices[tensor]];
  }
  TileMappingAttr getTileMapping(const ModelOperand &operand,
                                 ArrayRef<unsigned> choices) const;
  TileMappingAttr getTileMapping(const ModelStep &step,
                                 ArrayRef<unsigned> choices) const;
  bool joinsProducer(const ModelStep &step, ArrayRef<unsigned> choices) const;
  bool isForwarded(const ModelStep &step, ArrayRef<unsigned> choices) const;
  void addMoves(const ModelStep &step, ArrayRef<unsigned> choices,
                SmallVectorImpl<ExchangeMove> &moves) const;
  int64_t getCyclesOnce(const ModelStep &step, ArrayRef<unsigned> choices,
                        bool isExchangeOnly, bool mayMerge) const;
  int64_t getBytesOfOperands(const ModelStep &step,
                             ArrayRef<unsigned> choices) const;
  void visitLiveBytes(
      ArrayRef<unsigned> choices,
      function_ref<bool(const ModelStep &, int64_t bytes)> visit) const;

  const PlanModel &model;
  const CandidateLists &lists;
  ExchangeCosts &exchanges;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_COST_ASSIGNMENTCOSTS_H
