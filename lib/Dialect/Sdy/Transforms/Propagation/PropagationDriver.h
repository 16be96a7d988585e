//===- PropagationDriver.h - Visit ops until nothing changes ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATIONDRIVER_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATIONDRIVER_H

#include "ShardingGroups.h"
#include "ShardingState.h"
#include "Worklist.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Propagation.h"
#include "ipu-mlir/Sharding/FactorPropagation.h"

namespace mlir::ipu::sdy {

/// Along which way a factor of an op may go.
using DirectionFn =
    function_ref<sharding::Direction(Operation *op, const sharding::Factor &)>;

class PropagationDriver {
public:
  PropagationDriver(ModuleOp module, ShardingState &state,
                    ShardingGroups &groups, const PropagationOptions &options);

  /// Visits all ops, and again those next to what changed.
  void run(DirectionFn getDirection);

private:
  using Slot = ShardingState::Slot;
  struct Mesh {
    Attribute meshOrRef;
    MeshAttr mesh;
  };

  /// Where an edge comes from and goes to, beside its edge op.
  struct Edge {
    SmallVector<Value> sources;
    SmallVector<Value> otherTargets;
    /// Manual axes that lead each dimension of the sources (not of the edge),
    /// or of the edge (not of the sources).
    SmallVector<sharding::AxisList> leading;
    bool sourcesHaveLeading = false;
    /// Manual axes that no dimension has.
    sharding::AxisList replicated;
  };

  void collectEdges();
  void addLeadingAxes(Edge &edge, Value owner);
  const std::optional<sharding::Rule> &getRule(Operation *op);

  void visit(Operation *op, DirectionFn getDirection);
  void visitEdge(DataFlowEdgeOp op, DirectionFn getDirection);
  void propagateFuncResults();
  void propagateFuncResults(FunctionOpInterface function);
  /// The tensors are `slots`: null, or without mesh, where nothing is known.
  void propagate(ArrayRef<Slot *> slots, const sharding::Rule &rule,
                 const sharding::PropagationContext &context, Operation *op);
  void setSharding(Slot &slot, sharding::TensorSharding sharding,
                   const Mesh &mesh, Operation *current);

  void pushAffected(Value value, Operation *current);
  void pushUser(OpOperand &use, Operation *current);
  void eraseDead(Operation *op);

  ModuleOp module;
  ShardingState &state;
  ShardingGroups &groups;
  const PropagationOptions &options;
  Worklist worklist;
  std::deque<std::optional<sharding::Rule>> rules;
  llvm::DenseMap<Operation *, std::optional<sharding::Rule> *> ruleOfOp;
  llvm::DenseMap<Operation *, Edge> edges;
  llvm::DenseMap<OpOperand *, Operation *> edgeOfSource;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATIONDRIVER_H
