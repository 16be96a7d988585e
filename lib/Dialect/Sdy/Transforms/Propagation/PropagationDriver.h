//===- PropagationDriver.h - Driver of propagation --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONDRIVER_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONDRIVER_H

#include "PropagationObserver.h"
#include "ShardingGroups.h"
#include "ShardingState.h"
#include "Worklist.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Propagation.h"
#include "ipu-mlir/Sharding/FactorPropagation.h"
#include <unordered_map>

namespace mlir::ipu::sdy {

/// Along which way a factor of an op of this class may go.
using DirectionFn = function_ref<sharding::Direction(
    Operation *op, sharding::OpClass opClass, const sharding::Factor &factor)>;

class PropagationDriver {
public:
  PropagationDriver(ModuleOp module, ShardingState &state,
                    ShardingGroups &groups, const PropagationOptions &options);

  void addObserver(PropagationObserver &observer) {
    observers.push_back(&observer);
  }

  void startIteration(int64_t userPriority, unsigned opPriority) {
    for (PropagationObserver *observer : observers)
      observer->startIteration(userPriority, opPriority);
  }
  /// Visits all ops, and again those next to what changed. Returns whether
  /// anything changed.
  bool run(DirectionFn getDirection);

  /// Shows what run would work on, in program order: steps that change nothing.
  using InspectFn = function_ref<void(const PropagationStep &step)>;
  void inspect(InspectFn fn);
  /// The rule of an op; null if it has none.
  const sharding::Rule *getRule(Operation *op) { return getInfo(op).rule; }

private:
  using Tensor = ShardingState::Tensor;
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

  /// What stays the same from visit to visit.
  struct OpInfo {
    const sharding::Rule *rule = nullptr;
    sharding::OpClass opClass = sharding::OpClass::Other;
    bool conservative = false;
    /// Of operands, then results.
    SmallVector<Tensor *, 4> tensors;
    /// A visit changed nothing when there had been so many changes, along these
    /// directions, two bits for each factor. Another one would not either.
    std::optional<uint64_t> settledAt;
    uint64_t settledDirections = 0;
  };

  void collectEdges();
  OpInfo &getInfo(Operation *op);
  const sharding::Rule *intern(sharding::Rule rule);
  void addLeadingAxes(Edge &edge, Value owner);

  void visit(Operation *op, DirectionFn getDirection);
  void visitEdge(Operation *op, DirectionFn getDirection);
  void propagateFuncResults();
  void propagateFuncResults(FunctionOpInterface function);
  /// `tensors` are null, or without mesh, where nothing is known.
  /// `operandNumber`: which operand of `op`, a terminator. Returns whether
  /// something changed. `notifyShardingModified` is called then, and gives the
  /// tensors that observers know, if others.
  bool
  propagate(ArrayRef<Tensor *> tensors, const sharding::Rule &rule,
            const sharding::PropagationContext &context, Operation *op,
            unsigned operandNumber = 0,
            function_ref<ArrayRef<Tensor *>()> notifyShardingModified = {});
  /// Returns whether that is another one.
  bool updateTensorSharding(Tensor &tensor, sharding::TensorSharding sharding,
                            const Mesh &mesh, Operation *current);

  void pushAffected(Value value, Operation *current);
  void pushUser(OpOperand &use, Operation *current);
  void eraseDead(Operation *op);

  ModuleOp module;
  ShardingState &state;
  ShardingGroups &groups;
  const PropagationOptions &options;
  Worklist worklist;
  SmallVector<PropagationObserver *> observers;
  /// Set while inspecting.
  InspectFn inspectFn;
  /// Most ops share their rule with others.
  std::unordered_multimap<size_t, const sharding::Rule> rules;
  std::deque<OpInfo> infos;
  llvm::DenseMap<Operation *, OpInfo *> infoOfOp;
  llvm::DenseMap<Operation *, Edge> edges;
  /// What a function returns is the source of an edge of each of its calls.
  llvm::DenseMap<OpOperand *, SmallVector<Operation *, 1>> edgesOfSource;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONDRIVER_H
