//===- VirtualGraphs.cpp - Virtual graphs of programs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::pop;

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

void mlir::pop::inheritSchedule(Value value, Operation *op) {
  std::optional<int64_t> vgraph = getVgraph(value);
  if (vgraph && !op->hasAttr(PopDialect::kVgraphAttrName))
    op->setAttr(PopDialect::kVgraphAttrName,
                Builder(op).getI64IntegerAttr(*vgraph));
  if (Operation *source = value.getDefiningOp())
    inheritSchedule(source, op);
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
