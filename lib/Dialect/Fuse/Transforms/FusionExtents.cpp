//===- FusionExtents.cpp - Sizes of the loops of a fusion -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionExtents.h"

#include "FusionViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

FusionExtents::FusionExtents(FusionOp fusion,
                             SmallVectorImpl<FusionSchedule::Symbol> &symbols)
    : context(fusion.getContext()), symbols(symbols) {
  Block &block = fusion.getBody().front();
  for (BlockArgument argument : block.getArguments())
    addTensor(argument);
  for (Operation &op : block) {
    for (Value result : op.getResults())
      addTensor(result);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      addOp(linalgOp);
    else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      uniteSizes(empty, empty.getMixedSizes());
    else if (isView(&op))
      addView(&op);
  }
}

void FusionExtents::addView(Operation *view) {
  auto uniteKept = [&](auto groups, Value grouped, Value single) {
    for (auto [dim, group] : llvm::enumerate(groups))
      if (group.size() == 1)
        unite(tensors[single] + dim, tensors[grouped] + group.front());
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view)) {
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(dim))
        sizes.push_back(size);
    uniteSizes(slice, sizes);
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    uniteKept(expand.getReassociationIndices(), expand, expand.getSrc());
  } else {
    auto collapse = cast<tensor::CollapseShapeOp>(view);
    uniteKept(collapse.getReassociationIndices(), collapse.getSrc(), collapse);
  }
}

unsigned FusionExtents::addNode(Value value, unsigned dim) {
  Node &node = nodes.emplace_back();
  node.parent = nodes.size() - 1;
  node.value = value;
  node.dim = dim;
  return node.parent;
}

void FusionExtents::addTensor(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return;
  tensors[tensor] = nodes.size();
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    unsigned node = addNode(tensor, dim);
    if (!ShapedType::isDynamic(size))
      nodes[node].constant = size;
  }
}

void FusionExtents::addOp(linalg::LinalgOp op) {
  unsigned first = loops[op] = nodes.size();
  for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
    addNode(nullptr, loop);
  auto uniteWith = [&](Value tensor, AffineMap map) {
    auto it = tensors.find(tensor);
    if (it == tensors.end())
      return;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        unite(it->second + dim, first + loop.getPosition());
  };
  for (OpOperand &operand : op->getOpOperands())
    uniteWith(operand.get(), op.getMatchingIndexingMap(&operand));
  for (OpResult result : op->getResults())
    uniteWith(result, op.getIndexingMapMatchingResult(result));
}

void FusionExtents::uniteSizes(Value empty, ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    unsigned node = tensors[empty] + dim;
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      if (*constant >= 0 && !nodes[find(node)].constant)
        nodes[find(node)].constant = constant;
      continue;
    }
    Value scalar = cast<Value>(size);
    auto dimOp = scalar.getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> index;
    if (dimOp)
      index = dimOp.getConstantIndex();
    auto source = dimOp ? tensors.find(dimOp.getSource()) : tensors.end();
    // An index out of range is undefined, but no reason to crash.
    if (index && source != tensors.end() && *index >= 0 &&
        *index < cast<RankedTensorType>(dimOp.getSource().getType()).getRank())
      unite(node, source->second + *index);
    else
      unite(node, scalars.insert({scalar, node}).first->second);
  }
}

unsigned FusionExtents::find(unsigned node) {
  while (nodes[node].parent != node) {
    nodes[node].parent = nodes[nodes[node].parent].parent;
    node = nodes[node].parent;
  }
  return node;
}

void FusionExtents::unite(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  // Symbols are named by values, so a loop never stands for a set with values.
  if (b < a)
    std::swap(a, b);
  if (!nodes[a].value && nodes[b].value)
    std::swap(a, b);
  nodes[b].parent = a;
  if (!nodes[a].constant)
    nodes[a].constant = nodes[b].constant;
}

AffineExpr FusionExtents::get(unsigned node) {
  Node &set = nodes[find(node)];
  if (set.extent)
    return set.extent;
  if (set.constant)
    return set.extent = getAffineConstantExpr(*set.constant, context);
  if (!set.value)
    return {};
  set.extent = getAffineSymbolExpr(symbols.size(), context);
  symbols.push_back({set.value, set.dim});
  return set.extent;
}

AffineExpr FusionExtents::getDim(Value tensor, unsigned dim) {
  return get(tensors.at(tensor) + dim);
}

AffineExpr FusionExtents::getLoop(linalg::LinalgOp op, unsigned loop) {
  return get(loops.at(op) + loop);
}

void FusionExtents::setDim(Value tensor, unsigned dim, AffineExpr extent) {
  Node &set = nodes[find(tensors.at(tensor) + dim)];
  if (!set.constant && !set.extent)
    set.extent = extent;
}
