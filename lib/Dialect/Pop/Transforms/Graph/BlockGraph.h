//===- BlockGraph.h - Schedule graphs of blocks -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule graph of a block has a node for each op except the terminator.
// An op with regions is one node.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_BLOCKGRAPH_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_BLOCKGRAPH_H

#include "ipu-mlir/Analysis/Effects/EffectDependences.h"
#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {

/// Returns the bytes of the elements of a tensor or ref of type `type`, or 0 if
/// `type` is another type.
int64_t getTensorBytes(Type type);

/// The properties of a module on which the order of its ops depends.
struct ScheduledModule {
  explicit ScheduledModule(ModuleOp module);

  ipu::GraphEffects effects;
  /// The ops whose results need storage of their own although they are reads.
  llvm::DenseSet<Operation *> overwrittenReads;
  /// The stochastic rounding of the module, or null.
  StochasticRoundingAttr rounding;
  /// This flag is set if ops draw random bits that depend on the number of
  /// advances before them.
  bool usesDrawNumbers;
};

/// A block as a schedule graph.
class BlockGraph {
public:
  /// `getWorkspace` returns the bytes that an op needs only while it is
  /// executed. The arguments of the block have storage of their own if
  /// `ownsArguments` is set.
  BlockGraph(Block &block, const ScheduledModule &module, bool ownsArguments,
             function_ref<int64_t(Operation *)> getWorkspace);

  const ipu::ScheduleGraph &getGraph() const { return graph; }
  /// Returns the ops of the nodes.
  ArrayRef<Operation *> getOps() const { return ops; }
  /// Moves the ops of the block to the positions that they have in `schedule`.
  void reorder(const ipu::Schedule &schedule) const;

  /// Returns the value in whose storage the elements of `value` are.
  Value getStorage(Value value) const {
    Value storage = storages.lookup(value);
    return storage ? storage : value;
  }
  /// Returns the bytes that are live while `value`, which is no view, is live.
  /// Constants, variables and the storage of callers are live everywhere.
  int64_t getStoredBytes(Value value) const;

private:
  void addNodes(function_ref<int64_t(Operation *)> getWorkspace);
  void addResults(unsigned node);
  void addUses(unsigned node);
  void addEffects(unsigned node);
  void addUse(Value value, unsigned user);
  void addValues();

  Value findStorage(Value result) const;
  bool isOfBlock(Value value) const { return value.getParentBlock() == &block; }

  Block &block;
  const ScheduledModule &module;
  bool ownsArguments;
  ipu::ScheduleGraph graph;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> nodes;
  /// `storages` maps each view to the value in whose storage its elements are.
  llvm::DenseMap<Value, Value> storages;
  /// `sharedRefs` maps each read that shares the storage of a ref, and each
  /// view of such a read, to the ref.
  llvm::DenseMap<Value, Value> sharedRefs;
  /// `users` maps each value to the nodes that use it or a view of it.
  llvm::MapVector<Value, SmallVector<unsigned, 4>> users;
  ipu::EffectDependences effectDependences;
  /// The nodes before the current node, by its operands and by its effects.
  llvm::SetVector<unsigned> operandNodes, effectNodes;
};

/// Returns whether the ops of `block` must stay as they are, as in a
/// `pop.in_sequence` or a `pop.remote_exchange`.
bool keepsOrder(Block &block);

/// Calls `visit` for each block whose ops may change their order, inner blocks
/// first.
void forEachReorderableBlock(ModuleOp module,
                             function_ref<void(Block &)> visit);

/// Prepares `module` for another order of its ops: ops get numbers of draws, so
/// that they draw the same bits in any order. With the generator `stream`, bits
/// depend on the order in any case. Then emits a warning that names `pass`, and
/// returns false. Fails if there are too many draws.
FailureOr<bool> prepareReordering(ModuleOp module, StringRef pass);

/// Prepares `module` in this way, and calls `visit` for each block whose ops
/// may change their order, unless no order may change. Returns whether `visit`
/// may have been called.
FailureOr<bool> reorderBlocks(
    ModuleOp module, StringRef pass,
    function_ref<void(Block &block, const ScheduledModule &module)> visit);

/// Emits a remark of `transform` at `op`, whose block has the live bytes
/// `before` and, in the order that the transform found, `after`.
void emitOrderRemark(Operation *op, StringRef transform,
                     const ipu::LiveBytes &before, const ipu::LiveBytes &after,
                     bool isReordered);

/// Moves the ops of `block` to the order that `getSchedule` returns, if it is
/// not the order that they have, and emits a remark of `transform`.
void reorder(
    Block &block, const ScheduledModule &module, StringRef transform,
    function_ref<ipu::Schedule(const ipu::ScheduleGraph &)> getSchedule);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_BLOCKGRAPH_H
