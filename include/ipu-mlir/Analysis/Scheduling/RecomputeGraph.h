//===- RecomputeGraph.h - Recomputation in training steps -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step is a sequence of nodes, of which the first ones are the
// forward pass and the others are the backward pass. A value that the backward
// pass reads is either kept, or a copy of its node computes it again. This file
// defines where copies are, and what they save and cost. It is plain C++
// without IR.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_SCHEDULING_RECOMPUTEGRAPH_H
#define IPU_MLIR_ANALYSIS_SCHEDULING_RECOMPUTEGRAPH_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::ipu {

struct TrainingNode {
  /// The cost of a copy of the node, in scalar operations.
  int64_t operations = 0;
  /// The bytes that are live only while the node is executed.
  int64_t workspace = 0;
  /// This flag is set if a copy of the node, which is in the forward pass,
  /// computes the same values.
  bool isRepeatable = false;
  /// This flag is set if the node, which is repeatable, must be recomputed.
  bool isForced = false;
  /// The device on which the node is executed, or std::nullopt if it may be
  /// executed on any device. A node of the backward pass uses no copies of
  /// nodes on other devices.
  std::optional<int64_t> device;
  /// Nodes of the backward pass with the same context are on the same device,
  /// and share copies.
  unsigned context = 0;
  /// The values that the node reads. Of those in `keptOperands`, neither the
  /// node nor a copy of it reads a copy.
  llvm::SmallVector<unsigned, 4> operands;
  llvm::SmallVector<unsigned, 0> keptOperands;
  llvm::SmallVector<unsigned, 1> results;
};

struct TrainingValue {
  /// The bytes that are live while the value is live; 0 if it is a view.
  int64_t bytes = 0;
  /// The node that computes the value. A value without a node is live from the
  /// start.
  std::optional<unsigned> node;
  /// The operand of the node in whose storage the elements of the value are.
  std::optional<unsigned> viewOf;
  /// If this flag is set, the value is live to the end.
  bool isReturned = false;
};

/// The nodes of a training step in the order of their execution.
struct TrainingGraph {
  std::vector<TrainingNode> nodes;
  std::vector<TrainingValue> values;
  /// The number of nodes of the forward pass.
  unsigned numForward = 0;

  unsigned addNode(TrainingNode node);
  /// Adds a result of `node`, or a value that is live from the start. If it is
  /// a view in the forward pass that cannot be computed again, its storage is
  /// kept, unless this storage must be recomputed.
  unsigned addValue(int64_t bytes, std::optional<unsigned> node = std::nullopt,
                    std::optional<unsigned> viewOf = std::nullopt);
  /// Returns the value in whose storage the elements of `value` are.
  unsigned getStorage(unsigned value) const;
};

/// The nodes that are recomputed, which are repeatable: a bit for each node of
/// the forward pass.
using RecomputeChoice = llvm::BitVector;

/// A node, or a copy of it for the nodes of `context`.
struct TrainingStep {
  unsigned node;
  std::optional<unsigned> context;
};

/// Returns the nodes from `first` to the one before `last`, and copies of the
/// nodes in `choice`. Copies come directly before the first node of their
/// context that needs them, in the order of the forward pass.
std::vector<TrainingStep> getSteps(const TrainingGraph &graph,
                                   const RecomputeChoice &choice,
                                   unsigned first, unsigned last);

/// The bytes that a choice saves, and the operations that it costs.
struct RecomputeEffect {
  /// The peak of the live bytes over all steps.
  int64_t peak = 0;
  /// The operations of all copies, and their number.
  int64_t operations = 0;
  unsigned numCopies = 0;
};

/// Returns the effect of `choice`, in time linear in the number of operands.
RecomputeEffect measureRecompute(const TrainingGraph &graph,
                                 const RecomputeChoice &choice);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_SCHEDULING_RECOMPUTEGRAPH_H
