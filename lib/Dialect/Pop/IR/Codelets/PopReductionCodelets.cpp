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

/// Combines `x`, an element of the operand, with `sum`.
static Value combine(OpBuilder &b, Location loc, ReduceKind kind, Type popType,
                     Value sum, Value x) {
  if (x.getType() != sum.getType())
    x = pop::detail::buildExtend(b, loc, x);
  return pop::detail::buildCombine(b, loc, kind, popType, sum, x);
}

namespace {
/// Builds the reduction of a block by lanes.
struct LaneReduction {
  Location loc;
  ReduceKind kind;
  /// The element type of the operand in `pop`, and that of the accumulators.
  Type popType, type;
  int64_t numLanes, axis;
  Value input;
  /// One accumulator for each lane.
  Value lanes;

  /// Combines the positions [begin, end) of the axis at `indices`.
  Value build(OpBuilder &b, ValueRange indices, Value begin, Value end) {
    Value zero = buildIndex(b, loc, 0), one = buildIndex(b, loc, 1);
    Value count = buildIndex(b, loc, numLanes);
    scf::ForOp::create(b, loc, zero, count, one, ValueRange(),
                       [&](OpBuilder &b, Location loc, Value lane, ValueRange) {
                         buildLane(b, indices, begin, end, lane);
                         scf::YieldOp::create(b, loc);
                       });
    buildTree(b);
    return memref::LoadOp::create(b, loc, lanes, zero);
  }

  /// Combines the positions of a lane in ascending order.
  void buildLane(OpBuilder &b, ValueRange indices, Value begin, Value end,
                 Value lane) {
    Value identity =
        pop::detail::buildScalarConstant(b, loc, getReduceIdentity(kind, type));
    Value first = arith::AddIOp::create(b, loc, begin, lane);
    Value step = buildIndex(b, loc, numLanes);
    auto loop = scf::ForOp::create(
        b, loc, first, end, step, identity,
        [&](OpBuilder &b, Location loc, Value position, ValueRange sums) {
          SmallVector<Value> at(indices);
          at[axis] = position;
          Value x = memref::LoadOp::create(b, loc, input, at);
          scf::YieldOp::create(b, loc,
                               combine(b, loc, kind, popType, sums[0], x));
        });
    memref::StoreOp::create(b, loc, loop.getResult(0), lanes, lane);
  }

  /// Combines the lanes by a binary tree; lane 0 receives the result.
  void buildTree(OpBuilder &b) {
    Value zero = buildIndex(b, loc, 0), one = buildIndex(b, loc, 1);
    for (int64_t half = numLanes / 2; half > 0; half /= 2) {
      Value distance = buildIndex(b, loc, half);
      scf::ForOp::create(
          b, loc, zero, distance, one, ValueRange(),
          [&](OpBuilder &b, Location loc, Value lane, ValueRange) {
            Value other = arith::AddIOp::create(b, loc, lane, distance);
            Value lhs = memref::LoadOp::create(b, loc, lanes, lane);
            Value rhs = memref::LoadOp::create(b, loc, lanes, other);
            memref::StoreOp::create(
                b, loc, combine(b, loc, kind, popType, lhs, rhs), lanes, lane);
            scf::YieldOp::create(b, loc);
          });
    }
  }
};
} // namespace

/// Reduces the blocks of `block` positions along `axis` of `input`, whose last
/// block may be shorter, by `numLanes` lanes.
template <typename OpTy>
static void buildLaneReduction(OpBuilder &builder, Location loc, OpTy op,
                               Value input, Value result, int64_t axis,
                               int64_t block) {
  auto type = cast<MemRefType>(result.getType());
  int64_t numLanes = op.getAccumAttr().getLanes();
  Value lanes = memref::AllocaOp::create(
      builder, loc, MemRefType::get({numLanes}, type.getElementType()));
  LaneReduction reduction = {loc,
                             op.getKind(),
                             op.getInput().getType().getElementType(),
                             type.getElementType(),
                             numLanes,
                             axis,
                             input,
                             lanes};
  Value zero = buildIndex(builder, loc, 0), one = buildIndex(builder, loc, 1);
  Value size = memref::DimOp::create(builder, loc, input, axis);
  Value step = buildIndex(builder, loc, block);
  SmallVector<Value> ends;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    ends.push_back(memref::DimOp::create(builder, loc, result, dim));
  // A result without the axis has one block for each output.
  bool hasAxis = type.getRank() == cast<MemRefType>(input.getType()).getRank();
  scf::buildLoopNest(builder, loc, SmallVector<Value>(ends.size(), zero), ends,
                     SmallVector<Value>(ends.size(), one),
                     [&](OpBuilder &b, Location loc, ValueRange loops) {
                       SmallVector<Value> indices(loops);
                       Value begin = zero, end = size;
                       if (hasAxis) {
                         begin =
                             arith::MulIOp::create(b, loc, loops[axis], step);
                         end = arith::AddIOp::create(b, loc, begin, step);
                         end = arith::MinSIOp::create(b, loc, end, size);
                       } else {
                         indices.insert(indices.begin() + axis, zero);
                       }
                       Value sum = reduction.build(b, indices, begin, end);
                       memref::StoreOp::create(b, loc, sum, result, loops);
                     });
}

void ReduceOp::buildCodelet(OpBuilder &builder, Location loc,
                            ValueRange buffers, const TileForm &form) {
  Value input = buffers[0], result = buffers[1];
  if (isSerial(*this))
    return buildSerialReduction(builder, loc, *this, input, result, form);
  buildLaneReduction(builder, loc, *this, input, result, /*axis=*/1,
                     getAccumAttr().getBlock());
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

//===----------------------------------------------------------------------===//
// ReduceBlocksOp
//===----------------------------------------------------------------------===//

/// Returns the number of positions of a block, if all blocks have this number.
static std::optional<int64_t> getEvenBlock(ReduceBlocksOp op) {
  int64_t size = op.getInput().getType().getDimSize(op.getAxis());
  int64_t block = std::min(op.getAccumAttr().getBlock(), size);
  return size % block == 0 ? std::optional(block) : std::nullopt;
}

/// Returns the access to the input with a factorised domain: either `domain`,
/// if it is a factorisation of the input such that each block is a part of one
/// dimension and the whole of all further dimensions of the axis, or a domain
/// that follows from `domain`, if it is a factorisation of the result. Appends
/// the loops of the result.
static std::optional<TileAccess>
getFactorisedAccess(ReduceBlocksOp op, ArrayRef<int64_t> domain,
                    SmallVectorImpl<int64_t> &loops) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  ArrayRef<int64_t> outer = shape.take_front(op.getAxis());
  ArrayRef<int64_t> inner = shape.drop_front(op.getAxis() + 1);
  std::optional<int64_t> block = getEvenBlock(op);
  if (!block || op.getAccumAttr().getLanes() > 1 ||
      llvm::is_contained(domain, 0))
    return std::nullopt;
  size_t begin = 0, end = domain.size();
  int64_t before = 1, after = 1;
  while (begin < domain.size() && before < computeProduct(outer))
    before *= domain[begin++];
  while (end > begin && after < computeProduct(inner))
    after *= domain[--end];
  if (before != computeProduct(outer) || after != computeProduct(inner) ||
      begin == end)
    return std::nullopt;
  TileAccess access{llvm::to_vector(domain),
                    SmallVector<DimAccess>(domain.size())};
  if (computeProduct(domain) == op.getType().getNumElements()) {
    // A tile mapping of the result has the dimensions of `domain`.
    access = pop::detail::getWholeAccess(domain);
    access.domain[end - 1] *= *block;
    access.dims[end - 1].step = access.dims[end - 1].extent = *block;
    llvm::append_range(loops, domain);
    return access;
  }
  if (computeProduct(domain) != computeProduct(shape))
    return std::nullopt;
  // The dimensions of the axis, from the innermost one.
  int64_t rest = *block;
  SmallVector<int64_t> blocksOf(domain);
  for (size_t dim = end; dim-- > begin;) {
    int64_t size = domain[dim];
    if (rest % size == 0) {
      rest /= size;
      blocksOf[dim] = 0;
      continue;
    }
    if (size % rest != 0)
      return std::nullopt;
    blocksOf[dim] = size / rest;
    access.dims[dim] = {0, rest, rest};
    rest = 1;
  }
  if (rest != 1)
    return std::nullopt;
  for (size_t dim = 0; dim < domain.size(); ++dim) {
    if (blocksOf[dim] == 0)
      continue;
    access.dims[dim].loop = loops.size();
    loops.push_back(blocksOf[dim]);
  }
  return access;
}

FailureOr<TileForm> ReduceBlocksOp::getTileForm(ArrayRef<int64_t> domain) {
  RankedTensorType input = getInput().getType();
  TileForm form;
  std::optional<TileAccess> access =
      getFactorisedAccess(*this, domain, form.loops);
  if (!access) {
    form.loops = llvm::to_vector(getType().getShape());
    access = pop::detail::getWholeAccess(form.loops);
    access->domain = llvm::to_vector(input.getShape());
    int64_t block =
        std::min(getAccumAttr().getBlock(), input.getDimSize(getAxis()));
    access->dims[getAxis()].step = access->dims[getAxis()].extent = block;
  }
  form.inputs = {*access};
  form.results = {pop::detail::getWholeAccess(form.loops)};
  return form;
}

namespace {
/// Builds the reduction of blocks by chains.
struct ChainReduction {
  ReduceBlocksOp op;
  Location loc;
  Value input;
  /// The dimensions of the input along which positions are combined, and the
  /// first position and the position after the last one in each of them.
  SmallVector<size_t> dims = {};
  SmallVector<Value> begins = {}, ends = {};

  /// Combines `sum` and the positions of the dimensions from number `number`
  /// on. `at` has the positions in all other dimensions.
  Value build(OpBuilder &b, SmallVectorImpl<Value> &at, Value sum,
              size_t number = 0) {
    if (number == dims.size()) {
      Value x = memref::LoadOp::create(b, loc, input, at);
      return combine(b, loc, op.getKind(),
                     op.getInput().getType().getElementType(), sum, x);
    }
    auto loop = scf::ForOp::create(
        b, loc, begins[number], ends[number], buildIndex(b, loc, 1), sum,
        [&](OpBuilder &b, Location loc, Value position, ValueRange sums) {
          at[dims[number]] = position;
          Value next = build(b, at, sums[0], number + 1);
          scf::YieldOp::create(b, loc, next);
        });
    return loop.getResult(0);
  }
};
} // namespace

/// Combines the positions of each block in ascending order.
static void buildChains(OpBuilder &builder, Location loc, ReduceBlocksOp op,
                        Value input, Value result, const TileForm &form) {
  Value zero = buildIndex(builder, loc, 0), one = buildIndex(builder, loc, 1);
  Value identity = pop::detail::buildScalarConstant(
      builder, loc,
      getReduceIdentity(op.getKind(), op.getType().getElementType()));
  SmallVector<Value> sizes, ends;
  for (size_t dim = 0; dim < form.inputs.front().dims.size(); ++dim)
    sizes.push_back(memref::DimOp::create(builder, loc, input, dim));
  for (size_t loop = 0; loop < form.loops.size(); ++loop)
    ends.push_back(memref::DimOp::create(builder, loc, result, loop));
  scf::buildLoopNest(
      builder, loc, SmallVector<Value>(ends.size(), zero), ends,
      SmallVector<Value>(ends.size(), one),
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        ChainReduction reduction = {op, loc, input};
        SmallVector<Value> at(sizes.size());
        for (auto [dim, access] : llvm::enumerate(form.inputs.front().dims)) {
          if (access.loop >= 0 && access.extent == 1) {
            at[dim] = loops[access.loop];
            continue;
          }
          Value begin = zero, end = sizes[dim];
          if (access.loop >= 0) {
            Value step = buildIndex(b, loc, access.step);
            begin = arith::MulIOp::create(b, loc, loops[access.loop], step);
            // The last block may be shorter.
            end = arith::MinSIOp::create(
                b, loc, end, arith::AddIOp::create(b, loc, begin, step));
          }
          reduction.dims.push_back(dim);
          reduction.begins.push_back(begin);
          reduction.ends.push_back(end);
        }
        memref::StoreOp::create(b, loc, reduction.build(b, at, identity),
                                result, loops);
      });
}

void ReduceBlocksOp::buildCodelet(OpBuilder &builder, Location loc,
                                  ValueRange buffers, const TileForm &form) {
  if (getAccumAttr().getLanes() == 1)
    return buildChains(builder, loc, *this, buffers[0], buffers[1], form);
  buildLaneReduction(builder, loc, *this, buffers[0], buffers[1], getAxis(),
                     getAccumAttr().getBlock());
}

CodeletCost ReduceBlocksOp::getCodeletCost() {
  RankedTensorType type = getInput().getType();
  int64_t lanes = getAccumAttr().getLanes();
  // Lanes of adjacent positions are vectors of adjacent elements.
  int64_t axis = getAxis();
  bool isContiguous = lanes > 1 && axis == type.getRank() - 1;
  CodeletCost cost =
      pop::detail::getCost(*this, isContiguous ? CodeletCostKind::Reduce
                                               : CodeletCostKind::ReduceBlocks);
  cost.name = "reduce";
  cost.combined =
      std::min(getAccumAttr().getBlock(), type.getDimSize(getAxis()));
  // Otherwise, the accumulators of the lanes are combined like rows.
  if (!isContiguous)
    cost.combined += lanes - 1;
  return cost;
}
