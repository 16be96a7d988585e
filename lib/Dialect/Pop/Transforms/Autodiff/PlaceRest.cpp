//===- PlaceRest.cpp - Placement of ops for loops ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a placed function with ops that loops and branches have for their
// gradients: buffers of values, and the rows of iterations. These ops have no
// placement, because loops and branches have none. Out: the same function,
// where they are on the IPUs and in the stages of the values that they move, or
// of the ops that use them.
//
//===----------------------------------------------------------------------===//

#include "Differentiator.h"
#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
class RestPlacer {
public:
  RestPlacer(func::FuncOp function, Operation *marker, int64_t numStages,
             int64_t anyVgraph)
      : function(function), marker(marker), numStages(numStages),
        anyVgraph(anyVgraph), sources(function->getParentOfType<ModuleOp>()) {}

  void run();

private:
  using Source = ValueSources::Source;

  bool isPlaced(Operation *op) const {
    return getVgraph(op) && (numStages == 0 || getStage(op));
  }
  bool isUnplaced(Operation *op) const;
  int64_t getFinalStage(Operation *op, int64_t stage);
  std::optional<int64_t> getStatedStage(std::optional<int64_t> stage) const;
  SmallVector<Source> findSources(Value value);
  bool placeAsOperands(Operation *op);
  bool placeAsUsers(Operation *op);
  Operation *findNeighbour(Operation *op) const;
  void placeAsNeighbour(Operation *op);
  void copyOperands(Operation *op);

  func::FuncOp function;
  /// This op is between the forward graph and its gradients.
  Operation *marker;
  /// The number is 0 if the function has no stages.
  int64_t numStages;
  /// Where ops are that have no placed neighbour.
  int64_t anyVgraph;
  ValueSources sources;
  SmallVector<Operation *> placed;
};
} // namespace

static void place(Operation *op, int64_t vgraph, std::optional<int64_t> stage) {
  Builder b(op);
  op->setAttr(PopDialect::kVgraphAttrName, b.getI64IntegerAttr(vgraph));
  if (stage)
    op->setAttr(PopDialect::kStageAttrName, b.getI64IntegerAttr(*stage));
}

/// Returns whether `op` needs a placement and has none, or only a part of one.
bool RestPlacer::isUnplaced(Operation *op) const {
  return isa_and_nonnull<PopDialect>(op->getDialect()) && isPlaceable(op) &&
         op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>() &&
         !op->hasTrait<pop::RefOrigin>() && !isPlaced(op) &&
         !isa<PlacementOpInterface>(op);
}

/// Returns the stage in which `op`, which states `stage`, will be. The
/// gradients of the function still state stages of the forward graph, in
/// reverse order. Those of callees are in their stages already.
int64_t RestPlacer::getFinalStage(Operation *op, int64_t stage) {
  Operation *top = function.getBody().front().findAncestorOpInBlock(*op);
  bool isGradient = top && marker->isBeforeInBlock(top);
  return isGradient ? 2 * numStages - 1 - stage : stage;
}

/// Returns what an op states that will be in `stage`: the stage of the forward
/// graph. Returns nothing if the function has no stages.
std::optional<int64_t>
RestPlacer::getStatedStage(std::optional<int64_t> stage) const {
  if (!stage || numStages == 0)
    return std::nullopt;
  return std::min(*stage, 2 * numStages - 1 - *stage);
}

/// Returns the sources of `value` that have a virtual graph.
SmallVector<RestPlacer::Source> RestPlacer::findSources(Value value) {
  SmallVector<Source> found = sources.find(value, /*ofEarlierIterations=*/true);
  llvm::erase_if(found, [](const Source &source) { return !source.vgraph; });
  return found;
}

/// Places `op` on the virtual graph of its operands, in the last stage that
/// computes them there. A copy may be in the stage of another virtual graph.
/// Returns whether nothing of the placement is missing.
bool RestPlacer::placeAsOperands(Operation *op) {
  std::optional<int64_t> vgraph = getVgraph(op), last;
  for (Value operand : op->getOperands())
    for (const Source &source : findSources(operand)) {
      if (!vgraph)
        vgraph = source.vgraph;
      Operation *producer = source.value.getDefiningOp();
      if (source.vgraph != vgraph || !source.stage ||
          isa<PlacementOpInterface>(producer))
        continue;
      last = std::max<std::optional<int64_t>>(
          last, getFinalStage(producer, *source.stage));
    }
  if (vgraph)
    place(op, *vgraph, getStatedStage(last));
  return isPlaced(op);
}

/// Places `op` where it is used, in the first stage that uses it there, and
/// clones it for each further virtual graph that uses it. Returns whether
/// nothing of the placement is missing.
bool RestPlacer::placeAsUsers(Operation *op) {
  std::optional<int64_t> known = getVgraph(op);
  llvm::MapVector<int64_t, SmallVector<OpOperand *>> uses;
  for (Operation *user : op->getUsers())
    for (OpOperand &use : user->getOpOperands())
      if (std::optional<int64_t> vgraph = getVgraph(use);
          vgraph && vgraph == known.value_or(*vgraph) &&
          use.get().getDefiningOp() == op)
        uses[*vgraph].push_back(&use);
  for (auto &[vgraph, operands] : uses) {
    Operation *own = op;
    if (vgraph != getVgraph(op).value_or(vgraph)) {
      own = OpBuilder(op).clone(*op);
      placed.push_back(own);
    }
    std::optional<int64_t> first;
    for (OpOperand *use : operands) {
      use->set(own->getResult(cast<OpResult>(use->get()).getResultNumber()));
      Operation *user = use->getOwner();
      if (std::optional<int64_t> stage = getStage(user)) {
        int64_t ofUser = getFinalStage(user, *stage);
        first = std::min(first.value_or(ofUser), ofUser);
      }
    }
    place(own, vgraph, getStatedStage(first));
  }
  return isPlaced(op);
}

/// Returns the first placed op after `op` in its block or, if there is none,
/// the last one before it, or a neighbour of the op around it.
Operation *RestPlacer::findNeighbour(Operation *op) const {
  std::optional<int64_t> vgraph = getVgraph(op);
  auto findIn = [&](Operation *root) {
    Operation *found = nullptr;
    root->walk<WalkOrder::PreOrder>([&](Operation *nested) {
      if (!isPlaced(nested) || isa<PlacementOpInterface>(nested) ||
          (vgraph && getVgraph(nested) != vgraph))
        return WalkResult::advance();
      found = nested;
      return WalkResult::interrupt();
    });
    return found;
  };
  for (; op != function; op = op->getParentOp()) {
    for (Operation *next = op; next; next = next->getNextNode())
      if (Operation *found = findIn(next))
        return found;
    for (Operation *previous = op; previous; previous = previous->getPrevNode())
      if (Operation *found = findIn(previous))
        return found;
  }
  return nullptr;
}

void RestPlacer::placeAsNeighbour(Operation *op) {
  if (Operation *neighbour = findNeighbour(op))
    place(op, *getVgraph(neighbour), getStage(neighbour));
  else if (!getVgraph(op))
    place(op, anyVgraph, std::nullopt);
}

/// Copies the operands of `op` that are on other virtual graphs.
void RestPlacer::copyOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Source> found = findSources(operand.get());
    if (found.empty() || found.front().vgraph == getVgraph(op))
      continue;
    OpBuilder b(op);
    auto copy = IpuCopyOp::create(b, op->getLoc(), operand.get(),
                                  *found.front().vgraph, *getVgraph(op));
    if (Attribute stage = op->getAttr(PopDialect::kStageAttrName))
      copy->setAttr(PopDialect::kStageAttrName, stage);
    operand.set(copy.getResult(0));
  }
}

void RestPlacer::run() {
  SmallVector<Operation *> left, alone;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isUnplaced(op))
      return;
    placed.push_back(op);
    if (!placeAsOperands(op))
      left.push_back(op);
  });
  for (Operation *op : llvm::reverse(left))
    if (!placeAsUsers(op))
      alone.push_back(op);
  // Now more operands are placed.
  for (Operation *op : llvm::reverse(alone))
    if (!placeAsOperands(op))
      placeAsNeighbour(op);
  for (Operation *op : placed)
    copyOperands(op);
}

void mlir::pop::placeRest(func::FuncOp function, Operation *marker,
                          int64_t numStages) {
  std::optional<VgraphUse> first = findFirstVgraph(function);
  if (!first)
    return;
  WalkResult result = function.walk([](Operation *op) {
    return getStage(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  RestPlacer(function, marker, result.wasInterrupted() ? numStages : 0,
             first->vgraph)
      .run();
}
