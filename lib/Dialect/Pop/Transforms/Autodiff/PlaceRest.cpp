//===- PlaceRest.cpp - Placement of ops for loops ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a placed function with ops that loops and branches have for their
// gradients: buffers of values, and the rows of iterations. These ops have no
// placement, because loops and branches have none. Out: the same function,
// where they are on the IPUs of the values that they move, or of the ops that
// use them.
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
  RestPlacer(func::FuncOp function, int64_t anyVgraph)
      : function(function), anyVgraph(anyVgraph),
        sources(function->getParentOfType<ModuleOp>()) {}

  void run();

private:
  using Source = ValueSources::Source;

  std::optional<Source> findSource(Value value);
  bool placeAsOperands(Operation *op);
  void placeAsUsers(Operation *op);
  void copyOperands(Operation *op);

  func::FuncOp function;
  /// Where ops are that no op with a placement uses.
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

/// Returns whether `op` needs a placement and has none.
static bool isUnplaced(Operation *op) {
  return isa_and_nonnull<PopDialect>(op->getDialect()) && isPlaceable(op) &&
         op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>() &&
         !op->hasTrait<pop::RefOrigin>() && !getVgraph(op) &&
         !isa<PlacementOpInterface>(op);
}

/// Returns the first source of `value` that has a virtual graph.
std::optional<RestPlacer::Source> RestPlacer::findSource(Value value) {
  for (const Source &source : sources.find(value, /*ofEarlierIterations=*/true))
    if (source.vgraph)
      return source;
  return std::nullopt;
}

bool RestPlacer::placeAsOperands(Operation *op) {
  for (Value operand : op->getOperands())
    if (std::optional<Source> source = findSource(operand)) {
      place(op, *source->vgraph, source->stage);
      return true;
    }
  return false;
}

/// Places `op` where it is used, and clones it for each further virtual graph
/// that uses it.
void RestPlacer::placeAsUsers(Operation *op) {
  llvm::MapVector<int64_t, SmallVector<OpOperand *>> uses;
  for (Operation *user : op->getUsers())
    for (OpOperand &use : user->getOpOperands())
      if (std::optional<int64_t> vgraph = getVgraph(use);
          vgraph && use.get().getDefiningOp() == op)
        uses[*vgraph].push_back(&use);
  if (uses.empty())
    place(op, anyVgraph, std::nullopt);
  for (auto &[vgraph, operands] : uses) {
    Operation *own = op;
    if (getVgraph(op)) {
      own = OpBuilder(op).clone(*op);
      placed.push_back(own);
    }
    std::optional<int64_t> stage = getStage(operands.front()->getOwner());
    for (OpOperand *use : operands) {
      stage = std::min(stage, getStage(use->getOwner()));
      use->set(own->getResult(cast<OpResult>(use->get()).getResultNumber()));
    }
    place(own, vgraph, stage);
  }
}

/// Copies the operands of `op` that are on other virtual graphs.
void RestPlacer::copyOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<Source> source = findSource(operand.get());
    if (!source || source->vgraph == getVgraph(op))
      continue;
    OpBuilder b(op);
    auto copy = IpuCopyOp::create(b, op->getLoc(), operand.get(),
                                  *source->vgraph, *getVgraph(op));
    if (Attribute stage = op->getAttr(PopDialect::kStageAttrName))
      copy->setAttr(PopDialect::kStageAttrName, stage);
    operand.set(copy.getResult(0));
  }
}

void RestPlacer::run() {
  SmallVector<Operation *> left;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isUnplaced(op))
      return;
    placed.push_back(op);
    if (!placeAsOperands(op))
      left.push_back(op);
  });
  for (Operation *op : llvm::reverse(left))
    placeAsUsers(op);
  for (Operation *op : placed)
    copyOperands(op);
}

void mlir::pop::placeRest(func::FuncOp function) {
  if (std::optional<VgraphUse> first = findFirstVgraph(function))
    RestPlacer(function, first->vgraph).run();
}
