//===- Recompute.cpp - Recomputation of marked ops --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with forward and backward passes, in which ops are marked to be
// recomputed. Out: the same module, where the backward passes use copies of the
// marked ops, which come directly before the first ops that need them.
//
//===----------------------------------------------------------------------===//

#include "../DrawAdvances.h"
#include "GraphTransforms.h"
#include "TrainingBlock.h"
#include "ipu-mlir/Analysis/Scheduling/RecomputeSearch.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

#include <deque>

namespace mlir::pop {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

static void setRecompute(Operation *op, RecomputeKind kind) {
  op->setAttr(PopDialect::kRecomputeAttrName,
              RecomputeKindAttr::get(op->getContext(), kind));
}

namespace {
/// Inserts copies of the marked ops of a block.
class Recomputer {
public:
  Recomputer(const TrainingBlock &block, DrawShifter &shifter)
      : block(block), graph(block.getGraph()), shifter(shifter) {}

  LogicalResult run();

private:
  LogicalResult copy(const TrainingStep &step, unsigned user);
  void useCopies(unsigned node);
  void placeCopy(Operation *copy, Operation *user) const;
  void setMarks() const;
  void eraseUnused() const;

  const TrainingBlock &block;
  const TrainingGraph &graph;
  DrawShifter &shifter;
  /// The copies of values for a context.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> copies;
  llvm::DenseSet<Operation *> copied;
};
} // namespace

/// Puts `copy` into the stage and the phase of `user`, which has the IPU of the
/// copy.
void Recomputer::placeCopy(Operation *copy, Operation *user) const {
  setRecompute(copy, RecomputeKind::Recomputed);
  Operation *placed = findPlacedOp(user);
  copy->walk([&](Operation *op) {
    for (StringRef name :
         {PopDialect::kStageAttrName, PopDialect::kPhaseAttrName})
      if (placed && placed->hasAttr(name) && op->hasAttr(name))
        op->setAttr(name, placed->getAttr(name));
    setTrainingRole(op, TrainingRole::Recomputed);
  });
}

/// Inserts a copy of the op of `step` before op number `user`.
LogicalResult Recomputer::copy(const TrainingStep &step, unsigned user) {
  Operation *op = block.getOps()[step.node];
  const TrainingNode &node = graph.nodes[step.node];
  IRMapping mapping;
  for (unsigned operand : node.operands)
    if (Value copy = copies.lookup({*step.context, operand}))
      mapping.map(block.getValues()[operand], copy);
  Operation *next = block.getOps()[user];
  OpBuilder b(next);
  Operation *clone = b.clone(*op, mapping);
  placeCopy(clone, next);
  for (auto [number, result] :
       llvm::zip_equal(node.results, clone->getResults()))
    copies[{*step.context, number}] = result;
  copied.insert(op);
  return shifter.shift(clone, -block.countAdvances(step.node, user));
}

/// Lets an op of the backward pass read copies.
void Recomputer::useCopies(unsigned node) {
  IRMapping mapping;
  for (unsigned operand : graph.nodes[node].operands)
    if (Value copy = copies.lookup({graph.nodes[node].context, operand}))
      mapping.map(block.getValues()[operand], copy);
  if (mapping.getValueMap().empty())
    return;
  block.getOps()[node]->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value copy = mapping.lookupOrNull(operand.get());
          copy && !isFromOtherVgraph(operand))
        operand.set(copy);
  });
}

/// The marks of ops that were not copied have no effect. Ops of the backward
/// pass inherited their marks.
void Recomputer::setMarks() const {
  for (Operation *op : block.getOps())
    op->walk([&](Operation *inner) {
      if (getRecompute(inner) == RecomputeKind::Recompute)
        inner->removeAttr(PopDialect::kRecomputeAttrName);
    });
  for (Operation *op : block.getOps())
    if (copied.contains(op))
      setRecompute(op, RecomputeKind::Checkpoint);
}

/// Erases ops that only the backward pass needed.
void Recomputer::eraseUnused() const {
  for (Operation *op :
       llvm::reverse(block.getOps().take_front(block.getNumForward())))
    if (copied.contains(op) && isOpTriviallyDead(op))
      op->erase();
}

LogicalResult Recomputer::run() {
  RecomputeChoice choice = chooseForced(graph);
  RecomputeEffect before =
      measureRecompute(graph, RecomputeChoice(graph.numForward));
  RecomputeEffect after = measureRecompute(graph, choice);
  Operation *parent = block.getOps().front()->getParentOp();
  unsigned user = graph.numForward;
  for (const TrainingStep &step :
       getSteps(graph, choice, graph.numForward, graph.nodes.size())) {
    if (step.context) {
      if (failed(copy(step, user)))
        return failure();
      continue;
    }
    useCopies(step.node);
    user = step.node + 1;
  }
  setMarks();
  eraseUnused();
  if (after.numCopies > 0)
    remark::passed(parent->getLoc(), getGraphRemark("Recompute"))
        << remark::metric("copies", after.numCopies)
        << remark::metric("operations", after.operations)
        << remark::metric("peak-before", before.peak)
        << remark::metric("peak-after", after.peak);
  return success();
}

namespace {
/// A block and the first op of its backward pass.
using Passes = llvm::MapVector<Block *, Operation *>;

struct RecomputePass : pop::impl::RecomputePassBase<RecomputePass> {
  void runOnOperation() override;
};
} // namespace

static Passes findPasses(ModuleOp module) {
  Passes passes;
  module.walk([&](Block *block) {
    if (Operation *backward = findBackwardPass(*block))
      passes[block] = backward;
  });
  return passes;
}

/// Fails if `op` is marked, but is in no block with a backward pass.
static LogicalResult verifyHasBackwardPass(Operation *op,
                                           const Passes &passes) {
  if (getRecompute(op) != RecomputeKind::Recompute)
    return success();
  for (Operation *parent = op; parent->getBlock();
       parent = parent->getParentOp())
    if (passes.contains(parent->getBlock()))
      return success();
  return op->emitOpError()
         << "has attribute '" << PopDialect::kRecomputeAttrName
         << "' with value 'recompute' but its block has no backward pass, "
            "which "
            "starts with a 'pop.loss_scale' or an op with attribute '"
         << kTrainingRoleAttrName
         << "'; run 'pop-autodiff', and inline its calls";
}

void RecomputePass::runOnOperation() {
  // Copies have the numbers of their ops.
  if (failed(numberDraws(getOperation())))
    return signalPassFailure();
  Passes passes = findPasses(getOperation());
  WalkResult result = getOperation().walk([&](Operation *op) {
    return WalkResult(verifyHasBackwardPass(op, passes));
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  SymbolTable symbols(getOperation());
  DrawShifter shifter(symbols);
  // The effects are those of the ops before the first copy.
  ScheduledModule module(getOperation());
  std::deque<TrainingBlock> blocks;
  for (auto [block, backward] : passes)
    if (failed(blocks.emplace_back(*block, backward, module).verifyMarks()))
      return signalPassFailure();
  for (const TrainingBlock &block : blocks)
    if (failed(Recomputer(block, shifter).run()))
      return signalPassFailure();
}
