//===- PopSortOp.cpp - Sorts along an axis ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On one tile, a heap sorts a row in the memory of the result. A long row is
// sorted over tiles by a bitonic network: its stages are sorts of rows of two
// elements, which are parts of the same op.
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileForm;
using mlir::ipu::TileSplit;

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

ParseResult mlir::pop::parseSortOrders(OpAsmParser &parser, ArrayAttr &orders) {
  SmallVector<Attribute> parsed;
  auto parseOrder = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<SortOrder> order = symbolizeSortOrder(name);
    if (!order)
      return parser.emitError(loc)
             << "expects an order of keys but got '" << name << "'";
    parsed.push_back(SortOrderAttr::get(parser.getContext(), *order));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOrder))
    return failure();
  orders = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

void mlir::pop::printSortOrders(OpAsmPrinter &printer, Operation *,
                                ArrayAttr orders) {
  printer << '[';
  llvm::interleaveComma(orders.getAsRange<SortOrderAttr>(), printer,
                        [&](SortOrderAttr order) {
                          printer << stringifySortOrder(order.getValue());
                        });
  printer << ']';
}

void SortOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                   ArrayRef<SortOrder> orders, int64_t axis, bool indexed) {
  SmallVector<Attribute> attrs;
  for (SortOrder order : orders)
    attrs.push_back(SortOrderAttr::get(builder.getContext(), order));
  build(builder, state, inputs.getTypes(), inputs, builder.getArrayAttr(attrs),
        builder.getI64IntegerAttr(axis),
        indexed ? builder.getUnitAttr() : UnitAttr());
}

LogicalResult
SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                         Adaptor adaptor,
                         SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  ValueRange inputs = adaptor.getInputs();
  // c1
  if (inputs.empty())
    return emitError("expects at least one operand");
  auto first = cast<RankedTensorType>(inputs.front().getType());
  for (auto [i, input] : llvm::enumerate(inputs))
    if (auto type = cast<RankedTensorType>(input.getType());
        type.getShape() != first.getShape())
      return emitError("expects operand ", i, " of shape [", first.getShape(),
                       "] but got ", type);
  // c2
  if (int64_t axis = adaptor.getAxis(); axis < 0 || axis >= first.getRank())
    return emitError("expects `axis` to be at least 0 and less than rank ",
                     first.getRank(), " but got ", axis);
  // c3
  ArrayAttr orders = adaptor.getOrders();
  if (orders.empty() || orders.size() > inputs.size())
    return emitError("expects at least one order of a key, and at most one for "
                     "each of the ",
                     inputs.size(), " operands, but got ", orders.size());
  // c4
  if (adaptor.getIndexed()) {
    Type type = getElementTypeOrSelf(inputs[orders.size() - 1]);
    auto last = cast<SortOrderAttr>(*std::prev(orders.end()));
    if (last.getValue() != SortOrder::Ascending ||
        !(type.isSignlessInteger(32) || type.isSignlessInteger(64)))
      return emitError("expects the last key to be ascending i32 or i64 for "
                       "`indexed` but got ",
                       stringifySortOrder(last.getValue()), " ", type);
  }
  // c5
  llvm::append_range(inferredReturnTypes, inputs.getTypes());
  return success();
}

LogicalResult SortOp::fold(FoldAdaptor,
                           SmallVectorImpl<OpFoldResult> &results) {
  if (getRowSize() > 1)
    return failure();
  llvm::append_range(results, getInputs());
  return success();
}

/// Returns whether elements with equal keys cannot be told apart. This holds if
/// all operands are keys and integers, because equal integers have equal bits.
static bool hasOnlyIntegerKeys(SortOp op) {
  return op.getNumKeys() == op.getInputs().size() &&
         llvm::all_of(op.getInputs(), [](Value input) {
           return isa<IntegerType>(getElementTypeOrSelf(input));
         });
}

static bool isBF16(Value tensor) {
  return getElementTypeOrSelf(tensor).isBF16();
}

/// Sorts operands of bf16 as f32. Code for hosts may move elements of bf16
/// through registers that do not keep denormal numbers.
static SmallVector<Value> sortWide(PopBuilder &b, SortOp op) {
  SmallVector<Value> inputs, results;
  for (Value input : op.getInputs())
    inputs.push_back(isBF16(input) ? b.widen(input) : input);
  auto sort = b.create<SortOp>(inputs, op.getOrderValues(), op.getAxis(),
                               op.getIndexed());
  for (auto [result, type] :
       llvm::zip_equal(sort.getResults(), op.getResultTypes()))
    results.push_back(b.cast(result, getElementTypeOrSelf(type)));
  return results;
}

/// Adds the positions before the sort as the last key.
FailureOr<SmallVector<Value>> SortOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  if (llvm::any_of(getInputs(), isBF16))
    return sortWide(b, *this);
  if (getIndexed() || hasOnlyIntegerKeys(*this))
    return failure();
  RankedTensorType type = getInputType(0);
  Type indexType = pop::detail::getIndexType(b.getI32Type(), getRowSize());
  Value index = b.iota(getRowSize(), indexType, getAxis(), type.getRank());
  SmallVector<Value> inputs(getInputs());
  inputs.insert(inputs.begin() + getNumKeys(),
                b.expand(index, type.getShape()));
  SmallVector<SortOrder> orders = getOrderValues();
  orders.push_back(SortOrder::Ascending);
  auto sort = b.create<SortOp>(inputs, orders, getAxis(), /*indexed=*/true);
  SmallVector<Value> results(sort.getResults());
  results.erase(results.begin() + getNumKeys());
  return results;
}

SmallVector<SortOrder> SortOp::getOrderValues() {
  return llvm::map_to_vector(
      getOrders().getAsRange<SortOrderAttr>(),
      [](SortOrderAttr order) { return order.getValue(); });
}

//===----------------------------------------------------------------------===//
// Codelet
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of the dimensions before `axis`, of `axis`, and of the dimensions
/// after it.
struct SortSizes {
  int64_t outer, rows, inner;

  explicit SortSizes(SortOp op) : rows(op.getRowSize()) {
    ArrayRef<int64_t> shape = op.getInputType(0).getShape();
    outer = computeProduct(shape.take_front(op.getAxis()));
    inner = computeProduct(shape.drop_front(op.getAxis() + 1));
  }
};
} // namespace

FailureOr<TileForm> SortOp::getTileForm(ArrayRef<int64_t>) {
  if ((!getIndexed() && !hasOnlyIntegerKeys(*this)) ||
      llvm::any_of(getInputs(), isBF16))
    return failure();
  SortSizes sizes(*this);
  TileForm form;
  form.loops = {sizes.outer, sizes.inner};
  ipu::TileAccess access = {{sizes.outer, sizes.rows, sizes.inner},
                            {{0}, {-1}, {1}}};
  form.inputs.assign(getInputs().size(), access);
  form.results.assign(getResults().size(), access);
  return form;
}

namespace {
/// Builds the sort of one row. Its elements are at the positions [outer, i,
/// inner] of the buffers.
struct RowSorter {
  SortOp op;
  Location loc;
  ValueRange inputs, results;
  Value outer, inner;

  Value buildIndex(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  SmallVector<Value> load(OpBuilder &b, ValueRange buffers, Value position);
  void store(OpBuilder &b, ValueRange values, Value position);
  Value buildIsLess(OpBuilder &b, unsigned key, Value x, Value y);
  Value buildPrecedes(OpBuilder &b, ValueRange x, ValueRange y);
  ValueRange getKeys(ValueRange buffers) {
    return buffers.take_front(op.getNumKeys());
  }
  Value buildPrecedes(OpBuilder &b, Value x, Value y) {
    ValueRange keys = getKeys(results);
    SmallVector<Value> first = load(b, keys, x);
    return buildPrecedes(b, first, load(b, keys, y));
  }

  void buildPair(OpBuilder &b);
  void buildSwap(OpBuilder &b, Value x, Value y);
  Value buildStep(OpBuilder &b, Value root, Value end);
  void buildSift(OpBuilder &b, Value root, Value end);
  void buildHeapSort(OpBuilder &b);
};
} // namespace

SmallVector<Value> RowSorter::load(OpBuilder &b, ValueRange buffers,
                                   Value position) {
  return llvm::map_to_vector(buffers, [&](Value buffer) -> Value {
    return memref::LoadOp::create(b, loc, buffer,
                                  ValueRange{outer, position, inner});
  });
}

void RowSorter::store(OpBuilder &b, ValueRange values, Value position) {
  for (auto [value, buffer] : llvm::zip_equal(values, results))
    memref::StoreOp::create(b, loc, value, buffer,
                            ValueRange{outer, position, inner});
}

/// Builds the condition that `x` is negative and `y` is not, where -0 is
/// negative.
static Value buildIsLessInSign(OpBuilder &b, Location loc, Value x, Value y) {
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 1));
  Value signOfX = math::CopySignOp::create(b, loc, one, x);
  Value signOfY = math::CopySignOp::create(b, loc, one, y);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, signOfX,
                               signOfY);
}

/// Builds the condition that element `x` of a key comes before `y`.
Value RowSorter::buildIsLess(OpBuilder &b, unsigned key, Value x, Value y) {
  SortOrder order = op.getOrder(key);
  if (order == SortOrder::Descending || order == SortOrder::TotalDescending)
    std::swap(x, y);
  Type type = op.getInputType(key).getElementType();
  Value isLess =
      pop::detail::buildIsMoreExtreme(b, loc, ReduceKind::Max, type, y, x);
  bool isTotal =
      order == SortOrder::TotalAscending || order == SortOrder::TotalDescending;
  if (!isTotal || !isa<FloatType>(type))
    return isLess;
  Value isEqual =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  Value isLessZero =
      arith::AndIOp::create(b, loc, isEqual, buildIsLessInSign(b, loc, x, y));
  return arith::OrIOp::create(b, loc, isLess, isLessZero);
}

/// Builds the condition that the keys `x` come before the keys `y` in
/// lexicographic order.
Value RowSorter::buildPrecedes(OpBuilder &b, ValueRange x, ValueRange y) {
  unsigned last = op.getNumKeys() - 1;
  Value precedes = buildIsLess(b, last, x[last], y[last]);
  Value yes =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI1Type(), 1));
  for (unsigned key = last; key-- > 0;) {
    Value isLess = buildIsLess(b, key, x[key], y[key]);
    Value isGreater = buildIsLess(b, key, y[key], x[key]);
    Value isAtMost = arith::XOrIOp::create(b, loc, isGreater, yes);
    Value byRest = arith::AndIOp::create(b, loc, isAtMost, precedes);
    precedes = arith::OrIOp::create(b, loc, isLess, byRest);
  }
  return precedes;
}

/// Sorts a row of two elements. Positions are selected instead of elements, so
/// that elements are only loaded and stored.
void RowSorter::buildPair(OpBuilder &b) {
  Value zero = buildIndex(b, 0), one = buildIndex(b, 1);
  ValueRange keys = getKeys(inputs);
  SmallVector<Value> last = load(b, keys, one);
  Value swaps = buildPrecedes(b, last, load(b, keys, zero));
  Value first = arith::SelectOp::create(b, loc, swaps, one, zero);
  Value second = arith::SelectOp::create(b, loc, swaps, zero, one);
  store(b, load(b, inputs, first), zero);
  store(b, load(b, inputs, second), one);
}

void RowSorter::buildSwap(OpBuilder &b, Value x, Value y) {
  SmallVector<Value> ofX = load(b, results, x), ofY = load(b, results, y);
  store(b, ofY, x);
  store(b, ofX, y);
}

/// Moves the element at `root` one level down the heap, whose last element is
/// before `end`. Returns the new position, or one that is not in the heap if
/// the element stays.
Value RowSorter::buildStep(OpBuilder &b, Value root, Value end) {
  using arith::CmpIPredicate;
  Value one = buildIndex(b, 1);
  Value twice = arith::AddIOp::create(b, loc, root, root);
  Value left = arith::AddIOp::create(b, loc, twice, one);
  Value hasChild = arith::CmpIOp::create(b, loc, CmpIPredicate::slt, left, end);
  auto step = scf::IfOp::create(
      b, loc, hasChild,
      [&](OpBuilder &b, Location loc) {
        Value right = arith::AddIOp::create(b, loc, left, one);
        Value hasRight =
            arith::CmpIOp::create(b, loc, CmpIPredicate::slt, right, end);
        right = arith::SelectOp::create(b, loc, hasRight, right, left);
        Value child = arith::SelectOp::create(
            b, loc, buildPrecedes(b, left, right), right, left);
        Value moves = buildPrecedes(b, root, child);
        scf::IfOp::create(b, loc, moves, [&](OpBuilder &b, Location loc) {
          buildSwap(b, root, child);
          scf::YieldOp::create(b, loc);
        });
        Value next = arith::SelectOp::create(b, loc, moves, child, end);
        scf::YieldOp::create(b, loc, next);
      },
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, end); });
  return step.getResult(0);
}

/// Moves the element at `root` down the heap until no child follows it.
void RowSorter::buildSift(OpBuilder &b, Value root, Value end) {
  Value depth = buildIndex(b, llvm::Log2_64(op.getRowSize()));
  Value zero = buildIndex(b, 0), one = buildIndex(b, 1);
  scf::ForOp::create(
      b, loc, zero, depth, one, root,
      [&](OpBuilder &b, Location loc, Value, ValueRange positions) {
        scf::YieldOp::create(b, loc, buildStep(b, positions.front(), end));
      });
}

/// Makes a heap of the row, whose first element is the last one in the order.
/// Then the first element is repeatedly moved after the heap, which shrinks.
void RowSorter::buildHeapSort(OpBuilder &b) {
  int64_t size = op.getRowSize();
  Value zero = buildIndex(b, 0), one = buildIndex(b, 1);
  Value last = buildIndex(b, size - 1), lastRoot = buildIndex(b, size / 2 - 1);
  scf::ForOp::create(b, loc, zero, buildIndex(b, size / 2), one, ValueRange(),
                     [&](OpBuilder &b, Location loc, Value i, ValueRange) {
                       Value root = arith::SubIOp::create(b, loc, lastRoot, i);
                       buildSift(b, root, buildIndex(b, size));
                       scf::YieldOp::create(b, loc);
                     });
  scf::ForOp::create(b, loc, zero, last, one, ValueRange(),
                     [&](OpBuilder &b, Location loc, Value i, ValueRange) {
                       Value end = arith::SubIOp::create(b, loc, last, i);
                       buildSwap(b, zero, end);
                       buildSift(b, zero, end);
                       scf::YieldOp::create(b, loc);
                     });
}

void SortOp::buildCodelet(OpBuilder &builder, Location loc, ValueRange buffers,
                          const TileForm &) {
  ValueRange inputs = buffers.take_front(getInputs().size());
  ValueRange results = buffers.drop_front(getInputs().size());
  bool isPair = getRowSize() == 2;
  if (!isPair)
    for (auto [input, result] : llvm::zip_equal(inputs, results))
      linalg::CopyOp::create(builder, loc, input, result);
  if (getRowSize() < 2)
    return;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> ends;
  for (int64_t i : {0, 2})
    ends.push_back(memref::DimOp::create(builder, loc, results.front(), i));
  scf::buildLoopNest(
      builder, loc, ValueRange{zero, zero}, ends, ValueRange{one, one},
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        RowSorter sorter = {*this, loc, inputs, results, loops[0], loops[1]};
        isPair ? sorter.buildPair(b) : sorter.buildHeapSort(b);
      });
}

CodeletCost SortOp::getCodeletCost() {
  CodeletCost cost = pop::detail::getCost(*this, CodeletCostKind::Sort);
  cost.combined = getRowSize();
  return cost;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> SortOp::getTileSplits() {
  // The number of stages is about half the square of the logarithm of the
  // number of blocks.
  constexpr int64_t kMaxBlocks = int64_t(1) << 16;
  SortSizes sizes(*this);
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getInputType(0).getNumElements() == 0 ||
      !isPopShape({sizes.outer, sizes.rows, 2, sizes.inner}))
    return splits;
  int64_t blocks =
      std::min<int64_t>(llvm::bit_floor(uint64_t(sizes.rows)) / 2, kMaxBlocks);
  if (blocks > 1)
    splits.push_back(
        {"blocks", blocks, /*isSerial=*/false, /*isBatched=*/true});
  return splits;
}

/// Returns an element that no element follows in the order.
static TypedAttr getLastElement(SortOrder order, Type type) {
  bool isDescending =
      order == SortOrder::Descending || order == SortOrder::TotalDescending;
  if (type.isInteger(1))
    return getReduceIdentity(isDescending ? ReduceKind::Or : ReduceKind::And,
                             type);
  if (isDescending)
    return getReduceIdentity(ReduceKind::Max, type);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getNaN(floatType.getFloatSemantics()));
  return getReduceIdentity(ReduceKind::Min, type);
}

namespace {
/// Builds a bitonic network on operands of the shape [outer, blocks * block,
/// inner], where `blocks` is a power of two.
class SortNetwork {
public:
  SortNetwork(PopBuilder &b, SortOp op, int64_t blocks)
      : b(b), op(op), sizes(op), blocks(blocks),
        block(llvm::divideCeilSigned(sizes.rows, blocks)) {}

  SmallVector<Value> build();

private:
  void pad();
  void sort(ArrayRef<int64_t> shape, int64_t axis);
  void sortBlocks();
  void sortHalves(int64_t half);
  void reverseSecondHalves(int64_t half);
  /// Returns the shape in which each two neighbouring runs of `half` blocks are
  /// positions 0 and 1 of dimension 2.
  SmallVector<int64_t> getShapeOfHalves(int64_t half) const {
    return {sizes.outer, blocks / (2 * half), 2, half * block, sizes.inner};
  }

  PopBuilder &b;
  SortOp op;
  SortSizes sizes;
  int64_t blocks, block;
  SmallVector<Value> tensors;
};
} // namespace

/// Adds elements that are sorted to the end. They are all equal, and may only
/// be equal to elements that cannot be told apart from them.
void SortNetwork::pad() {
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    Value rows = b.reshape(input, {sizes.outer, sizes.rows, sizes.inner});
    TypedAttr value;
    if (i < op.getNumKeys())
      value = getLastElement(op.getOrder(i), getElementTypeOrSelf(input));
    tensors.push_back(
        b.pad(rows, {0, 0, 0}, {0, blocks * block - sizes.rows, 0}, value));
  }
}

/// Sorts the tensors along `axis` of `shape`.
void SortNetwork::sort(ArrayRef<int64_t> shape, int64_t axis) {
  for (Value &tensor : tensors)
    tensor = b.reshape(tensor, shape);
  auto part =
      b.create<SortOp>(tensors, op.getOrderValues(), axis, op.getIndexed());
  tensors.assign(part.getResults().begin(), part.getResults().end());
}

void SortNetwork::sortBlocks() {
  if (block > 1)
    sort({sizes.outer, blocks, block, sizes.inner}, 2);
}

/// Makes each element of a run at most as great as the element at the same
/// place of the next run.
void SortNetwork::sortHalves(int64_t half) { sort(getShapeOfHalves(half), 2); }

void SortNetwork::reverseSecondHalves(int64_t half) {
  for (Value &tensor : tensors) {
    Value halves = b.reshape(tensor, getShapeOfHalves(half));
    Value first = b.slice(halves, 2, 0, 1), second = b.slice(halves, 2, 1, 1);
    int64_t size = half * block;
    tensor = b.concat({first, b.slice(second, 3, size - 1, size, -1)}, 2);
  }
}

SmallVector<Value> SortNetwork::build() {
  pad();
  sortBlocks();
  for (int64_t merged = 1; merged < blocks; merged *= 2) {
    // A sorted run and a reversed one are a bitonic sequence. Each stage makes
    // two bitonic sequences of it, the elements of the first of which are at
    // most as great as those of the second one.
    reverseSecondHalves(merged);
    for (int64_t half = merged; half > 0; half /= 2)
      sortHalves(half);
    sortBlocks();
  }
  SmallVector<Value> results;
  for (auto [tensor, type] : llvm::zip_equal(tensors, op.getResultTypes())) {
    Value rows = b.reshape(tensor, {sizes.outer, blocks * block, sizes.inner});
    rows = b.slice(rows, 1, 0, sizes.rows);
    results.push_back(b.reshape(rows, cast<RankedTensorType>(type).getShape()));
  }
  return results;
}

SmallVector<Value> SortOp::buildTileSplit(OpBuilder &builder, const TileSplit &,
                                          int64_t parts) {
  PopBuilder b(builder, getLoc());
  return SortNetwork(b, *this, llvm::PowerOf2Ceil(parts)).build();
}
