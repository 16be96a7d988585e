//===- EnsureFp32LossScale.cpp - Loss scales in f32 -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with a function that scales its loss. Out: the same module,
// where the scale is not rounded to f16.
//
//===----------------------------------------------------------------------===//

#include "InitialStates.h"
#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_ENSUREFP32LOSSSCALEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

static bool isF16(Value value) {
  return isReferable(value.getType()) && getElementTypeOrSelf(value).isF16();
}

static bool isNarrowOrWide(Value value) {
  return isReferable(value.getType()) && (getElementTypeOrSelf(value).isF16() ||
                                          getElementTypeOrSelf(value).isF32());
}

/// `type`, a tensor, with elements of f32.
static RankedTensorType getWide(Type type) {
  return cast<RankedTensorType>(type).clone(
      Float32Type::get(type.getContext()));
}

namespace {
/// Moves the cast of a loss scale from f32 to f16 after the ops that use it.
class CastSinker {
public:
  /// `narrow` is `wide` in f16.
  LogicalResult run(Value narrow, Value wide);

private:
  LogicalResult replaceUse(Operation *user, Value narrow, Value wide);
  /// Does `user` in f32; gives its result.
  FailureOr<Value> widen(Operation *user, Value narrow, Value wide);

  /// Tensors of f16 and of f32 with the same elements.
  SmallVector<std::pair<Value, Value>> worklist;
};
} // namespace

FailureOr<Value> CastSinker::widen(Operation *user, Value narrow, Value wide) {
  bool isPlain = isMemoryEffectFree(user) && user->getNumResults() == 1 &&
                 user->getNumRegions() == 0 &&
                 isNarrowOrWide(user->getResult(0));
  if (isPlain) {
    PopBuilder b(user);
    SmallVector<Value> operands;
    for (Value operand : user->getOperands()) {
      if (operand == narrow)
        operand = wide;
      else if (isF16(operand))
        operand = CastOp::create(b, operand.getLoc(),
                                 getWide(operand.getType()), operand);
      operands.push_back(operand);
    }
    Operation *clone = b.clone(*user);
    clone->setOperands(operands);
    clone->getResult(0).setType(getWide(user->getResult(0).getType()));
    // The result is not rounded to f16 any more.
    clone->removeAttr(PopDialect::kDrawAttrName);
    ScopedDiagnosticHandler quiet(user->getContext(),
                                  [](Diagnostic &) { return success(); });
    if (succeeded(verify(clone, /*verifyRecursively=*/false)))
      return clone->getResult(0);
    clone->erase();
    for (Value operand : operands)
      if (operand.use_empty() && operand != wide)
        operand.getDefiningOp()->erase();
  }
  return failure();
}

LogicalResult CastSinker::replaceUse(Operation *user, Value narrow,
                                     Value wide) {
  if (auto cast = dyn_cast<CastOp>(user); cast && !isF16(cast.getResult())) {
    if (cast.getType() == wide.getType()) {
      cast.getResult().replaceAllUsesWith(wide);
      cast.erase();
    } else {
      cast.getInputMutable().set(wide);
    }
    return success();
  }
  FailureOr<Value> widened = widen(user, narrow, wide);
  if (failed(widened)) {
    InFlightDiagnostic diag =
        user->emitOpError()
        << "uses the loss scale in f16; expects an op that returns one f16 or "
           "f32 tensor and can be computed in f32";
    if (isa<CallOpInterface>(user))
      diag.attachNote() << "'inline' puts the function's ops here";
    return diag;
  }
  Value result = user->getResult(0);
  int64_t numTensors = llvm::count_if(user->getOperands(), isF16);
  if (numTensors == 1 && isF16(result)) {
    // It still is nothing but the scale.
    worklist.push_back({result, *widened});
    return success();
  }
  Value narrowed = *widened;
  if (isF16(result)) {
    PopBuilder b(user);
    narrowed = CastOp::create(b, result.getLoc(), result.getType(), narrowed);
  }
  result.replaceAllUsesWith(narrowed);
  user->erase();
  return success();
}

LogicalResult CastSinker::run(Value narrow, Value wide) {
  worklist.push_back({narrow, wide});
  size_t next = 0;
  while (next < worklist.size()) {
    auto [from, to] = worklist[next++];
    llvm::SetVector<Operation *> users(from.user_begin(), from.user_end());
    for (Operation *user : users)
      if (user != to.getDefiningOp() && failed(replaceUse(user, from, to)))
        return failure();
  }
  for (auto [from, to] : llvm::reverse(worklist))
    if (from.use_empty())
      from.getDefiningOp()->erase();
  return success();
}

/// The operand of `root`, which is f16, in f32.
static Value getWideOperand(LossScaleOp root) {
  PopBuilder b(root);
  Value narrow = root.getInput();
  RankedTensorType type = getWide(narrow.getType());
  if (auto cast = narrow.getDefiningOp<CastOp>();
      cast && cast.getInput().getType() == type)
    return cast.getInput();
  DenseElementsAttr value;
  if (matchPattern(narrow, m_Constant(&value)))
    return ConstantOp::create(b, root.getLoc(), getScaled(value, type, 1.0));
  return CastOp::create(b, root.getLoc(), type, narrow);
}

namespace {
struct EnsureFp32LossScalePass
    : pop::impl::EnsureFp32LossScalePassBase<EnsureFp32LossScalePass> {
  using EnsureFp32LossScalePassBase::EnsureFp32LossScalePassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> trained =
        getTrainedFunction(getOperation(), function, getArgument());
    if (failed(trained))
      return signalPassFailure();
    SmallVector<LossScaleOp> roots;
    trained->walk([&](LossScaleOp root) {
      if (isF16(root.getResult()))
        roots.push_back(root);
    });
    for (LossScaleOp root : roots)
      if (failed(widen(root)))
        return signalPassFailure();
  }

private:
  static LogicalResult widen(LossScaleOp root) {
    Value narrow = root.getInput(), operand = getWideOperand(root);
    PopBuilder b(root);
    auto wide = LossScaleOp::create(b, root.getLoc(), operand);
    if (failed(CastSinker().run(root.getResult(), wide.getResult())))
      return failure();
    if (Operation *op = narrow.getDefiningOp(); op && isOpTriviallyDead(op))
      op->erase();
    return success();
  }
};
} // namespace
