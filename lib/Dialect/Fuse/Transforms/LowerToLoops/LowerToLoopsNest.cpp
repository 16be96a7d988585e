//===- LowerToLoopsNest.cpp - Loops and what goes through them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the tree of loops. Values that a statement leaves for others are kept
// in `values` as long as the body that holds the statement lasts; accumulators
// go through all loops between their init and the last update.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::fuse;

/// The most copies of a statement that peeling makes.
static constexpr unsigned kMaxCopies = 16;
static void collectComputes(const LoopNode &node,
                            SmallVectorImpl<TensorId> &tensors) {
  if (node.kind == LoopNode::Kind::Compute)
    tensors.push_back(node.tensor);
  for (const LoopNode &child : node.body)
    collectComputes(child, tensors);
}

static SmallVector<TensorId> getComputes(ArrayRef<const LoopNode *> nodes) {
  SmallVector<TensorId> tensors;
  for (const LoopNode *node : nodes)
    collectComputes(*node, tensors);
  return tensors;
}

//===----------------------------------------------------------------------===//
// Values and accumulators
//===----------------------------------------------------------------------===//

SmallVector<TensorId>
NestEmitter::getCarried(ArrayRef<const LoopNode *> nodes) const {
  SmallVector<TensorId> carried;
  for (TensorId tensor : getComputes(nodes))
    if (!states[tensor].accs.empty())
      carried.push_back(tensor);
  return carried;
}

SmallVector<Value>
NestEmitter::getAccumulators(ArrayRef<TensorId> tensors) const {
  SmallVector<Value> values;
  for (TensorId tensor : tensors)
    llvm::append_range(values, states[tensor].accs);
  return values;
}

void NestEmitter::setAccumulators(ArrayRef<TensorId> tensors,
                                  ValueRange values) {
  for (TensorId tensor : tensors) {
    size_t count = states[tensor].accs.size();
    states[tensor].accs = SmallVector<Value>(values.take_front(count));
    values = values.drop_front(count);
  }
}

void NestEmitter::setValues(TensorId tensor, ArrayRef<Value> values) {
  states[tensor].values.assign(values.begin(), values.end());
  known.push_back(tensor);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::emitBody(const std::vector<LoopNode> &body) {
  size_t numKnown = known.size();
  ++level;
  SmallVector<const LoopNode *> nodes;
  SmallVector<Value> allocated;
  for (const LoopNode &node : body) {
    if (node.kind != LoopNode::Kind::Alloc) {
      nodes.push_back(&node);
      continue;
    }
    if (failed(emitAlloc(node)))
      return failure();
    for (Value buffer : states[node.tensor].buffers)
      if (buffer && buffer.getDefiningOp<memref::AllocOp>())
        allocated.push_back(buffer);
  }
  if (failed(emitNodes(nodes)))
    return failure();
  for (Value buffer : llvm::reverse(allocated))
    memref::DeallocOp::create(b, buffer);
  --level;
  // Vectors outlive the loop that they stand for.
  if (lane)
    return success();
  for (TensorId tensor : ArrayRef(known).drop_front(numKnown))
    states[tensor].values.clear();
  known.truncate(numKnown);
  return success();
}

LogicalResult NestEmitter::emitNodes(ArrayRef<const LoopNode *> nodes) {
  while (!nodes.empty()) {
    // The longest run of nodes under the same bounds, not counting nodes
    // that need none at its end: they belong to what follows.
    std::optional<SmallVector<IndexBound>> bounds;
    size_t size = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto own = getOpenBounds(*nodes[i]);
      if (!own)
        continue;
      if (bounds && *bounds != *own)
        break;
      bounds = own;
      size = i + 1;
    }
    if (!bounds)
      size = nodes.size();
    // A reduction is complete after the node, in the body of its init, that
    // updates it.
    auto finishAll = [&](ArrayRef<const LoopNode *> done) -> LogicalResult {
      for (TensorId tensor : getComputes(done))
        if (states[tensor].initLevel == level && failed(finish(tensor)))
          return failure();
      return success();
    };
    ArrayRef<const LoopNode *> run = nodes.take_front(size);
    if (bounds && !bounds->empty()) {
      if (failed(emitGuarded(run, *bounds)) || failed(finishAll(run)))
        return failure();
    } else {
      for (const LoopNode *node : run)
        if (failed(emitNode(*node)) || failed(finishAll(node)))
          return failure();
    }
    nodes = nodes.drop_front(size);
  }
  return success();
}

LogicalResult NestEmitter::emitNode(const LoopNode &node) {
  switch (node.kind) {
  case LoopNode::Kind::Loop:
    return emitLoop(node);
  case LoopNode::Kind::Alloc:
    return emitAlloc(node);
  case LoopNode::Kind::Init:
    return emitInit(node);
  case LoopNode::Kind::Compute:
    emitCompute(node.tensor);
    return success();
  }
  return failure();
}

LogicalResult NestEmitter::emitGuarded(ArrayRef<const LoopNode *> nodes,
                                       ArrayRef<IndexBound> bounds) {
  SmallVector<TensorId> carried = getCarried(nodes);
  SmallVector<Value> before = getAccumulators(carried);
  SmallVector<TensorId> inside = getComputes(nodes), made;
  size_t numKnown = known.size(), numAssumed = assumed.size();

  auto then = [&]() -> FailureOr<SmallVector<Value>> {
    llvm::append_range(assumed, bounds);
    ++level;
    if (failed(emitNodes(nodes)))
      return failure();
    --level;
    assumed.truncate(numAssumed);
    SmallVector<Value> results = getAccumulators(carried);
    // Only values that others read leave the region.
    for (TensorId tensor : ArrayRef(known).drop_front(numKnown)) {
      bool isReadAfter =
          llvm::any_of(schedule.getConsumers(tensor), [&](TensorId reader) {
            return !llvm::is_contained(inside, reader);
          });
      if (isReadAfter) {
        made.push_back(tensor);
        llvm::append_range(results, states[tensor].values);
      } else {
        states[tensor].values.clear();
      }
    }
    known.truncate(numKnown);
    return results;
  };
  auto otherwise = [&](ValueRange results) {
    SmallVector<Value> values(before);
    for (Value result : results.drop_front(before.size()))
      values.push_back(getZero(result.getType()));
    return values;
  };
  FailureOr<SmallVector<Value>> results =
      index->createIf(bounds, then, otherwise);
  if (failed(results))
    return failure();
  setAccumulators(carried, *results);
  ValueRange rest = ValueRange(*results).drop_front(before.size());
  for (TensorId tensor : made) {
    size_t count = states[tensor].values.size();
    setValues(tensor, SmallVector<Value>(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::emitLoop(const LoopNode &node) {
  const LoopClass &loopClass = classes[node.loopClass];
  AffineExpr zero = b.getAffineConstantExpr(0);
  if (isVectorLoop[node.loopClass])
    return withLanes(node.loopClass, [&] { return emitBody(node.body); });

  size_t numAssumed = assumed.size();
  SmallVector<IndexBound> implied;
  std::optional<AffineExpr> peelPoint;
  if (options.peel && copies * 2 <= kMaxCopies)
    peelPoint = getPeelPoint(node, implied);
  if (!peelPoint)
    return emitSegment(node, zero, {loopClass.extent});

  bool isAll = *peelPoint == loopClass.extent;
  copies *= isAll ? 1 : 2;
  llvm::append_range(assumed, implied);
  if (failed(emitSegment(node, zero, {*peelPoint})))
    return failure();
  assumed.truncate(numAssumed);
  if (isAll)
    return success();
  if (failed(emitSegment(node, *peelPoint, {loopClass.extent})))
    return failure();
  copies /= 2;
  return success();
}

LogicalResult NestEmitter::emitSegment(const LoopNode &node, AffineExpr lower,
                                       SmallVector<AffineExpr> uppers) {
  ClassId id = node.loopClass;
  const LoopClass &loopClass = classes[id];
  size_t numAssumed = assumed.size();
  SmallVector<IndexBound> implied;
  llvm::append_range(uppers, getTightBounds(node, implied));
  llvm::append_range(assumed, implied);
  llvm::scope_exit restore([&] { assumed.truncate(numAssumed); });

  // Of constant bounds the least one is enough.
  auto first = dyn_cast<AffineConstantExpr>(lower);
  std::optional<int64_t> least;
  SmallVector<AffineExpr> bounds;
  for (AffineExpr upper : uppers) {
    auto constant = dyn_cast<AffineConstantExpr>(upper);
    if (constant)
      least =
          std::min(least.value_or(constant.getValue()), constant.getValue());
    else
      bounds.push_back(upper);
  }
  if (least)
    bounds.push_back(b.getAffineConstantExpr(*least));
  if (first && least && *least <= first.getValue())
    return success();
  if (first && bounds.size() == 1 && least == first.getValue() + 1) {
    index->bind(id, first.getValue());
    LogicalResult result = emitBody(node.body);
    index->unbind(id);
    return result;
  }

  bool isParallel = loopClass.type == LoopType::Parallel;
  SmallVector<TensorId> carried = getCarried(&node);
  auto body = [&](Value iv, ValueRange args) -> FailureOr<SmallVector<Value>> {
    index->bind(id, iv);
    setAccumulators(carried, args);
    bool wasInParallelLoop = isInParallelLoop;
    isInParallelLoop |= isParallel;
    if (loopClass.type == LoopType::Unroll)
      unrolled.push_back(iv.getParentBlock());
    if (failed(emitBody(node.body)))
      return failure();
    isInParallelLoop = wasInParallelLoop;
    index->unbind(id);
    return getAccumulators(carried);
  };
  FailureOr<SmallVector<Value>> results = index->createLoop(
      lower, bounds, isParallel, getAccumulators(carried), body);
  if (failed(results))
    return failure();
  setAccumulators(carried, *results);
  return success();
}
