//===- PopDynamicSliceCodelets.cpp - Codelets of regions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles move a region that begins at a computed position along one dimension. A
// vertex finds the position from the start, so that the work of a tile grows
// with the region. Regions along several dimensions are decomposed.
//
//===----------------------------------------------------------------------===//

#include "DynamicSlices.h"

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
using pop::detail::DynamicRegion;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {
/// The domains of a tensor and of its region. They differ only in dimension
/// `axis`. If `isDropped` is set, the region has a single position along this
/// dimension, and its domain does not have the dimension.
struct RegionDomains {
  SmallVector<int64_t> tensor, region;
  unsigned axis = 0;
  bool isDropped = false;
};
} // namespace

/// Returns the number of the dimension of `domain` that has `size` positions,
/// and that comes after `outer` and before `inner` elements.
static std::optional<unsigned> findAxis(ArrayRef<int64_t> domain, int64_t outer,
                                        int64_t size, int64_t inner) {
  for (auto [dim, extent] : llvm::enumerate(domain))
    if (extent == size && computeProduct(domain.take_front(dim)) == outer &&
        computeProduct(domain.drop_front(dim + 1)) == inner)
      return dim;
  return std::nullopt;
}

/// Returns domains of which one is `domain`, if it is a domain of the tensor or
/// of the region. Otherwise the dimensions before and after the sliced one are
/// merged, so that they can be divided evenly.
static RegionDomains getDomains(const DynamicRegion &region,
                                ArrayRef<int64_t> domain) {
  auto [number, outer, extent, size, inner] = region;
  RegionDomains domains;
  std::optional<unsigned> axis = findAxis(domain, outer, extent, inner);
  if (!axis)
    axis = findAxis(domain, outer, size, inner);
  if (axis) {
    domains.axis = *axis;
    domains.tensor = domains.region = llvm::to_vector(domain);
  } else {
    domains.tensor = domains.region = {outer, extent, inner};
    domains.axis = 1;
  }
  domains.tensor[domains.axis] = extent;
  domains.region[domains.axis] = size;
  if (axis || size != 1)
    return domains;
  for (size_t dim = 0; dim <= domain.size(); ++dim)
    if (computeProduct(domain.take_front(dim)) == outer &&
        computeProduct(domain.drop_front(dim)) == inner && !domain.empty()) {
      domains.tensor = domains.region = llvm::to_vector(domain);
      domains.tensor.insert(domains.tensor.begin() + dim, extent);
      domains.axis = dim;
      domains.isDropped = true;
      break;
    }
  return domains;
}

/// Returns the access to a tensor with the domain `domain`, whose dimensions
/// are those of the loops, by vertices that have all positions along the
/// dimension `whole`.
static TileAccess getAccess(ArrayRef<int64_t> domain,
                            std::optional<unsigned> whole) {
  TileAccess access = pop::detail::getWholeAccess(domain);
  if (whole)
    access.dims[*whole] = DimAccess();
  return access;
}

/// Returns whether vertices may have a part of the positions of `domain` along
/// the sliced dimension, because they can compute which part they have.
static bool cutsAxis(ArrayRef<int64_t> domain) {
  return pop::detail::hasElementNumbers(domain);
}

static TileAccess getStartAccess(Value start) {
  return {{cast<RankedTensorType>(start.getType()).getDimSize(0)},
          {DimAccess()}};
}

/// Loops over the elements of the region. A vertex has all positions of the
/// input along the sliced dimension.
FailureOr<TileForm> DynamicSliceOp::getTileForm(ArrayRef<int64_t> domain) {
  std::optional<DynamicRegion> region = pop::detail::getDynamicRegion(*this);
  if (!region)
    return failure();
  auto [tensor, part, axis, isDropped] = getDomains(*region, domain);
  bool isCut = !isDropped && cutsAxis(part);
  std::optional<unsigned> whole;
  if (!isDropped && !isCut)
    whole = axis;
  TileForm form;
  form.loops = part;
  form.results = {getAccess(part, whole)};
  TileAccess input = getAccess(tensor, axis);
  if (isDropped)
    for (DimAccess &dim : MutableArrayRef(input.dims).drop_front(axis + 1))
      --dim.loop;
  form.inputs = {input, getStartAccess(getStart())};
  if (whole)
    form.loops[axis] = 1;
  return form;
}

/// Loops over the elements of the tensor. A vertex has all positions of the
/// update along the sliced dimension, and passes over those that its part of
/// the tensor does not have.
FailureOr<TileForm> DynamicUpdateOp::getTileForm(ArrayRef<int64_t> domain) {
  std::optional<DynamicRegion> region = pop::detail::getDynamicRegion(*this);
  if (!region)
    return failure();
  auto [tensor, part, axis, isDropped] = getDomains(*region, domain);
  std::optional<unsigned> whole;
  if (!cutsAxis(tensor))
    whole = axis;
  TileForm form;
  form.loops = tensor;
  form.results = {getAccess(tensor, whole)};
  TileAccess update = getAccess(tensor, axis);
  update.domain = part;
  if (isDropped)
    update.dims.erase(update.dims.begin() + axis);
  form.inputs = {form.results.front(), update, getStartAccess(getStart())};
  if (whole)
    form.loops[axis] = 1;
  form.updatedInput = 0;
  return form;
}

//===----------------------------------------------------------------------===//
// Codelets
//===----------------------------------------------------------------------===//

/// Builds the position of the region along the sliced dimension.
static Value buildPosition(OpBuilder &b, Location loc,
                           const DynamicRegion &region, Value startBuffer,
                           bool isUnsigned) {
  auto buildIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value position = pop::detail::buildRowNumber(
      b, loc, startBuffer, buildIndex(region.number), isUnsigned);
  Value last = buildIndex(region.extent - region.size);
  if (isUnsigned)
    return arith::MinUIOp::create(b, loc, position, last);
  position = arith::MaxSIOp::create(b, loc, position, buildIndex(0));
  return arith::MinSIOp::create(b, loc, position, last);
}

/// Builds a view of the positions of `buffer` along dimension `axis` that begin
/// at `position`. There are `size` positions or, if `size` is null, one, and
/// the view does not have the dimension.
static Value buildPart(OpBuilder &b, Location loc, Value buffer, unsigned axis,
                       Value position, Value size) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
      strides(rank, b.getIndexAttr(1));
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(memref::DimOp::create(b, loc, buffer, dim).getResult());
  offsets[axis] = position;
  if (size) {
    sizes[axis] = size;
    return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, strides);
  }
  sizes[axis] = b.getIndexAttr(1);
  SmallVector<int64_t> shape(rank - 1, ShapedType::kDynamic);
  MemRefType dropped = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, dropped, buffer, offsets, sizes,
                                   strides);
}

void DynamicSliceOp::buildCodelet(OpBuilder &builder, Location loc,
                                  ValueRange buffers, const TileForm &form) {
  Value input = buffers[0], start = buffers[1], result = buffers[2];
  DynamicRegion region = *pop::detail::getDynamicRegion(*this);
  auto [tensor, part, axis, isDropped] =
      getDomains(region, form.results.front().domain);
  bool isUnsigned = getStart().getType().getElementType().isUnsignedInteger();
  Value position = buildPosition(builder, loc, region, start, isUnsigned);
  Value size;
  if (!isDropped)
    size = memref::DimOp::create(builder, loc, result, axis);
  if (!isDropped && cutsAxis(part)) {
    Value first =
        pop::detail::buildFirstPosition(builder, loc, result, part, axis);
    position = arith::AddIOp::create(builder, loc, position, first);
  }
  Value from = buildPart(builder, loc, input, axis, position, size);
  linalg::CopyOp::create(builder, loc, from, result);
}

/// The region is in the coordinates of the vertex, whose first position may be
/// after the beginning of the region.
void DynamicUpdateOp::buildCodelet(OpBuilder &builder, Location loc,
                                   ValueRange buffers, const TileForm &form) {
  Value update = buffers[1], start = buffers[2], result = buffers[3];
  DynamicRegion region = *pop::detail::getDynamicRegion(*this);
  RegionDomains domains = getDomains(region, form.results.front().domain);
  unsigned axis = domains.axis;
  if (!form.isInPlace)
    linalg::CopyOp::create(builder, loc, buffers[0], result);
  bool isUnsigned = getStart().getType().getElementType().isUnsignedInteger();
  Value begin = buildPosition(builder, loc, region, start, isUnsigned);
  Value size = arith::ConstantIndexOp::create(builder, loc, region.size);
  if (!cutsAxis(domains.tensor)) {
    Value to = buildPart(builder, loc, result, axis, begin, size);
    linalg::CopyOp::create(builder, loc, update, to);
    return;
  }
  Value first = pop::detail::buildFirstPosition(builder, loc, result,
                                                domains.tensor, axis);
  begin = arith::SubIOp::create(builder, loc, begin, first);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value low = arith::MaxSIOp::create(builder, loc, begin, zero);
  Value high = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, begin, size),
      memref::DimOp::create(builder, loc, result, axis));
  Value isInside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, low, high);
  scf::IfOp::create(builder, loc, isInside, [&](OpBuilder &b, Location loc) {
    Value numInside = arith::SubIOp::create(b, loc, high, low);
    Value skipped = arith::SubIOp::create(b, loc, low, begin);
    Value from = buildPart(b, loc, update, axis, skipped, numInside);
    Value to = buildPart(b, loc, result, axis, low, numInside);
    linalg::CopyOp::create(b, loc, from, to);
    scf::YieldOp::create(b, loc);
  });
}

CodeletCost DynamicSliceOp::getCodeletCost() {
  return pop::detail::getCost(*this, CodeletCostKind::DynamicSlice);
}

CodeletCost DynamicUpdateOp::getCodeletCost() {
  CodeletCost cost =
      pop::detail::getCost(*this, CodeletCostKind::DynamicUpdate);
  cost.combined = 1;
  return cost;
}
