//===- VirtualGraphs.cpp - Virtual graphs of programs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::pop;

bool mlir::pop::needsPlacement(Operation *op) {
  if (!isa_and_nonnull<PopDialect>(op->getDialect()) || !isPlaceable(op) ||
      op->getNumRegions() > 0 || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  bool isHandle = op->hasTrait<pop::RefOrigin>() && isMemoryEffectFree(op);
  return !isHandle && (op->getNumOperands() > 0 || op->getNumResults() > 0);
}

std::optional<int64_t> mlir::pop::getVgraphOfResults(Operation *op) {
  return op->getNumResults() > 0 ? getVgraph(op->getResult(0)) : getVgraph(op);
}

void mlir::pop::setVgraph(Operation *op, std::optional<int64_t> vgraph) {
  if (vgraph && !getVgraph(op))
    op->setAttr(PopDialect::kVgraphAttrName,
                Builder(op->getContext()).getI64IntegerAttr(*vgraph));
}

/// Calls `visit` for each virtual graph that an op, an argument or a copy
/// between IPUs states, until a call returns false. `op` is the function of an
/// argument.
static void visitVgraphs(
    Operation *root,
    function_ref<bool(Operation *op, Location loc, int64_t vgraph)> visit) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Other modules are other programs.
    if (isa<ModuleOp>(op) && op != root)
      return WalkResult::skip();
    auto isLast = [&](Location loc, std::optional<int64_t> vgraph) {
      return vgraph && !visit(op, loc, *vgraph);
    };
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (BlockArgument argument : function.getArguments())
        if (isLast(argument.getLoc(), getVgraph(Value(argument))))
          return WalkResult::interrupt();
    if (auto copy = dyn_cast<PlacementOpInterface>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (isLast(op->getLoc(), copy.getVgraphOfOperand(operand)))
          return WalkResult::interrupt();
      for (OpResult result : op->getResults())
        if (isLast(op->getLoc(), copy.getVgraphOfResult(result)))
          return WalkResult::interrupt();
    }
    return isLast(op->getLoc(), getVgraph(op)) ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
}

std::optional<VgraphUse> mlir::pop::findFirstVgraph(Operation *root) {
  std::optional<VgraphUse> found;
  visitVgraphs(root, [&](Operation *, Location loc, int64_t vgraph) {
    found.emplace(VgraphUse{vgraph, loc});
    return false;
  });
  return found;
}

static void setPlacement(Operation *op, StringRef name,
                         std::optional<int64_t> number) {
  if (number && !op->hasAttr(name))
    op->setAttr(name, Builder(op).getI64IntegerAttr(*number));
}

/// Returns whether a loop, a branch or a call passes `value` on.
static bool isPassed(Value value) {
  Operation *source = value.getDefiningOp();
  return isa<RegionBranchOpInterface, CallOpInterface>(
      source ? source : value.getParentBlock()->getParentOp());
}

/// Adds to `op` the schedule that `value` and the op that defines it state.
/// Returns whether the ops that compute `value` may state more.
static bool inheritStated(Value value, Operation *op) {
  setPlacement(op, PopDialect::kVgraphAttrName, getVgraph(value));
  if (Operation *source = value.getDefiningOp())
    inheritSchedule(source, op);
  return !getVgraph(op) && isPassed(value);
}

void mlir::pop::inheritSchedule(Value value, Operation *op,
                                ValueSources &sources) {
  if (!inheritStated(value, op))
    return;
  // A value of several stages is complete in the last one. Constants have no
  // placement.
  SmallVector<ValueSources::Source> found =
      sources.find(value, /*ofEarlierIterations=*/true);
  auto *last = llvm::max_element(found, [](const auto &a, const auto &b) {
    return std::make_pair(a.stage, a.vgraph.has_value()) <
           std::make_pair(b.stage, b.vgraph.has_value());
  });
  if (last == found.end())
    return;
  setPlacement(op, PopDialect::kVgraphAttrName, last->vgraph);
  setPlacement(op, PopDialect::kStageAttrName, last->stage);
}

void mlir::pop::inheritSchedule(Value value, Operation *op) {
  if (!inheritStated(value, op))
    return;
  ValueSources sources(op->getParentOfType<ModuleOp>());
  inheritSchedule(value, op, sources);
}

LogicalResult mlir::pop::verifyVgraphs(ModuleOp module, int64_t numIPUs) {
  bool isValid = true;
  visitVgraphs(module, [&](Operation *op, Location loc, int64_t vgraph) {
    isValid = vgraph < numIPUs;
    if (isValid)
      return true;
    InFlightDiagnostic error = emitError(loc);
    if (isa<FunctionOpInterface>(op))
      error << "argument ";
    else
      error << "'" << op->getName() << "' op ";
    error << "is on virtual graph " << vgraph
          << ", but a replica of the target has " << numIPUs
          << (numIPUs == 1 ? " IPU" : " IPUs");
    return false;
  });
  return success(isValid);
}
