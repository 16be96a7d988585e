//===- LowerToLoopsBuffers.cpp - Buffers and inits ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates what tensors keep between statements, sets accumulators before
// reductions and stores them, if they are to be stored, after them.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

/// A buffer goes on the stack up to this size, as long as all together do not
/// exceed the second one.
static constexpr int64_t kMaxStackBuffer = 32 * 1024;
static constexpr int64_t kMaxStackBytes = 256 * 1024;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The entry of the function around. Loops around the fusion would take a piece
/// of the stack each time, and give none back before the function ends.
Block *NestEmitter::getAllocaBlock() {
  Region *region = op->getParentRegion();
  while (Operation *scope = region->getParentOp()) {
    if (scope->hasTrait<OpTrait::IsIsolatedFromAbove>() ||
        !scope->getParentRegion())
      break;
    region = scope->getParentRegion();
  }
  return &region->front();
}

/// What other fusions have put on the stack.
static int64_t getStackBytes(Block *block) {
  int64_t bytes = 0;
  for (memref::AllocaOp alloca : block->getOps<memref::AllocaOp>()) {
    MemRefType type = alloca.getType();
    if (type.hasStaticShape() && type.getElementType().isIntOrFloat())
      bytes += type.getNumElements() *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

LogicalResult NestEmitter::emitAlloc(const LoopNode &node) {
  State &state = states[node.tensor];
  if (state.form != Form::Memory || state.isWhole)
    return success();
  const Tensor &tensor = schedule.getTensor(node.tensor);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (unsigned axis : state.privateLoops) {
    AffineExpr extent =
        index->simplify(classes.getGroups().getExtent(tensor.loop[axis]));
    if (auto constant = dyn_cast<AffineConstantExpr>(extent)) {
      shape.push_back(constant.getValue());
      continue;
    }
    shape.push_back(ShapedType::kDynamic);
    sizes.push_back(index->getSize(extent));
  }
  linalg::LinalgOp linalgOp = fusion.getOp(node.tensor);
  state.buffers.clear();
  for (Value result : linalgOp->getResults()) {
    Type type = cast<RankedTensorType>(result.getType()).getElementType();
    auto memref = MemRefType::get(shape, type);
    IntegerAttr alignment = b.getI64IntegerAttr(64);
    int64_t bytes = kMaxStackBuffer + 1;
    if (sizes.empty() && type.isIntOrFloat()) {
      bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
      for (int64_t size : shape)
        if (llvm::MulOverflow(bytes, size, bytes))
          return linalgOp.emitError("buffer of tensor '")
                 << tensor.name << "' exceeds the address space";
    }
    // Each iteration of a parallel loop needs a buffer of its own.
    if (!stackBytes)
      stackBytes = getStackBytes(getAllocaBlock());
    if (isInParallelLoop || bytes > kMaxStackBuffer ||
        *stackBytes + bytes > kMaxStackBytes) {
      state.buffers.push_back(
          memref::AllocOp::create(b, memref, sizes, alignment));
      continue;
    }
    // Copies of the loop share the buffer.
    Value &buffer = stackBuffers[result];
    if (!buffer) {
      *stackBytes += bytes;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(getAllocaBlock());
      buffer = memref::AllocaOp::create(b, memref, ValueRange(), alignment);
    }
    state.buffers.push_back(buffer);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::emitInit(const LoopNode &node) {
  State &state = states[node.tensor];
  state.initLevel = level;
  if (state.accForm == Form::Memory)
    return emitInitLoops(node.tensor, node.axes);
  auto set = [&]() -> LogicalResult {
    FailureOr<SmallVector<Value>> values = getGuardedInitialValues(node.tensor);
    if (failed(values))
      return failure();
    state.accs = std::move(*values);
    if (lane && hasLane(node.tensor, *lane) &&
        !isReducedByLane(node.tensor, *lane))
      for (Value &value : state.accs)
        value = toVector(value);
    return success();
  };
  if (state.accForm != Form::Vector || lane)
    return set();
  return withLanes(classes.getClass(node.tensor, node.axes.front()), set);
}

FailureOr<SmallVector<Value>>
NestEmitter::getGuardedInitialValues(TensorId tensor) {
  SmallVector<IndexBound> bounds = getOpenBounds(states[tensor].init);
  linalg::LinalgOp op = fusion.getOp(tensor);
  bool isConstant = true;
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i)
    isConstant &= bool(fusion.getFillValue(tensor, i));
  if (isConstant || bounds.empty())
    return getInitialValues(tensor);
  return index->createIf(
      bounds,
      [&]() -> FailureOr<SmallVector<Value>> {
        return getInitialValues(tensor);
      },
      [&](ValueRange results) {
        return llvm::map_to_vector(
            results, [&](Value value) { return getZero(value.getType()); });
      });
}

LogicalResult NestEmitter::emitInitLoops(TensorId tensor,
                                         ArrayRef<unsigned> axes) {
  if (!axes.empty()) {
    ClassId loopClass = classes.getClass(tensor, axes.front());
    auto body = [&](Value iv, ValueRange) -> FailureOr<SmallVector<Value>> {
      index->bind(loopClass, iv);
      if (failed(emitInitLoops(tensor, axes.drop_front())))
        return failure();
      index->unbind(loopClass);
      return SmallVector<Value>();
    };
    AxisId axis = schedule.getTensor(tensor).loop[axes.front()];
    return index->createLoop(zero(), classes.getGroups().getExtent(axis),
                             /*isParallel=*/false, {}, body);
  }
  storeGuarded(states[tensor].init, [&] { return getInitialValues(tensor); });
  return success();
}

void NestEmitter::storeGuarded(const Statement &statement,
                               function_ref<SmallVector<Value>()> getValues) {
  SmallVector<IndexBound> bounds = getOpenBounds(statement);
  if (bounds.empty())
    return store(statement, getValues());
  auto write = [&]() -> FailureOr<SmallVector<Value>> {
    store(statement, getValues());
    return SmallVector<Value>();
  };
  (void)index->createIf(bounds, write,
                        [](ValueRange) { return SmallVector<Value>(); });
}

LogicalResult NestEmitter::finish(TensorId tensor) {
  State &state = states[tensor];
  state.initLevel = 0;
  if (state.accs.empty())
    return success(); // in memory
  SmallVector<Value> values = std::move(state.accs);
  state.accs.clear();
  if (state.form != Form::Memory)
    setValues(tensor, values);
  if (llvm::none_of(state.buffers, [](Value v) { return bool(v); }))
    return success();
  auto write = [&] {
    storeGuarded(state.init, [&] { return values; });
    return success();
  };
  // What was summed in vectors has them along its one inner loop.
  if (state.accForm == Form::Vector && !lane)
    for (ClassId loopClass : classes.getClasses(tensor))
      if (isVectorLoop[loopClass])
        return withLanes(loopClass, write);
  return write();
}
