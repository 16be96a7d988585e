//===- TemporaryBuffers.cpp - Memory of values in the nest ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryBuffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// A buffer goes on the stack up to this size, as long as all together do not
/// exceed the second one.
static constexpr int64_t kMaxStackBuffer = 32 * 1024;
static constexpr int64_t kMaxStackBytes = 256 * 1024;

/// The entry of the function around. Loops around the fusion would take a piece
/// of the stack each time, and give none back before the function ends.
static Block *getAllocaBlock(FusionOp op) {
  Region *region = op->getParentRegion();
  while (Operation *scope = region->getParentOp()) {
    if (scope->hasTrait<OpTrait::IsIsolatedFromAbove>() ||
        !scope->getParentRegion())
      break;
    region = scope->getParentRegion();
  }
  return &region->front();
}

int64_t &TemporaryBuffers::getStackBytes() {
  if (stackBytes)
    return *stackBytes;
  stackBytes = 0;
  Block *block = getAllocaBlock(context.fusion.getFusion());
  for (memref::AllocaOp alloca : block->getOps<memref::AllocaOp>()) {
    MemRefType type = alloca.getType();
    if (type.hasStaticShape() && type.getElementType().isIntOrFloat())
      *stackBytes += type.getNumElements() *
                     llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return *stackBytes;
}

FailureOr<std::optional<int64_t>> TemporaryBuffers::getBytes(TensorId tensor,
                                                             MemRefType type) {
  Type element = type.getElementType();
  if (!type.hasStaticShape() || !element.isIntOrFloat())
    return std::optional<int64_t>();
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return context.fusion.getOp(tensor).emitError("buffer of tensor '")
             << context.schedule.getTensor(tensor).name
             << "' exceeds the address space";
  return std::optional(bytes);
}

Value TemporaryBuffers::getStackBuffer(Value result, MemRefType type,
                                       int64_t bytes) {
  // Copies of the loop share the buffer.
  Value &buffer = stackBuffers[result];
  if (buffer)
    return buffer;
  getStackBytes() += bytes;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(getAllocaBlock(context.fusion.getFusion()));
  buffer =
      memref::AllocaOp::create(b, type, ValueRange(), b.getI64IntegerAttr(64));
  return buffer;
}

LogicalResult TemporaryBuffers::allocate(const LoopNode &node,
                                         bool isInParallelLoop,
                                         SmallVectorImpl<Value> &heap) {
  TensorState &state = context.states[node.tensor];
  if (state.form != ValueForm::Memory || state.isWhole)
    return success();
  const Tensor &tensor = context.schedule.getTensor(node.tensor);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (unsigned loop : state.privateLoops) {
    AffineExpr extent = context.index.simplify(
        context.classes.getGroups().getExtent(tensor.loop[loop]));
    if (auto constant = dyn_cast<AffineConstantExpr>(extent)) {
      shape.push_back(constant.getValue());
      continue;
    }
    shape.push_back(ShapedType::kDynamic);
    sizes.push_back(context.index.getSize(extent));
  }
  state.buffers.clear();
  for (Value result : context.fusion.getOp(node.tensor)->getResults()) {
    auto type = MemRefType::get(
        shape, cast<RankedTensorType>(result.getType()).getElementType());
    FailureOr<std::optional<int64_t>> bytes = getBytes(node.tensor, type);
    if (failed(bytes))
      return failure();
    // Each iteration of a parallel loop needs a buffer of its own.
    if (!isInParallelLoop && *bytes && **bytes <= kMaxStackBuffer &&
        getStackBytes() + **bytes <= kMaxStackBytes) {
      state.buffers.push_back(getStackBuffer(result, type, **bytes));
      continue;
    }
    heap.push_back(
        memref::AllocOp::create(b, type, sizes, b.getI64IntegerAttr(64)));
    state.buffers.push_back(heap.back());
  }
  return success();
}
