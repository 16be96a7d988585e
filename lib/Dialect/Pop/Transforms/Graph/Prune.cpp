//===- Prune.cpp - Erasure of ops without effect ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module without the ops, and without the private
// functions, that have no effect outside of the program's own temporary
// tensors.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PRUNEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// Finds the ops of a function that are needed: those with effects outside of
/// the function's own tensors, what these depend on, and what writes the
/// tensors in memory that these may read.
class Pruner {
public:
  Pruner(FunctionOpInterface function, const GraphEffects &effects)
      : function(function), effects(effects) {
    findNeeded();
  }

  /// Whether an op of the function changes anything, or it returns anything.
  bool hasEffects() const { return hasRequired; }
  /// Erases what is not needed, and returns the number of these ops.
  int64_t erase();

private:
  bool isRequired(Operation *op) const;
  bool isOwn(const MemoryLocation &location) const;
  void findNeeded();
  void addNeeded(Operation *op);
  void addOperands(Operation *op);

  FunctionOpInterface function;
  const GraphEffects &effects;
  bool hasRequired = false;
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> worklist;
  /// The ops that may write a tensor that the function makes, until one that
  /// may read it is needed.
  llvm::DenseMap<Value, SmallVector<Operation *, 1>> writers;
};
} // namespace

/// Whether the effects of `op` are those of its regions and no others.
static bool hasOnlyEffectsOfRegions(Operation *op) {
  return op->getNumRegions() > 0 && !isa<CallOpInterface>(op) &&
         op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !isa<MemoryEffectOpInterface>(op);
}

/// Whether `location` is a tensor that the function makes: nothing sees it
/// after the function has returned.
bool Pruner::isOwn(const MemoryLocation &location) const {
  Value root = location.getRoot();
  return root && root.getDefiningOp() && !location.isVariable();
}

bool Pruner::isRequired(Operation *op) const {
  if (hasOnlyEffectsOfRegions(op))
    return false;
  const EffectSummary &summary = effects.getEffects(op);
  return summary.isUnknown() ||
         llvm::any_of(summary.getMemoryLocations(), [&](const auto &entry) {
           return !entry.second.writes.isEmpty() && !isOwn(entry.first);
         });
}

void Pruner::addNeeded(Operation *op) {
  if (op != function && needed.insert(op).second)
    worklist.push_back(op);
}

/// Adds what `op` reads: values, and what writes the tensors that it may read.
void Pruner::addOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (Operation *source = operand.getDefiningOp())
      addNeeded(source);
    if (!isa<RefType>(operand.getType()))
      continue;
    const ipu::RefOrigin &origin = effects.getOrigin(operand);
    auto it = writers.find(origin.root);
    if (it == writers.end())
      continue;
    for (Operation *writer : it->second)
      addNeeded(writer);
    writers.erase(it);
  }
}

void Pruner::findNeeded() {
  function->walk([&](Operation *op) {
    if (op == function || hasOnlyEffectsOfRegions(op))
      return;
    bool isReturn =
        op->getParentOp() == function && op->hasTrait<OpTrait::IsTerminator>();
    if (isReturn || isRequired(op))
      addNeeded(op);
    hasRequired |= isReturn ? op->getNumOperands() > 0 : isRequired(op);
    for (const auto &[location, effect] :
         effects.getEffects(op).getMemoryLocations())
      if (isOwn(location) && !effect.writes.isEmpty())
        writers[location.getRoot()].push_back(op);
  });
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    addNeeded(op->getParentOp());
    addOperands(op);
    bool isWhole = !hasOnlyEffectsOfRegions(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        if (block.mightHaveTerminator())
          addNeeded(block.getTerminator());
        // Of an op that is not known to do only what is in it, all is needed.
        if (isWhole)
          for (Operation &inner : block)
            addNeeded(&inner);
      }
  }
}

int64_t Pruner::erase() {
  SmallVector<Operation *> dead;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || needed.contains(op))
      return WalkResult::advance();
    dead.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : llvm::reverse(dead)) {
    // Only what is erased as well may use it; blocks may be in any order.
    op->dropAllUses();
    op->erase();
  }
  return dead.size();
}

namespace {
struct PrunePass : pop::impl::PrunePassBase<PrunePass> {
  void runOnOperation() override {
    const auto &effects = getAnalysis<GraphEffects>();
    FunctionOpInterface entry = getMainFunction(getOperation());
    for (FunctionOpInterface function : effects.getCalls().getFunctions()) {
      if (function.isExternal())
        continue;
      Pruner pruner(function, effects);
      if (function == entry && !pruner.hasEffects() && !isEmpty(function))
        return reportEmpty(function);
      if (int64_t erased = pruner.erase())
        remark::passed(function.getLoc(), getGraphRemark("Prune"))
            << remark::metric("ops", erased);
    }
    eraseUnreached(entry);
  }

private:
  /// Erases the private functions that neither the entry nor a public function
  /// needs.
  void eraseUnreached(FunctionOpInterface entry) {
    SmallVector<FunctionOpInterface> functions(
        getOperation().getOps<FunctionOpInterface>());
    SmallVector<FunctionOpInterface> roots =
        llvm::filter_to_vector(functions, [&](FunctionOpInterface function) {
          return function == entry || function.isPublic();
        });
    llvm::SetVector<Operation *> reached =
        getReachedFunctions(getOperation(), roots);
    for (FunctionOpInterface function : functions) {
      if (reached.contains(function))
        continue;
      remark::passed(function.getLoc(), getGraphRemark("Prune"))
          << "the function is not needed";
      function.erase();
    }
  }

  static bool isEmpty(FunctionOpInterface function) {
    return function.getFunctionBody().hasOneBlock() &&
           function.getFunctionBody().front().without_terminator().empty();
  }

  void reportEmpty(FunctionOpInterface function) {
    function->emitOpError()
        << "has no effect: it returns nothing, stores nothing to the host and "
           "changes no variable, so that 'pop-prune' would erase all of its "
           "ops";
    signalPassFailure();
  }
};
} // namespace
