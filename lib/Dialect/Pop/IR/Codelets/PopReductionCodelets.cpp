//===- PopReductionCodelets.cpp - Codelets of reductions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::DimAccess;
using mlir::ipu::TileAccess;
using mlir::ipu::TileForm;

static Value buildIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

//===----------------------------------------------------------------------===//
// ReduceWindowOp
//===----------------------------------------------------------------------===//

static SmallVector<WindowDim> getWindows(ReduceWindowOp op) {
  return getWindowDims(
      op.getInput().getType().getShape().drop_front(2),
      {op.getKernel(), op.getStrides(), op.getDilations(), {}});
}

FailureOr<TileForm> ReduceWindowOp::getTileForm(ArrayRef<int64_t>) {
  RankedTensorType input = getInput().getType(), result = getType();
  if (getKind() == ReduceKind::Mean ||
      getReduceType(getKind(), input.getElementType()) !=
          result.getElementType())
    return failure();
  TileForm form;
  form.loops = llvm::to_vector(result.getShape());
  ipu::TileAccess inputAccess{llvm::to_vector(input.getShape()), {{0}, {1}}};
  ipu::TileAccess resultAccess{form.loops, {{0}, {1}}};
  for (auto [i, window] : llvm::enumerate(getWindows(*this))) {
    int64_t loop = 2 + i;
    inputAccess.dims.push_back({loop, window.stride, window.getExtent()});
    resultAccess.dims.push_back({loop});
  }
  form.inputs = {inputAccess};
  form.results = {resultAccess};
  return form;
}

void ReduceWindowOp::buildCodelet(OpBuilder &builder, Location loc,
                                  ValueRange buffers, const TileForm &) {
  Value input = buffers[0], result = buffers[1];
  Type popType = getInput().getType().getElementType();
  TypedAttr identity = getReduceIdentity(getKind(), getType().getElementType());
  linalg::FillOp::create(
      builder, loc, pop::detail::buildScalarConstant(builder, loc, identity),
      result);

  // Loops: n, c, kernel..., spatial...; the latter are innermost, so that the
  // positions next to each other are read next to each other.
  SmallVector<WindowDim> windows = getWindows(*this);
  unsigned numSpatial = windows.size(), numLoops = 2 + 2 * numSpatial;
  Value zero = buildIndex(builder, loc, 0), one = buildIndex(builder, loc, 1);
  SmallVector<Value> ends, strides, dilations;
  for (int64_t i : {0, 1})
    ends.push_back(memref::DimOp::create(builder, loc, result, i));
  for (const WindowDim &window : windows) {
    ends.push_back(buildIndex(builder, loc, window.kernel));
    strides.push_back(buildIndex(builder, loc, window.stride));
    dilations.push_back(buildIndex(builder, loc, window.dilation));
  }
  for (unsigned i = 0; i < numSpatial; ++i)
    ends.push_back(memref::DimOp::create(builder, loc, result, 2 + i));

  scf::buildLoopNest(
      builder, loc, SmallVector<Value>(numLoops, zero), ends,
      SmallVector<Value>(numLoops, one),
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        SmallVector<Value> from(loops.take_front(2)), to = from;
        for (unsigned i = 0; i < numSpatial; ++i) {
          Value kernel = loops[2 + i], position = loops[2 + numSpatial + i];
          Value start = arith::MulIOp::create(b, loc, position, strides[i]);
          Value offset = arith::MulIOp::create(b, loc, kernel, dilations[i]);
          from.push_back(arith::AddIOp::create(b, loc, start, offset));
          to.push_back(position);
        }
        Value sum = memref::LoadOp::create(b, loc, result, to);
        Value x = memref::LoadOp::create(b, loc, input, from);
        if (x.getType() != sum.getType())
          x = pop::detail::buildExtend(b, loc, x);
        sum = pop::detail::buildCombine(b, loc, getKind(), popType, sum, x);
        memref::StoreOp::create(b, loc, sum, result, to);
      });
}

CodeletCost ReduceWindowOp::getCodeletCost() {
  CodeletCost cost = pop::detail::getCost(*this, CodeletCostKind::Reduce);
  cost.combined = computeProduct(getKernel());
  return cost;
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

/// Whether positions of one axis are combined one after the other: then rows of
/// what is not reduced are combined, wherever the axis is.
static bool isSerial(ReduceOp op) { return op.getAccumAttr().getLanes() == 1; }

/// Returns the number of dimensions of `domain`, which is not empty, whose
/// product is that of `outer`, if the product of the others is that of `inner`.
static std::optional<int64_t> findAxis(ArrayRef<int64_t> domain,
                                       ArrayRef<int64_t> outer,
                                       ArrayRef<int64_t> inner) {
  for (size_t axis = 0, e = domain.empty() ? 0 : domain.size() + 1; axis < e;
       ++axis)
    if (computeProduct(domain.take_front(axis)) == computeProduct(outer) &&
        computeProduct(domain.drop_front(axis)) == computeProduct(inner))
      return axis;
  return std::nullopt;
}

/// The form that a codelet has: one axis, no longer than a block, the last one
/// if there are lanes, and a result that needs no rounding.
FailureOr<TileForm> ReduceOp::getTileForm(ArrayRef<int64_t> domain) {
  RankedTensorType input = getInput().getType(), result = getType();
  AccumAttr order = getAccumAttr();
  if (!order || getKind() == ReduceKind::Mean || getAxes().size() != 1 ||
      getReduceType(getKind(), input.getElementType()) !=
          result.getElementType())
    return failure();
  int64_t axis = getAxes().front(), size = input.getDimSize(axis);
  if (size < 1 || size > order.getBlock())
    return failure();
  TileForm form;
  if (!isSerial(*this)) {
    if (axis != input.getRank() - 1)
      return failure();
    int64_t outputs = result.getNumElements();
    form.loops = {outputs};
    form.inputs = {{{outputs, size}, {{0}, {}}}};
    form.results = {{{outputs}, {{0}}}};
    return form;
  }
  form.loops.append(input.getShape().begin(), input.getShape().end());
  form.loops.erase(form.loops.begin() + axis);
  // The outputs before and after the axis may be factorised otherwise.
  if (std::optional<int64_t> position =
          findAxis(domain, ArrayRef(form.loops).take_front(axis),
                   ArrayRef(form.loops).drop_front(axis))) {
    form.loops.assign(domain.begin(), domain.end());
    axis = *position;
  }
  TileAccess access = pop::detail::getWholeAccess(form.loops);
  form.results = {access};
  access.domain.insert(access.domain.begin() + axis, size);
  access.dims.insert(access.dims.begin() + axis, DimAccess());
  form.inputs = {access};
  return form;
}

/// Combines all elements of the axis in ascending order, starting from the
/// identity.
static void buildSerialReduction(OpBuilder &builder, Location loc, ReduceOp op,
                                 Value input, Value result,
                                 const TileForm &form) {
  auto type = cast<MemRefType>(result.getType());
  Value identity = pop::detail::buildScalarConstant(
      builder, loc,
      getReduceIdentity(op.getKind(), op.getType().getElementType()));
  linalg::FillOp::create(builder, loc, identity, result);
  ArrayRef<DimAccess> dims = form.inputs.front().dims;
  int64_t axis =
      llvm::find_if(dims, [](const DimAccess &dim) { return dim.loop < 0; }) -
      dims.begin();
  int64_t numLoops = type.getRank() + 1;
  AffineMap all = builder.getMultiDimIdentityMap(numLoops);
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  iterators[axis] = utils::IteratorType::reduction;
  linalg::GenericOp::create(
      builder, loc, input, result, ArrayRef{all, all.dropResult(axis)},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value x = args[0];
        if (x.getType() != args[1].getType())
          x = pop::detail::buildExtend(b, loc, x);
        linalg::YieldOp::create(
            b, loc,
            pop::detail::buildCombine(b, loc, op.getKind(),
                                      op.getInput().getType().getElementType(),
                                      args[1], x));
      });
}

namespace {
/// Builds the blocked reduction of rows that are one block each.
struct BlockedReduction {
  ReduceOp op;
  Location loc;
  Value input;
  /// One accumulator for each lane.
  Value lanes;

  /// Combines the positions of lane `lane` of row `row` in ascending order.
  void buildLane(OpBuilder &b, Value row, Value lane) {
    Type type = op.getType().getElementType();
    Value identity = pop::detail::buildScalarConstant(
        b, loc, getReduceIdentity(op.getKind(), type));
    Value end = memref::DimOp::create(b, loc, input, 1);
    Value step = buildIndex(b, loc, op.getAccumAttr().getLanes());
    auto loop = scf::ForOp::create(
        b, loc, lane, end, step, identity,
        [&](OpBuilder &b, Location loc, Value position, ValueRange sums) {
          Value x =
              memref::LoadOp::create(b, loc, input, ValueRange{row, position});
          if (x.getType() != sums[0].getType())
            x = pop::detail::buildExtend(b, loc, x);
          scf::YieldOp::create(b, loc, combine(b, sums[0], x));
        });
    memref::StoreOp::create(b, loc, loop.getResult(0), lanes, lane);
  }

  /// Combines the lanes by a binary tree; lane 0 receives the result.
  void buildTree(OpBuilder &b) {
    Value zero = buildIndex(b, loc, 0), one = buildIndex(b, loc, 1);
    for (int64_t half = op.getAccumAttr().getLanes() / 2; half > 0; half /= 2) {
      Value distance = buildIndex(b, loc, half);
      scf::ForOp::create(
          b, loc, zero, distance, one, ValueRange(),
          [&](OpBuilder &b, Location loc, Value lane, ValueRange) {
            Value other = arith::AddIOp::create(b, loc, lane, distance);
            Value lhs = memref::LoadOp::create(b, loc, lanes, lane);
            Value rhs = memref::LoadOp::create(b, loc, lanes, other);
            memref::StoreOp::create(b, loc, combine(b, lhs, rhs), lanes, lane);
            scf::YieldOp::create(b, loc);
          });
    }
  }

  Value combine(OpBuilder &b, Value lhs, Value rhs) {
    return pop::detail::buildCombine(b, loc, op.getKind(),
                                     op.getInput().getType().getElementType(),
                                     lhs, rhs);
  }
};
} // namespace

void ReduceOp::buildCodelet(OpBuilder &builder, Location loc,
                            ValueRange buffers, const TileForm &form) {
  Value input = buffers[0], result = buffers[1];
  if (isSerial(*this))
    return buildSerialReduction(builder, loc, *this, input, result, form);
  Type type = cast<MemRefType>(result.getType()).getElementType();
  int64_t numLanes = getAccumAttr().getLanes();
  Value lanes =
      memref::AllocaOp::create(builder, loc, MemRefType::get({numLanes}, type));
  BlockedReduction reduction = {*this, loc, input, lanes};
  Value zero = buildIndex(builder, loc, 0), one = buildIndex(builder, loc, 1);
  Value end = buildIndex(builder, loc, numLanes);
  Value rows = memref::DimOp::create(builder, loc, result, 0);
  scf::ForOp::create(builder, loc, zero, rows, one, ValueRange(),
                     [&](OpBuilder &b, Location loc, Value row, ValueRange) {
                       scf::ForOp::create(b, loc, zero, end, one, ValueRange(),
                                          [&](OpBuilder &b, Location loc,
                                              Value lane, ValueRange) {
                                            reduction.buildLane(b, row, lane);
                                            scf::YieldOp::create(b, loc);
                                          });
                       reduction.buildTree(b);
                       Value sum = memref::LoadOp::create(b, loc, lanes, zero);
                       memref::StoreOp::create(b, loc, sum, result, row);
                       scf::YieldOp::create(b, loc);
                     });
}

CodeletCost ReduceOp::getCodeletCost() {
  bool isColumns = getAccumAttr() && isSerial(*this);
  CodeletCost cost =
      pop::detail::getCost(*this, isColumns ? CodeletCostKind::ReduceColumns
                                            : CodeletCostKind::Reduce);
  RankedTensorType type = getInput().getType();
  cost.combined = getAxes().size() == 1 ? type.getDimSize(getAxes()[0]) : 1;
  return cost;
}
