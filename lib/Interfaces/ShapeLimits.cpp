//===- ShapeLimits.cpp - Limits of tensor sizes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/ShapeLimits.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

bool mlir::ipu::isAddressableShape(llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMaxElements = int64_t(1) << 56;
  int64_t product = 1;
  for (int64_t size : shape)
    if (size > 1 &&
        (llvm::MulOverflow(product, size, product) || product > kMaxElements))
      return false;
  return true;
}

bool mlir::ipu::isAddressable(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || !shaped.hasRank() || isAddressableShape(shaped.getShape());
}

/// Checks the types of `values`, which are arguments or results of `op`.
static LogicalResult verifyTypes(Operation *op, StringRef kind, TypeRange types,
                                 function_ref<Location(unsigned)> getLoc) {
  for (auto [i, type] : llvm::enumerate(types))
    if (!ipu::isAddressable(type))
      return emitError(getLoc(i))
             << "'" << op->getName() << "' op " << kind << " " << i
             << " expects a type of at most 2^56 elements but got " << type;
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  auto getOpLoc = [&](unsigned) { return op->getLoc(); };
  if (failed(verifyTypes(op, "result", op->getResultTypes(), getOpLoc)))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(verifyTypes(
              op, "argument", block.getArgumentTypes(),
              [&](unsigned i) { return block.getArgument(i).getLoc(); })))
        return failure();
  // A declaration has no block.
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  if (failed(
          verifyTypes(op, "argument", function.getArgumentTypes(), getOpLoc)))
    return failure();
  return verifyTypes(op, "result", function.getResultTypes(), getOpLoc);
}

LogicalResult mlir::ipu::verifyAddressable(Operation *root) {
  WalkResult walked = root->walk<WalkOrder::PreOrder>(
      [](Operation *op) { return WalkResult(verifyOp(op)); });
  return failure(walked.wasInterrupted());
}
