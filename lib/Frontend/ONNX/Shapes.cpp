//===- Shapes.cpp - ONNX operators that move elements ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

//===----------------------------------------------------------------------===//
// Reshape and similar operators
//===----------------------------------------------------------------------===//

/// Replaces the values -1 and 0 in the requested shape of a Reshape by sizes.
static void resolveShape(Node &node, Value x, SmallVectorImpl<int64_t> &shape) {
  bool allowZero = node.getInt("allowzero", 0) != 0;
  int64_t unknown = -1, known = 1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 0 && !allowZero) {
      node.require(static_cast<int64_t>(i) < getRank(x),
                   "expects no 0 at index " + Twine(i) +
                       " of the shape, because the operand has only " +
                       Twine(getRank(x)) + " dimensions");
      size = getDim(x, i);
    }
    if (size == -1) {
      node.require(unknown < 0, "expects at most one -1 in the shape");
      unknown = i;
      continue;
    }
    node.require(size >= 0,
                 "expects sizes not to be negative but got " + Twine(size));
    std::optional<int64_t> product = llvm::checkedMul(known, size);
    node.require(product.has_value(), "expects at most 2^56 elements");
    known = *product;
  }
  int64_t count = getTensorType(x).getNumElements();
  if (unknown >= 0) {
    node.require(known != 0 && count % known == 0,
                 "cannot fit " + Twine(count) +
                     " elements into the shape by replacing -1");
    shape[unknown] = count / known;
    return;
  }
  node.require(known == count, "expects a shape of " + Twine(count) +
                                   " elements but got " + Twine(known));
}

static void importReshape(Node &node) {
  std::optional<SmallVector<int64_t>> shape =
      node.getIntsOrInput("shape", 1, 5);
  node.require(shape.has_value(), "expects a shape but got none");
  resolveShape(node, node.getInput(0), *shape);
  node.setResult(node.reshape(node.getInput(0), *shape));
}

static void importFlatten(Node &node) {
  Value x = node.getInput(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 1), getRank(x), true);
  ArrayRef<int64_t> shape = getShape(x);
  node.setResult(node.reshape(x, {getProduct(shape.take_front(axis)),
                                  getProduct(shape.drop_front(axis))}));
}

static void importSqueeze(Node &node) {
  Value x = node.getInput(0);
  SmallVector<int64_t> axes, shape;
  if (auto given = node.getIntsOrInput("axes", 1, 13)) {
    axes = node.normalizeAxes(*given, getRank(x));
    for (int64_t axis : axes)
      node.require(getDim(x, axis) == 1, "expects dimension " + Twine(axis) +
                                             " to have size 1 but got " +
                                             Twine(getDim(x, axis)));
  } else {
    for (auto [i, size] : llvm::enumerate(getShape(x)))
      if (size == 1)
        axes.push_back(i);
  }
  for (auto [i, size] : llvm::enumerate(getShape(x)))
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      shape.push_back(size);
  node.setResult(node.reshape(x, shape));
}

/// The greatest number of dimensions that are added to a tensor.
static constexpr size_t kMaxAdded = 64;

static void importUnsqueeze(Node &node) {
  Value x = node.getInput(0);
  auto given = node.getIntsOrInput("axes", 1, 13);
  node.require(given.has_value(), "expects axes but got none");
  if (given->size() > kMaxAdded)
    node.unsupported("more than " + Twine(kMaxAdded) + " new dimensions");
  SmallVector<int64_t> axes =
      node.normalizeAxes(*given, getRank(x) + given->size());
  SmallVector<int64_t> shape(getShape(x));
  for (int64_t axis : axes)
    shape.insert(shape.begin() + axis, 1);
  node.setResult(node.reshape(x, shape));
}

static void importTranspose(Node &node) {
  Value x = node.getInput(0);
  SmallVector<int64_t> permutation = getAxesFrom(0, getRank(x));
  std::reverse(permutation.begin(), permutation.end());
  if (auto given = node.getOptionalInts("perm"))
    permutation = *given;
  node.setResult(node.transpose(x, permutation));
}

//===----------------------------------------------------------------------===//
// Expand, Tile
//===----------------------------------------------------------------------===//

static void importExpand(Node &node) {
  Value x = node.getInput(0);
  SmallVector<int64_t> shape = node.getConstantInts(1), result;
  SmallVector<int64_t> from(getShape(x));
  size_t rank = std::max(shape.size(), from.size());
  shape.insert(shape.begin(), rank - shape.size(), 1);
  from.insert(from.begin(), rank - from.size(), 1);
  for (auto [a, b] : llvm::zip_equal(from, shape)) {
    node.require(b >= 0,
                 "expects sizes not to be negative but got " + Twine(b));
    node.require(a == b || a == 1 || b == 1,
                 "cannot broadcast size " + Twine(a) + " to " + Twine(b));
    result.push_back(a == 1 ? b : a);
  }
  node.require(pop::isPopShape(result), "expects at most 2^56 elements");
  node.setResult(node.expand(x, result));
}

static void importTile(Node &node) {
  Value x = node.getInput(0);
  SmallVector<int64_t> repeats = node.getConstantInts(1);
  node.require(static_cast<int64_t>(repeats.size()) == getRank(x),
               "expects " + Twine(getRank(x)) + " repeats but got " +
                   Twine(repeats.size()));
  // Each dimension of n elements becomes a dimension of r * n elements: it is
  // reshaped to [1, n], expanded to [r, n] and reshaped again.
  SmallVector<int64_t> split, repeated, result;
  for (auto [size, repeat] : llvm::zip_equal(getShape(x), repeats)) {
    node.require(repeat >= 0,
                 "expects repeats not to be negative but got " + Twine(repeat));
    split.append({1, size});
    repeated.append({repeat, size});
    std::optional<int64_t> product = llvm::checkedMul(size, repeat);
    node.require(product.has_value(), "expects at most 2^56 elements");
    result.push_back(*product);
  }
  node.require(pop::isPopShape(repeated) && pop::isPopShape(result),
               "expects at most 2^56 elements");
  node.setResult(
      node.reshape(node.expand(node.reshape(x, split), repeated), result));
}

//===----------------------------------------------------------------------===//
// Concat, Split
//===----------------------------------------------------------------------===//

static void importConcat(Node &node) {
  int64_t axis =
      node.getOpset() < 4 ? node.getInt("axis", 1) : node.getInt("axis");
  SmallVector<Value> inputs = node.getAllInputs();
  axis = node.normalizeAxis(axis, getRank(inputs.front()));
  node.setResult(node.concat(inputs, axis));
}

/// Returns the sizes of `count` parts of a dimension of `size` elements.
static SmallVector<int64_t> getSplitSizes(Node &node, int64_t size,
                                          int64_t count) {
  int64_t numOutputs = node.getNumOutputs();
  if (node.getOpset() >= 18) {
    count = node.getInt("num_outputs");
    node.require(count == numOutputs, "expects " + Twine(count) +
                                          " outputs but got " +
                                          Twine(numOutputs));
    // The last part may be smaller.
    int64_t chunk = llvm::divideCeil(size, count);
    SmallVector<int64_t> sizes;
    for (int64_t left = size; count > 0; --count, left -= sizes.back())
      sizes.push_back(std::min(chunk, left));
    return sizes;
  }
  node.require(size % count == 0, "cannot split dimension of size " +
                                      Twine(size) + " into " + Twine(count) +
                                      " equal parts");
  return SmallVector<int64_t>(count, size / count);
}

static void importSplit(Node &node) {
  Value x = node.getInput(0);
  if (node.getOpset() < 2 && node.getNumInputs() > 1)
    node.unsupported("sizes as an input in opset 1");
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), getRank(x));
  int64_t size = getDim(x, axis), numOutputs = node.getNumOutputs();
  SmallVector<int64_t> sizes;
  if (auto given = node.getIntsOrInput("split", 1, 13))
    sizes = *given;
  else
    sizes = getSplitSizes(node, size, numOutputs);
  node.require(static_cast<int64_t>(sizes.size()) == numOutputs,
               "expects " + Twine(sizes.size()) + " outputs but got " +
                   Twine(numOutputs));
  int64_t start = 0;
  for (auto [i, part] : llvm::enumerate(sizes)) {
    node.require(part >= 0 && part <= size - start,
                 "cannot split dimension of size " + Twine(size) +
                     " into the given parts");
    node.setResult(i, node.slice(x, axis, start, part));
    start += part;
  }
  node.require(start == size, "expects parts of " + Twine(size) +
                                  " elements in all but got " + Twine(start));
}

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

static int64_t getBlockSize(Node &node) {
  Value x = node.getInput(0);
  node.require(getRank(x) == 4,
               "expects an operand of rank 4 but got " + Twine(getRank(x)));
  int64_t block = node.getInt("blocksize");
  node.require(block > 0 && block < (1 << 20),
               "expects a positive 'blocksize' but got " + Twine(block));
  node.require(!llvm::is_contained(getShape(x), 0),
               "expects an operand with elements but got none");
  return block;
}

static void importDepthToSpace(Node &node) {
  Value x = node.getInput(0);
  int64_t b = getBlockSize(node);
  int64_t n = getDim(x, 0), c = getDim(x, 1), h = getDim(x, 2),
          w = getDim(x, 3);
  node.require(c % (b * b) == 0, "expects a multiple of " + Twine(b * b) +
                                     " channels but got " + Twine(c));
  std::string mode = node.getString("mode", "DCR");
  node.require(mode == "DCR" || mode == "CRD",
               "expects 'mode' to be DCR or CRD but got '" + mode + "'");
  c /= b * b;
  if (mode == "DCR")
    x = node.transpose(node.reshape(x, {n, b, b, c, h, w}), {0, 3, 4, 1, 5, 2});
  else
    x = node.transpose(node.reshape(x, {n, c, b, b, h, w}), {0, 1, 4, 2, 5, 3});
  node.setResult(node.reshape(x, {n, c, h * b, w * b}));
}

static void importSpaceToDepth(Node &node) {
  Value x = node.getInput(0);
  int64_t b = getBlockSize(node);
  int64_t n = getDim(x, 0), c = getDim(x, 1), h = getDim(x, 2),
          w = getDim(x, 3);
  node.require(h % b == 0 && w % b == 0,
               "expects spatial dimensions to be multiples of " + Twine(b) +
                   " but got " + Twine(h) + " and " + Twine(w));
  x = node.transpose(node.reshape(x, {n, c, h / b, b, w / b, b}),
                     {0, 3, 5, 1, 2, 4});
  node.setResult(node.reshape(x, {n, c * b * b, h / b, w / b}));
}

ArrayRef<OpEntry> ipu::onnx::getShapeOps() {
  static const OpEntry kOps[] = {
      {"Concat", 1, 1, -1, 1, importConcat},
      {"DepthToSpace", 1, 1, 1, 1, importDepthToSpace},
      {"Expand", 8, 2, 2, 1, importExpand, "constant shape"},
      {"Flatten", 1, 1, 1, 1, importFlatten},
      {"Reshape", 1, 1, 2, 1, importReshape, "constant shape"},
      {"SpaceToDepth", 1, 1, 1, 1, importSpaceToDepth},
      {"Split", 1, 1, 2, -1, importSplit, "constant sizes"},
      {"Squeeze", 1, 1, 2, 1, importSqueeze, "constant axes"},
      {"Tile", 6, 2, 2, 1, importTile, "constant repeats"},
      {"Transpose", 1, 1, 1, 1, importTranspose},
      {"Unsqueeze", 1, 1, 2, 1, importUnsqueeze, "constant axes"},
  };
  return kOps;
}
