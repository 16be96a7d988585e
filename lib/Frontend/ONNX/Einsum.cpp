//===- Einsum.cpp - ONNX Einsum -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An equation is a sequence of products of two operands. The pair with the
// fewest products of elements comes first.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

namespace {
/// The name of a dimension: a letter, or kFirstEllipsis + i for the dimension
/// of an ellipsis before which there are i others, counted from its end.
using Label = int;
using Labels = SmallVector<Label>;
constexpr Label kFirstEllipsis = 256;

/// A tensor whose dimensions have distinct labels.
struct Factor {
  Value value;
  Labels labels;
};

class Einsum {
public:
  explicit Einsum(Node &node);
  Value build();

private:
  Labels parseLabels(StringRef text, int64_t ellipsisRank);
  Factor parseOperand(StringRef text, Value value);
  Labels getImplicitResult(ArrayRef<Labels> operands) const;
  Factor takeDiagonals(Value value, ArrayRef<Label> labels);
  void recordSizes(const Factor &factor);
  Factor dropBroadcast(Factor factor);
  bool isNeeded(Label label, ArrayRef<const Factor *> done) const;
  Factor sumUnneeded(Factor factor);
  double getCost(const Factor &a, const Factor &b) const;
  Factor multiply(const Factor &a, const Factor &b);
  void multiplyCheapest();
  SmallVector<int64_t> getSizes(ArrayRef<Label> labels) const;
  Factor arrange(const Factor &factor, ArrayRef<Label> labels);
  Factor expandTo(const Factor &factor, ArrayRef<Label> labels);

  Node &node;
  std::string equation;
  std::vector<Factor> factors;
  Labels result;
  /// The greatest rank of an ellipsis.
  int64_t ellipsisRank = 0;
  llvm::DenseMap<Label, int64_t> sizes;
};
} // namespace

static bool contains(ArrayRef<Label> labels, Label label) {
  return llvm::is_contained(labels, label);
}

//===----------------------------------------------------------------------===//
// The equation
//===----------------------------------------------------------------------===//

/// Returns the labels of a factor, whose ellipsis stands for `rank` dimensions.
Labels Einsum::parseLabels(StringRef text, int64_t rank) {
  Labels labels;
  bool hasEllipsis = false;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      node.require(!hasEllipsis,
                   "expects at most one ellipsis in each operand of "
                   "equation '" +
                       equation + "'");
      hasEllipsis = true;
      for (int64_t i = rank; i > 0; --i)
        labels.push_back(kFirstEllipsis + static_cast<Label>(i) - 1);
      continue;
    }
    node.require(llvm::isAlpha(text.front()),
                 "expects letters, ellipses, commas and one arrow in equation "
                 "'" +
                     equation + "'");
    labels.push_back(text.front());
    text = text.drop_front();
  }
  return labels;
}

Factor Einsum::parseOperand(StringRef text, Value value) {
  int64_t rank = getRank(value);
  int64_t numLetters = llvm::count_if(text, llvm::isAlpha);
  bool hasEllipsis = text.contains("...");
  int64_t rest = rank - numLetters;
  node.require(hasEllipsis ? rest >= 0 : rest == 0,
               "expects operands with the ranks of equation '" + equation +
                   "' but got " + quote(value.getType()));
  ellipsisRank = std::max(ellipsisRank, rest);
  return {value, parseLabels(text, rest)};
}

/// Returns the labels of a result that the equation does not state: the
/// dimensions of ellipses, then the letters that occur once.
Labels Einsum::getImplicitResult(ArrayRef<Labels> operands) const {
  Labels all, labels;
  for (const Labels &operand : operands)
    llvm::append_range(all, operand);
  for (int64_t i = ellipsisRank; i > 0; --i)
    labels.push_back(kFirstEllipsis + static_cast<Label>(i) - 1);
  llvm::sort(all);
  for (Label label : all)
    if (label < kFirstEllipsis && llvm::count(all, label) == 1)
      labels.push_back(label);
  return labels;
}

Einsum::Einsum(Node &node)
    : node(node), equation(node.getString("equation", "")) {
  std::string text = equation;
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> operands;
  left.split(operands, ',');
  node.require(operands.size() == node.getNumInputs(),
               "expects " + Twine(operands.size()) + " inputs for equation '" +
                   equation + "' but got " + Twine(node.getNumInputs()));
  SmallVector<Labels> labels;
  std::vector<Factor> parsed;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    parsed.push_back(parseOperand(operand, node.getInput(i)));
    labels.push_back(parsed.back().labels);
  }
  bool isExplicit = StringRef(text).contains("->");
  result =
      isExplicit ? parseLabels(right, ellipsisRank) : getImplicitResult(labels);
  for (const Factor &factor : parsed) {
    factors.push_back(takeDiagonals(factor.value, factor.labels));
    recordSizes(factors.back());
  }
  for (Label label : result)
    node.require(sizes.contains(label) && llvm::count(result, label) == 1,
                 "expects each letter of the result once, and in an operand of "
                 "equation '" +
                     equation + "'");
  for (Factor &factor : factors)
    factor = dropBroadcast(factor);
}

/// Merges dimensions of `value` with equal labels into their diagonal.
Factor Einsum::takeDiagonals(Value value, ArrayRef<Label> labels) {
  Factor factor{value, Labels(labels)};
  for (size_t i = 0; i < factor.labels.size(); ++i)
    for (size_t j = factor.labels.size() - 1; j > i; --j) {
      if (factor.labels[i] != factor.labels[j])
        continue;
      int64_t size = getDim(factor.value, i);
      node.require(size == getDim(factor.value, j),
                   "expects equal sizes for '" +
                       Twine(static_cast<char>(factor.labels[i])) +
                       "' but got " + quote(value.getType()));
      // The dimensions i and j become the last ones, and then one dimension.
      SmallVector<int64_t> order, shape;
      for (int64_t k = 0; k < getRank(factor.value); ++k)
        if (k != static_cast<int64_t>(i) && k != static_cast<int64_t>(j)) {
          order.push_back(k);
          shape.push_back(getDim(factor.value, k));
        }
      int64_t last = shape.size();
      order.append({static_cast<int64_t>(i), static_cast<int64_t>(j)});
      shape.push_back(size * size);
      Value square = node.reshape(node.transpose(factor.value, order), shape);
      factor.value = node.slice(square, last, 0, size, size + 1);
      Label label = factor.labels[i];
      factor.labels.erase(factor.labels.begin() + j);
      factor.labels.erase(factor.labels.begin() + i);
      factor.labels.push_back(label);
      return takeDiagonals(factor.value, factor.labels);
    }
  return factor;
}

void Einsum::recordSizes(const Factor &factor) {
  for (auto [label, size] :
       llvm::zip_equal(factor.labels, getShape(factor.value))) {
    auto [it, isNew] = sizes.try_emplace(label, size);
    node.require(isNew || size == it->second || size == 1 || it->second == 1,
                 "expects dimensions that broadcast in equation '" + equation +
                     "' but got sizes " + Twine(it->second) + " and " +
                     Twine(size) + " of one dimension");
    if (it->second == 1)
      it->second = size;
  }
}

/// Removes dimensions of size 1 that are repeated.
Factor Einsum::dropBroadcast(Factor factor) {
  Labels kept;
  SmallVector<int64_t> shape;
  for (auto [label, size] :
       llvm::zip_equal(factor.labels, getShape(factor.value)))
    if (size == sizes[label]) {
      kept.push_back(label);
      shape.push_back(size);
    }
  return {node.reshape(factor.value, shape), kept};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns whether the result or a factor that is not in `done` has the label.
bool Einsum::isNeeded(Label label, ArrayRef<const Factor *> done) const {
  return contains(result, label) ||
         llvm::any_of(factors, [&](const Factor &factor) {
           return !llvm::is_contained(done, &factor) &&
                  contains(factor.labels, label);
         });
}

/// Sums the dimensions of a factor that only this factor has. The factor is not
/// one of `factors`.
Factor Einsum::sumUnneeded(Factor factor) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [i, label] : llvm::enumerate(factor.labels))
    if (isNeeded(label, {}))
      kept.push_back(label);
    else
      axes.push_back(i);
  if (axes.empty())
    return factor;
  return {node.sum(factor.value, axes), kept};
}

SmallVector<int64_t> Einsum::getSizes(ArrayRef<Label> labels) const {
  return llvm::map_to_vector(labels,
                             [&](Label label) { return sizes.lookup(label); });
}

/// Returns the number of products of elements of two factors.
double Einsum::getCost(const Factor &a, const Factor &b) const {
  double cost = 1;
  for (Label label : a.labels)
    cost *= static_cast<double>(sizes.lookup(label));
  for (Label label : b.labels)
    if (!contains(a.labels, label))
      cost *= static_cast<double>(sizes.lookup(label));
  return cost;
}

/// Transposes a factor to `labels`, which are all its labels.
Factor Einsum::arrange(const Factor &factor, ArrayRef<Label> labels) {
  SmallVector<int64_t> permutation;
  for (Label label : labels)
    permutation.push_back(llvm::find(factor.labels, label) -
                          factor.labels.begin());
  return {node.transpose(factor.value, permutation), Labels(labels)};
}

/// Transposes a factor to `labels`, of which it may lack some. These dimensions
/// have size 1.
Factor Einsum::expandTo(const Factor &factor, ArrayRef<Label> labels) {
  Labels own;
  SmallVector<int64_t> shape;
  for (Label label : labels) {
    bool has = contains(factor.labels, label);
    if (has)
      own.push_back(label);
    shape.push_back(has ? sizes[label] : 1);
  }
  return {node.reshape(arrange(factor, own).value, shape), Labels(labels)};
}

/// Multiplies two factors, and sums the dimensions that nothing else needs.
Factor Einsum::multiply(const Factor &a, const Factor &b) {
  Labels batch, rows, columns, inner;
  for (Label label : a.labels)
    if (!contains(b.labels, label))
      rows.push_back(label);
    else if (isNeeded(label, {&a, &b}))
      batch.push_back(label);
    else
      inner.push_back(label);
  for (Label label : b.labels)
    if (!contains(a.labels, label))
      columns.push_back(label);
  Labels kept = batch;
  llvm::append_range(kept, rows);
  llvm::append_range(kept, columns);
  // Without a sum, a product of elements needs no matrices.
  if (inner.empty()) {
    Value left = expandTo(a, kept).value, right = expandTo(b, kept).value;
    return {node.mul(left, right), kept};
  }
  auto toMatrices = [&](const Factor &factor, ArrayRef<Label> first,
                        ArrayRef<Label> second) {
    Labels order = batch;
    llvm::append_range(order, first);
    llvm::append_range(order, second);
    return node.reshape(arrange(factor, order).value,
                        {getProduct(getSizes(batch)),
                         getProduct(getSizes(first)),
                         getProduct(getSizes(second))});
  };
  Value product = node.create<pop::MatmulOp>(
      {toMatrices(a, rows, inner), toMatrices(b, inner, columns)});
  return {node.reshape(product, getSizes(kept)), kept};
}

/// Replaces the two factors whose product costs least by their product.
void Einsum::multiplyCheapest() {
  size_t first = 0, second = 1;
  for (size_t i = 0; i < factors.size(); ++i)
    for (size_t j = i + 1; j < factors.size(); ++j)
      if (getCost(factors[i], factors[j]) <
          getCost(factors[first], factors[second]))
        std::tie(first, second) = std::make_pair(i, j);
  Factor product = multiply(factors[first], factors[second]);
  factors.erase(factors.begin() + second);
  factors[first] = std::move(product);
}

Value Einsum::build() {
  for (Factor &factor : factors) {
    Factor taken = std::exchange(factor, {});
    factor = sumUnneeded(std::move(taken));
  }
  while (factors.size() > 1)
    multiplyCheapest();
  // Dimensions that were of size 1 in all factors but one are in this one, so
  // that the last factor has all labels of the result.
  return arrange(factors.front(), result).value;
}

static void importEinsum(Node &node) { node.setResult(Einsum(node).build()); }

ArrayRef<OpEntry> ipu::onnx::getEinsumOps() {
  static const OpEntry kOps[] = {
      {"Einsum", 12, 1, -1, 1, importEinsum,
       "all equations; the pair of operands with the fewest products is "
       "multiplied first"},
  };
  return kOps;
}
