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

/// The direction in which axes may propagate along a factor of an op of this
/// class.
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
  /// Visits all ops, and repeatedly the ops next to changes. Returns whether
  /// anything changed.
  bool run(DirectionFn getDirection);

  /// Visits the steps on which run would work, in program order, without
  /// changing anything.
  using InspectFn = function_ref<void(const PropagationStep &step)>;
  void inspect(InspectFn fn);
  /// Returns the rule of an op, or null if it has none.
  const sharding::Rule *getRule(Operation *op) { return getInfo(op).rule; }

private:
  using Tensor = ShardingState::Tensor;
  struct Mesh {
    Attribute meshOrRef;
    MeshAttr mesh;
  };

  /// The sources and the targets of an edge, without its edge op.
  struct Edge {
    SmallVector<Value> sources;
    SmallVector<Value> otherTargets;
    /// Manual axes that lead each dimension of the sources (but not of the
    /// edge), or of the edge (but not of the sources).
    SmallVector<sharding::AxisList> leading;
    bool sourcesHaveLeading = false;
    /// Manual axes that are in no dimension.
    sharding::AxisList replicated;
  };

  /// Data of an op that does not change between visits.
  struct OpInfo {
    const sharding::Rule *rule = nullptr;
    sharding::OpClass opClass = sharding::OpClass::Other;
    bool conservative = false;
    /// Operands, then results.
    SmallVector<Tensor *, 4> tensors;
    /// The number of changes at which a visit along these directions (two bits
    /// for each factor) changed nothing. Another visit would not change
    /// anything either.
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
  /// `tensors` are null, or have no mesh, if nothing is known about them.
  /// `operandNumber` is the number of the operand of `op`, if it is a
  /// terminator. Returns whether something changed. If so,
  /// `notifyShardingModified` is called. It may return other tensors for
  /// observers.
  bool
  propagate(ArrayRef<Tensor *> tensors, const sharding::Rule &rule,
            const sharding::PropagationContext &context, Operation *op,
            unsigned operandNumber = 0,
            function_ref<ArrayRef<Tensor *>()> notifyShardingModified = {});
  /// Returns whether the sharding changed.
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
  /// Set during an inspection.
  InspectFn inspectFn;
  /// Most ops share their rule with other ops.
  std::unordered_multimap<size_t, const sharding::Rule> rules;
  std::deque<OpInfo> infos;
  llvm::DenseMap<Operation *, OpInfo *> infoOfOp;
  llvm::DenseMap<Operation *, Edge> edges;
  /// The operand of the return of a function is the source of an edge for each
  /// call of the function.
  llvm::DenseMap<OpOperand *, SmallVector<Operation *, 1>> edgesOfSource;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONDRIVER_H
