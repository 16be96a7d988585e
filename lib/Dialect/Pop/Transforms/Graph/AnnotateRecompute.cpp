//===- AnnotateRecompute.cpp - Marks of recomputed ops ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with forward and backward passes. Out: the same module, where
// ops of the forward passes are marked to be recomputed.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "TrainingBlock.h"
#include "ipu-mlir/Analysis/Scheduling/RecomputeSearch.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_ANNOTATERECOMPUTEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Ops of one kind
//===----------------------------------------------------------------------===//

static RecomputeChoice chooseNorms(const TrainingBlock &block) {
  RecomputeChoice choice(block.getNumForward());
  for (unsigned node = 0; node < block.getNumForward(); ++node)
    choice[node] = isa<BatchNormOp, BatchNormTrainingOp>(block.getOps()[node]);
  completeChoice(block.getGraph(), choice);
  return choice;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

namespace {
/// Chooses what a pipeline recomputes: each stage is recomputed from its
/// inputs.
class PipelineChooser {
public:
  explicit PipelineChooser(const TrainingBlock &block)
      : block(block), graph(block.getGraph()), choice(graph.numForward) {}

  FailureOr<RecomputeChoice> choose();

private:
  std::optional<int64_t> getStageOf(unsigned node) const {
    return getStage(block.getOps()[node]);
  }
  FailureOr<int64_t> findLastStage() const;
  LogicalResult keepEnd(int64_t lastStage);

  const TrainingBlock &block;
  const TrainingGraph &graph;
  RecomputeChoice choice;
};
} // namespace

/// Returns the last stage of the forward pass. The backward pass of the loss,
/// which mirrors this stage, must be in one stage.
FailureOr<int64_t> PipelineChooser::findLastStage() const {
  Operation *first = nullptr;
  for (Operation *op : block.getOps().drop_front(graph.numForward)) {
    if (!isa<LossScaleOp>(op))
      continue;
    if (first && getStage(op) != getStage(first)) {
      InFlightDiagnostic error = op->emitOpError();
      error << "is in another pipeline stage than another 'pop.loss_scale'; "
               "expects all losses of a pipeline in one stage";
      error.attachNote(first->getLoc()) << "the other one is here";
      return error;
    }
    first = op;
  }
  int64_t last = -1;
  for (unsigned node = 0; node < graph.numForward; ++node)
    last = std::max(last, getStageOf(node).value_or(-1));
  return last;
}

/// Keeps the ops of the last stage between values that are kept and the loss,
/// because their gradients are computed directly after them.
LogicalResult PipelineChooser::keepEnd(int64_t lastStage) {
  llvm::BitVector isUsed(graph.numForward);
  for (unsigned node = 0; node < graph.numForward; ++node)
    for (unsigned operand : graph.nodes[node].operands)
      if (std::optional<unsigned> producer = graph.values[operand].node)
        isUsed.set(*producer);
  SmallVector<unsigned> worklist;
  for (unsigned node = 0; node < graph.numForward; ++node)
    if (getStageOf(node) == lastStage && !isUsed[node])
      worklist.push_back(node);
  Operation *loss = worklist.empty() ? nullptr : block.getOps()[worklist[0]];
  bool reachesKept = !loss;
  while (!worklist.empty()) {
    unsigned node = worklist.pop_back_val();
    bool isChosen = choice[node];
    choice.reset(node);
    reachesKept |= !isChosen && !graph.nodes[node].results.empty() &&
                   !block.getOps()[node]->hasTrait<OpTrait::ConstantLike>();
    if (!isChosen && isUsed[node])
      continue;
    for (unsigned operand : graph.nodes[node].operands) {
      std::optional<unsigned> producer = graph.values[operand].node;
      if (producer && getStageOf(*producer).value_or(lastStage) == lastStage)
        worklist.push_back(*producer);
      else
        reachesKept = true;
    }
  }
  if (reachesKept)
    return success();
  return loss->emitOpError()
         << "is in the last stage of the forward pass, but no value is kept "
            "from which the stage can be recomputed; expects an input of the "
            "stage, or an op with 'pop.recompute = #pop<recompute checkpoint>'";
}

FailureOr<RecomputeChoice> PipelineChooser::choose() {
  // The body of a loop may belong to the backward pass.
  if (graph.numForward == 0)
    return choice;
  if (llvm::none_of(block.getOps().take_front(graph.numForward), getStage))
    return block.getOps()[graph.numForward]->getParentOp()->emitOpError()
           << "has no op with attribute '" << PopDialect::kStageAttrName
           << "', but method 'pipeline' recomputes the stages of a pipeline";
  FailureOr<int64_t> lastStage = findLastStage();
  if (failed(lastStage))
    return failure();
  for (unsigned node = 0; node < graph.numForward; ++node)
    choice[node] = graph.nodes[node].isRepeatable && getStageOf(node);
  // Other stages keep what they read.
  for (unsigned node = 0; node < graph.numForward; ++node) {
    auto keep = [&](unsigned operand) {
      std::optional<unsigned> producer =
          graph.values[graph.getStorage(operand)].node;
      bool isTransfer = isa<PlacementOpInterface>(block.getOps()[node]);
      if (producer && !isTransfer && getStageOf(node) &&
          getStageOf(node) != getStageOf(*producer))
        choice.reset(*producer);
    };
    llvm::for_each(graph.nodes[node].operands, keep);
    llvm::for_each(graph.nodes[node].keptOperands, keep);
  }
  if (*lastStage >= 0 && failed(keepEnd(*lastStage)))
    return failure();
  completeChoice(graph, choice);
  return choice;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct AnnotateRecomputePass
    : pop::impl::AnnotateRecomputePassBase<AnnotateRecomputePass> {
  using AnnotateRecomputePassBase::AnnotateRecomputePassBase;

  void runOnOperation() override;

private:
  FailureOr<RecomputeChoice> choose(const TrainingBlock &block) const;
  FailureOr<RecomputeChoice> chooseInBudget(const TrainingBlock &block) const;
  LogicalResult annotate(const TrainingBlock &block) const;
  LogicalResult verifyOptions();
};
} // namespace

FailureOr<RecomputeChoice>
AnnotateRecomputePass::chooseInBudget(const TrainingBlock &block) const {
  int64_t limit = budget.getValue();
  RecomputeChoice choice = chooseWithinBudget(block.getGraph(), limit);
  RecomputeEffect effect = measureRecompute(block.getGraph(), choice);
  if (effect.peak <= limit)
    return choice;
  return block.getOps()[block.getNumForward()]->getParentOp()->emitOpError()
         << "has at least " << effect.peak
         << " live bytes with each recomputation that was found; expects a "
            "budget of at least this number but got "
         << limit;
}

FailureOr<RecomputeChoice>
AnnotateRecomputePass::choose(const TrainingBlock &block) const {
  switch (method.getValue()) {
  case RecomputeMethod::Standard:
    return chooseStandard(block.getGraph());
  case RecomputeMethod::NormOnly:
    return chooseNorms(block);
  case RecomputeMethod::All:
    return chooseAll(block.getGraph());
  case RecomputeMethod::Pipeline:
    return PipelineChooser(block).choose();
  case RecomputeMethod::Budget:
    return chooseInBudget(block);
  }
  llvm_unreachable("unknown method");
}

/// Returns the nodes of `choice` that the backward pass needs.
static llvm::BitVector findCopied(const TrainingGraph &graph,
                                  const RecomputeChoice &choice) {
  llvm::BitVector copied(graph.numForward);
  for (const TrainingStep &step :
       getSteps(graph, choice, graph.numForward, graph.nodes.size()))
    if (step.context)
      copied.set(step.node);
  return copied;
}

LogicalResult
AnnotateRecomputePass::annotate(const TrainingBlock &block) const {
  if (failed(block.verifyMarks()))
    return failure();
  FailureOr<RecomputeChoice> choice = choose(block);
  if (failed(choice))
    return failure();
  llvm::BitVector copied = findCopied(block.getGraph(), *choice);
  for (unsigned node : copied.set_bits())
    block.getOps()[node]->setAttr(
        PopDialect::kRecomputeAttrName,
        RecomputeKindAttr::get(block.getOps()[node]->getContext(),
                               RecomputeKind::Recompute));
  if (copied.none())
    remark::missed(
        block.getOps()[block.getNumForward()]->getParentOp()->getLoc(),
        getGraphRemark("AnnotateRecompute"))
        << "no op is marked"
        << remark::metric("peak",
                          measureRecompute(block.getGraph(), *choice).peak);
  return success();
}

LogicalResult AnnotateRecomputePass::verifyOptions() {
  bool needsBudget = method.getValue() == RecomputeMethod::Budget;
  if (needsBudget ? budget.getValue() > 0 : !budget.hasValue())
    return success();
  InFlightDiagnostic error = getOperation().emitError();
  error << "'" << getArgument() << "' expects option 'budget' ";
  if (!needsBudget)
    return error << "only with method 'budget'";
  return error << "to be at least 1 with method 'budget' but got "
               << budget.getValue();
}

void AnnotateRecomputePass::runOnOperation() {
  if (failed(verifyOptions()))
    return signalPassFailure();
  ScheduledModule module(getOperation());
  for (FunctionOpInterface function :
       module.effects.getCalls().getPostOrder()) {
    WalkResult result = function->walk([&](Block *block) {
      Operation *backward = findBackwardPass(*block);
      if (!backward)
        return WalkResult::advance();
      return WalkResult(annotate(TrainingBlock(*block, backward, module)));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
  }
}
