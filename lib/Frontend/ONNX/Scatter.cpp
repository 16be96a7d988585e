//===- Scatter.cpp - ONNX scatters ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::ScatterKind;

/// Returns the combiner that the attribute `reduction` selects.
static ScatterKind getScatterKind(Node &node) {
  std::string reduction = node.getString("reduction", "none");
  bool hasExtremes = node.getOpset() >= 18;
  if (reduction == "none")
    return ScatterKind::Replace;
  if (reduction == "add")
    return ScatterKind::Add;
  if (reduction == "mul")
    return ScatterKind::Mul;
  if (reduction == "max" && hasExtremes)
    return ScatterKind::Max;
  if (reduction == "min" && hasExtremes)
    return ScatterKind::Min;
  node.fail(
      "expects 'reduction' to be none, add, mul or, from opset 18 on, max "
      "or min but got '" +
      reduction + "'");
}

/// The sum and the product of bools are their disjunction and conjunction.
static ScatterKind getBoolKind(ScatterKind kind) {
  return kind == ScatterKind::Add   ? ScatterKind::Max
         : kind == ScatterKind::Mul ? ScatterKind::Min
                                    : kind;
}

static Value scatter(Node &node, Value x, Value indices, Value updates,
                     int64_t numBatch) {
  ScatterKind kind = getScatterKind(node);
  Type type = getElement(x);
  if (type.isInteger(1) && kind != ScatterKind::Replace) {
    kind = getBoolKind(kind);
    x = node.cast(x, node.getI32Type());
    updates = node.cast(updates, node.getI32Type());
  }
  Value y = node.create<pop::ScatterOp>(
      {x, indices, updates},
      {node.attr("kind", pop::ScatterKindAttr::get(node.getContext(), kind)),
       node.attr("batch_dims", numBatch)},
      x.getType());
  return node.cast(y, type);
}

static void importScatterElements(Node &node) {
  Value x = node.getInput(0), indices = node.getInput(1),
        updates = node.getInput(2);
  int64_t rank = getRank(x);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  requireIndices(node, getElement(indices));
  node.require(getRank(indices) == rank &&
                   getShape(indices) == getShape(updates),
               "expects indices and updates of one shape of rank " +
                   Twine(rank) + " but got " + quote(indices.getType()) +
                   " and " + quote(updates.getType()));
  SmallVector<int64_t> high;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t count = getDim(indices, i);
    node.require(i == axis || count <= getDim(x, i),
                 "expects at most " + Twine(getDim(x, i)) +
                     " indices along dimension " + Twine(i) + " but got " +
                     Twine(count));
    high.push_back(i == axis ? 0 : getDim(x, i) - count);
  }
  // Each position in the other dimensions is a batch, whose rows have one
  // element. A batch without indices gets negative ones, which have no effect.
  SmallVector<int64_t> low(rank, 0), order = getAxesFrom(0, rank);
  indices = normalizeIndices(node, indices, getDim(x, axis));
  indices = node.pad(indices, low, high,
                     node.getIntegerAttr(getElement(indices), -1));
  updates = node.pad(updates, low, high);
  std::swap(order[axis], order.back());
  Value y =
      scatter(node, node.transpose(x, order), node.transpose(indices, order),
              node.transpose(updates, order), rank - 1);
  node.setResult(node.transpose(y, order));
}

static void importScatterND(Node &node) {
  Value x = node.getInput(0), indices = node.getInput(1),
        updates = node.getInput(2);
  requireIndices(node, getElement(indices));
  int64_t last = getRank(indices) - 1;
  node.require(last >= 0, "expects indices of rank 1 or more but got " +
                              quote(indices.getType()));
  int64_t depth = getDim(indices, last);
  node.require(depth >= 1 && depth <= getRank(x),
               "expects the last dimension of the indices between 1 and " +
                   Twine(getRank(x)) + " but got " + Twine(depth));
  ArrayRef<int64_t> shape = getShape(x);
  SmallVector<int64_t> rows = {getProduct(shape.take_front(depth))};
  llvm::append_range(rows, shape.drop_front(depth));
  indices = mergeIndices(node, indices, shape.take_front(depth));
  Value y = scatter(node, node.reshape(x, rows), indices, updates, 0);
  node.setResult(node.reshape(y, shape));
}

static void importScatter(Node &node) {
  node.require(node.getOpset() < 11,
               "expects ScatterElements from opset 11 on");
  importScatterElements(node);
}

ArrayRef<OpEntry> ipu::onnx::getScatterOps() {
  static const OpEntry kOps[] = {
      {"Scatter", 9, 3, 3, 1, importScatter,
       "up to opset 10; as `ScatterElements`"},
      {"ScatterElements", 11, 3, 3, 1, importScatterElements,
       "updates in row-major order; of several updates of an element, the last "
       "one stays; an index that is out of range has no effect; in f32 for "
       "narrower floats"},
      {"ScatterND", 11, 3, 3, 1, importScatterND, "as `ScatterElements`"},
  };
  return kOps;
}
