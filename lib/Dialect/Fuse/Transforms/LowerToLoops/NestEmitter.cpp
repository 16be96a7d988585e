//===- NestEmitter.cpp - Loops and the values that they carry -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::fuse;

/// The most copies of a statement that peeling makes.
static constexpr unsigned kMaxCopies = 16;

NestEmitter::NestEmitter(NestContext &context, bool peel)
    : context(context), index(context.index), peel(peel), bounds(context),
      vectors(context, bounds), statements(context, vectors),
      accumulators(context, bounds, statements, vectors), temporaries(context) {
}

static void collectComputes(const LoopNode &node,
                            SmallVectorImpl<TensorId> &tensors) {
  if (node.kind == LoopNode::Kind::Compute)
    tensors.push_back(node.tensor);
  for (const LoopNode &child : node.body)
    collectComputes(child, tensors);
}

/// The tensors that `nodes` compute or update.
static SmallVector<TensorId> getComputes(ArrayRef<const LoopNode *> nodes) {
  SmallVector<TensorId> tensors;
  for (const LoopNode *node : nodes)
    collectComputes(*node, tensors);
  return tensors;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::emitBody(const std::vector<LoopNode> &body) {
  size_t numKnown = context.known.size();
  ++depth;
  SmallVector<const LoopNode *> nodes;
  SmallVector<Value> heap;
  for (const LoopNode &node : body) {
    if (node.kind != LoopNode::Kind::Alloc)
      nodes.push_back(&node);
    else if (failed(temporaries.allocate(node, isInParallelLoop, heap)))
      return failure();
  }
  if (failed(emitNodes(nodes)))
    return failure();
  for (Value buffer : llvm::reverse(heap))
    memref::DeallocOp::create(context.b, buffer);
  --depth;
  // Vectors outlive the loop that they stand for.
  if (!context.lanes)
    context.forgetValues(numKnown);
  return success();
}

std::pair<NestEmitter::Nodes, SmallVector<IndexBound>>
NestEmitter::getRun(Nodes nodes) const {
  // Nodes that need no bounds at the end of it belong to what follows.
  std::optional<SmallVector<IndexBound>> guards;
  size_t size = 0;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    std::optional<SmallVector<IndexBound>> own = bounds.getOpenBounds(*node);
    if (!own)
      continue;
    if (guards && *guards != *own)
      break;
    guards = own;
    size = i + 1;
  }
  if (!guards)
    return {nodes, {}};
  return {nodes.take_front(size), *guards};
}

LogicalResult NestEmitter::emitNodes(Nodes nodes) {
  while (!nodes.empty()) {
    auto [run, guards] = getRun(nodes);
    if (!guards.empty()) {
      if (failed(emitGuarded(run, guards)) || failed(finish(run)))
        return failure();
    } else {
      for (const LoopNode *node : run)
        if (failed(emitNode(*node)) || failed(finish(node)))
          return failure();
    }
    nodes = nodes.drop_front(run.size());
  }
  return success();
}

LogicalResult NestEmitter::finish(Nodes done) {
  // A reduction is complete after the node, in the body of its init, that
  // updates it.
  for (TensorId tensor : getComputes(done)) {
    auto init = initDepths.find(tensor);
    if (init == initDepths.end() || init->second != depth)
      continue;
    initDepths.erase(init);
    if (failed(accumulators.finish(tensor)))
      return failure();
  }
  return success();
}

LogicalResult NestEmitter::emitNode(const LoopNode &node) {
  switch (node.kind) {
  case LoopNode::Kind::Loop:
    return emitLoop(node);
  case LoopNode::Kind::Init:
    initDepths[node.tensor] = depth;
    return accumulators.emitInit(node);
  case LoopNode::Kind::Compute:
    statements.emitCompute(node.tensor);
    return success();
  case LoopNode::Kind::Alloc:
    break;
  }
  llvm_unreachable("emitBody allocates");
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Those of `tensors` that others than `inside` read.
static SmallVector<TensorId> getReadOutside(const Schedule &schedule,
                                            ArrayRef<TensorId> tensors,
                                            ArrayRef<TensorId> inside) {
  return llvm::filter_to_vector(tensors, [&](TensorId tensor) {
    return llvm::any_of(schedule.getConsumers(tensor), [&](TensorId reader) {
      return !llvm::is_contained(inside, reader);
    });
  });
}

LogicalResult NestEmitter::emitGuarded(Nodes nodes,
                                       ArrayRef<IndexBound> guards) {
  SmallVector<TensorId> inside = getComputes(nodes), made;
  SmallVector<TensorId> carried = accumulators.getCarried(inside);
  SmallVector<Value> before = accumulators.getValues(carried);

  auto then = [&]() -> FailureOr<SmallVector<Value>> {
    size_t numKnown = context.known.size();
    auto assumption = bounds.assume(guards);
    ++depth;
    if (failed(emitNodes(nodes)))
      return failure();
    --depth;
    SmallVector<Value> results = accumulators.getValues(carried);
    made = getReadOutside(context.schedule,
                          ArrayRef(context.known).drop_front(numKnown), inside);
    for (TensorId tensor : made)
      llvm::append_range(results, context.states[tensor].values);
    context.forgetValues(numKnown);
    return results;
  };
  auto otherwise = [&](ValueRange results) {
    SmallVector<Value> values(before);
    for (Value result : results.drop_front(before.size()))
      values.push_back(statements.createZero(result.getType()));
    return values;
  };
  FailureOr<SmallVector<Value>> results =
      index.createIf(guards, then, otherwise);
  if (failed(results))
    return failure();
  accumulators.setValues(carried, *results);
  ArrayRef<Value> rest = ArrayRef(*results).drop_front(before.size());
  for (TensorId tensor : made) {
    size_t count = context.fusion.getOp(tensor)->getNumResults();
    context.setValues(tensor, rest.take_front(count));
    rest = rest.drop_front(count);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::emitLoop(const LoopNode &node) {
  if (context.isVectorLoop[node.loopClass])
    return context.lanes.run(node.loopClass,
                             [&] { return emitBody(node.body); });
  AffineExpr extent = context.classes[node.loopClass].extent;
  AffineExpr zero = context.b.getAffineConstantExpr(0);
  SmallVector<IndexBound> implied;
  std::optional<AffineExpr> peelPoint;
  if (peel && copies * 2 <= kMaxCopies)
    peelPoint = bounds.getPeelPoint(node, implied);
  if (!peelPoint)
    return emitSegment(node, zero, extent);

  unsigned copiesAround = copies;
  bool isAll = *peelPoint == extent;
  copies *= isAll ? 1 : 2;
  {
    auto assumption = bounds.assume(implied);
    if (failed(emitSegment(node, zero, *peelPoint)))
      return failure();
  }
  if (!isAll && failed(emitSegment(node, *peelPoint, extent)))
    return failure();
  copies = copiesAround;
  return success();
}

/// Takes out the constant bounds. Returns the least one, which is enough.
static std::optional<int64_t>
takeConstants(SmallVectorImpl<AffineExpr> &bounds) {
  std::optional<int64_t> least;
  llvm::erase_if(bounds, [&](AffineExpr bound) {
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    if (constant)
      least =
          std::min(least.value_or(constant.getValue()), constant.getValue());
    return bool(constant);
  });
  return least;
}

LogicalResult NestEmitter::emitSegment(const LoopNode &node, AffineExpr lower,
                                       AffineExpr upper) {
  SmallVector<IndexBound> implied;
  SmallVector<AffineExpr> uppers = {upper};
  llvm::append_range(uppers, bounds.getTightBounds(node, implied));
  auto assumption = bounds.assume(implied);

  std::optional<int64_t> least = takeConstants(uppers);
  if (least)
    uppers.push_back(context.b.getAffineConstantExpr(*least));
  auto first = dyn_cast<AffineConstantExpr>(lower);
  if (first && least && *least <= first.getValue())
    return success();
  if (!first || uppers.size() > 1 || least != first.getValue() + 1)
    return emitIterations(node, lower, uppers);
  // One iteration.
  index.bind(node.loopClass, first.getValue());
  LogicalResult result = emitBody(node.body);
  index.unbind(node.loopClass);
  return result;
}

LogicalResult NestEmitter::emitIterations(const LoopNode &node,
                                          AffineExpr lower,
                                          ArrayRef<AffineExpr> uppers) {
  LoopType type = context.classes[node.loopClass].type;
  bool isParallel = type == LoopType::Parallel;
  SmallVector<TensorId> carried = accumulators.getCarried(getComputes(&node));
  auto body = [&](Value iv, ValueRange args) -> FailureOr<SmallVector<Value>> {
    index.bind(node.loopClass, iv);
    accumulators.setValues(carried, args);
    llvm::SaveAndRestore inParallelLoop(isInParallelLoop,
                                        isInParallelLoop || isParallel);
    if (type == LoopType::Unroll)
      unrolled.push_back(iv.getParentBlock());
    if (failed(emitBody(node.body)))
      return failure();
    index.unbind(node.loopClass);
    return accumulators.getValues(carried);
  };
  FailureOr<SmallVector<Value>> results = index.createLoop(
      lower, uppers, isParallel, accumulators.getValues(carried), body);
  if (failed(results))
    return failure();
  accumulators.setValues(carried, *results);
  return success();
}
