//===- PreAutomaticLossScale.cpp - Marks of tracked tensors -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with a function that will be differentiated. Out: the same
// module, where ops on the named tensors mark the gradients of these tensors.
//
//===----------------------------------------------------------------------===//

#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PREAUTOMATICLOSSSCALEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// The tensor of `function` that is called `name`: an argument, or the result
/// of the first op whose location has the name. Null if there is none.
static Value findTensor(func::FuncOp function, StringRef name) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto argument =
        function.getArgAttrOfType<StringAttr>(i, PopDialect::kNameAttrName);
    if (argument && argument == name)
      return function.getArgument(i);
  }
  Value found;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringAttr own = ipu::getLocationName(op->getLoc());
    if (op == function || op->getNumResults() == 0 || !own || own != name)
      return WalkResult::advance();
    found = op->getResult(0);
    return WalkResult::interrupt();
  });
  return found;
}

/// The placement of an argument is that of its function's attributes, and else
/// that of what uses it there.
static void placeAt(BlockArgument argument, Operation *proxy) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  for (NamedAttribute attribute : function.getArgAttrs(argument.getArgNumber()))
    if (isPlacementAttr(attribute.getName()))
      proxy->setAttr(attribute.getName(), attribute.getValue());
  function->walk<WalkOrder::PreOrder>([&](Operation *user) {
    if (user != proxy && llvm::is_contained(user->getOperands(), argument))
      inheritSchedule(user, proxy);
  });
}

static void addProxy(Value tensor) {
  OpBuilder b(tensor.getContext());
  b.setInsertionPointAfterValue(tensor);
  auto proxy = AutoLossScaleProxyOp::create(b, tensor.getLoc(), tensor,
                                            /*gradient=*/false);
  if (Operation *source = tensor.getDefiningOp())
    inheritPlacement(source, proxy);
  else
    placeAt(cast<BlockArgument>(tensor), proxy);
  tensor.replaceAllUsesExcept(proxy.getResult(), proxy);
}

namespace {
struct PreAutomaticLossScalePass
    : pop::impl::PreAutomaticLossScalePassBase<PreAutomaticLossScalePass> {
  using PreAutomaticLossScalePassBase::PreAutomaticLossScalePassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> trained =
        getTrainedFunction(getOperation(), function, getArgument());
    if (failed(trained))
      return signalPassFailure();
    if (tensors.empty()) {
      trained->emitOpError() << "has no tensors to track; '" << getArgument()
                             << "' expects names in option 'tensors'";
      return signalPassFailure();
    }
    llvm::MapVector<StringRef, Value> found;
    SmallVector<std::string> missing;
    for (const std::string &name : tensors) {
      if (found.contains(name)) {
        trained->emitWarning() << "'" << getArgument() << "' got tensor '"
                               << name << "' more than once";
        continue;
      }
      Value tensor = findTensor(*trained, name);
      found[name] = tensor;
      if (!tensor)
        missing.push_back("'" + name + "'");
    }
    if (!missing.empty()) {
      trained->emitOpError()
          << "expects tensors " << llvm::join(missing, ", ")
          << ", whose gradients should be tracked, but has no such tensors";
      return signalPassFailure();
    }
    for (auto &[name, tensor] : found)
      if (failed(verifyFloats(*trained, name, tensor)))
        return signalPassFailure();
    for (auto &[name, tensor] : found)
      addProxy(tensor);
  }

private:
  static LogicalResult verifyFloats(func::FuncOp function, StringRef name,
                                    Value tensor) {
    if (isReferable(tensor.getType()) &&
        isa<FloatType>(getElementTypeOrSelf(tensor)))
      return success();
    InFlightDiagnostic diag =
        function.emitOpError()
        << "has tensor '" << name << "' of type " << tensor.getType()
        << ", whose gradient should be tracked; expects a "
           "tensor of floats";
    diag.attachNote(tensor.getLoc()) << "the tensor is defined here";
    return diag;
  }
};
} // namespace
