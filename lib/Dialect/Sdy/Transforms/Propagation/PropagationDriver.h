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

/// A function that returns the directions in which axes may propagate along a
/// factor of an op. `opClass` is the class of the op.
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
  /// Visits all ops, and then visits the ops whose tensors have changed until
  /// nothing changes. Returns whether a sharding changed.
  bool run(DirectionFn getDirection);

  /// Calls `fn` for the step of each op that `run` would visit, in program
  /// order. Changes no shardings.
  using InspectFn = function_ref<void(const PropagationStep &step)>;
  void inspect(InspectFn fn);
  /// Returns the sharding rule of `op`, or null if it has none.
  const sharding::Rule *getRule(Operation *op) { return getInfo(op).rule; }

private:
  using Tensor = ShardingState::Tensor;
  struct Mesh {
    Attribute meshOrRef;
    MeshAttr mesh;
  };

  /// The sources and the targets of an edge, except the result of its edge op.
  struct Edge {
    SmallVector<Value> sources;
    SmallVector<Value> otherTargets;
    /// For each dimension, the manual axes with which its list of axes starts,
    /// either only at the sources (`sourcesHaveLeading`) or only at the
    /// targets.
    SmallVector<sharding::AxisList> leading;
    bool sourcesHaveLeading = false;
    /// The manual axes that are in no dimension.
    sharding::AxisList replicated;
  };

  /// Data of an op that are kept between its visits.
  struct OpInfo {
    const sharding::Rule *rule = nullptr;
    sharding::OpClass opClass = sharding::OpClass::Other;
    bool conservative = false;
    /// The tensors of the operands, and then of the results.
    SmallVector<Tensor *, 4> tensors;
    /// The number of changes (ShardingState::getTime) at the last visit that
    /// changed nothing, and the directions of this visit (two bits for each
    /// factor). Until a tensor of the op changes, another visit along these
    /// directions would change nothing.
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
  /// Propagates between `tensors` by `rule`. Tensors that have no sharding are
  /// null or have no mesh. If `op` is a terminator, `operandNumber` is the
  /// number of the operand of `op` that is among `tensors`. Returns whether a
  /// sharding changed. If one changed, calls `notifyShardingModified`, which
  /// may return other tensors for observers.
  bool
  propagate(ArrayRef<Tensor *> tensors, const sharding::Rule &rule,
            const sharding::PropagationContext &context, Operation *op,
            unsigned operandNumber = 0,
            function_ref<ArrayRef<Tensor *>()> notifyShardingModified = {});
  /// Sets the sharding of `tensor`. Returns whether the sharding changed.
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
  /// The function of the current call of `inspect`, or null.
  InspectFn inspectFn;
  /// The rules by their hash values. Ops with equal rules share one rule.
  std::unordered_multimap<size_t, const sharding::Rule> rules;
  std::deque<OpInfo> infos;
  llvm::DenseMap<Operation *, OpInfo *> infoOfOp;
  llvm::DenseMap<Operation *, Edge> edges;
  /// The edge ops of each source. An operand of the return of a function is the
  /// source of several edges: one for each call of the function.
  llvm::DenseMap<OpOperand *, SmallVector<Operation *, 1>> edgesOfSource;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONDRIVER_H
