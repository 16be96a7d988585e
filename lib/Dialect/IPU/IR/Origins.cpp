//===- Origins.cpp - Ops of the source of a step ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/Origins.h"

#include "ipu-mlir/Support/LocationName.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Sums and products of shares are saturated.
static int64_t toShare(uint64_t share) {
  return std::min(share, uint64_t(std::numeric_limits<int64_t>::max()));
}

namespace {
/// A part of a location that is not fused.
struct Part {
  Location loc;
  int64_t share;
};
} // namespace

std::string mlir::ipu::getHostCopyName(StringRef stream) {
  return ("host copy of " + stream).str();
}

static void addParts(Location loc, int64_t share,
                     SmallVectorImpl<Part> &parts) {
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused) {
    parts.push_back({loc, share});
    return;
  }
  auto shares = dyn_cast_or_null<DenseI64ArrayAttr>(fused.getMetadata());
  bool hasShares =
      shares && size_t(shares.size()) == fused.getLocations().size() &&
      llvm::all_of(shares.asArrayRef(), [](int64_t own) { return own >= 0; });
  for (auto [index, inner] : llvm::enumerate(fused.getLocations()))
    addParts(inner,
             hasShares ? toShare(llvm::SaturatingMultiply<uint64_t>(
                             share, shares[index]))
                       : share,
             parts);
}

SmallVector<OriginAttr> mlir::ipu::getOriginsOfLocation(StringRef op,
                                                        Location loc) {
  SmallVector<Part> parts;
  addParts(loc, 1, parts);
  // A name and a position may be parts of one location.
  bool hasName = getLocationName(loc) != nullptr;
  std::string place = getLocationPlace(loc);
  SmallVector<OriginAttr> origins;
  for (const Part &part : parts) {
    StringAttr name = getLocationName(part.loc);
    std::string own = getLocationPlace(part.loc);
    if (hasName ? !name : own.empty())
      continue;
    origins.push_back(OriginAttr::get(loc.getContext(), op,
                                      name ? name.getValue() : StringRef(),
                                      own.empty() ? place : own, part.share));
  }
  if (origins.empty())
    return {OriginAttr::get(loc.getContext(), op, "", "", 1)};
  return addEqualOrigins(origins);
}

/// Returns whether the ops in `step` have origins of their own.
static bool hasOriginsInside(StepOpInterface step) {
  return step->getNumRegions() > 0 && !step->getRegion(0).empty() &&
         !step->getRegion(0).front().empty() &&
         step->getRegion(0).front().front().hasAttr(
             IPUDialect::kOriginsAttrName) &&
         !isa<StepOpInterface>(step->getRegion(0).front().front());
}

SmallVector<OriginAttr> mlir::ipu::getOrigins(Operation *op) {
  if (auto origins = op->getAttrOfType<ArrayAttr>(IPUDialect::kOriginsAttrName))
    return llvm::to_vector(origins.getAsRange<OriginAttr>());
  auto step = dyn_cast<StepOpInterface>(op);
  if (!step)
    return getOrigins(op->getParentOp());
  if (hasOriginsInside(step)) {
    SmallVector<OriginAttr> origins;
    for (Operation &inner : step->getRegion(0).front())
      llvm::append_range(origins, getOrigins(&inner));
    return addEqualOrigins(origins);
  }
  std::string copy = step.getHostCopyName();
  if (!copy.empty())
    return {OriginAttr::get(op->getContext(), step.getSourceOp(), copy,
                            getLocationPlace(op->getLoc()), 1)};
  return getOriginsOfLocation(step.getSourceOp(), op->getLoc());
}

void mlir::ipu::setOrigins(Operation *op, ArrayRef<OriginAttr> origins) {
  SmallVector<Attribute> list(origins);
  op->setAttr(IPUDialect::kOriginsAttrName,
              ArrayAttr::get(op->getContext(), list));
}

void mlir::ipu::copyOrigins(StepOpInterface from, Operation *to) {
  if (from->hasAttr(IPUDialect::kOriginsAttrName) || hasOriginsInside(from))
    setOrigins(to, getOrigins(from));
}

void mlir::ipu::moveOriginsInside(StepOpInterface step) {
  if (hasOriginsInside(step))
    return;
  SmallVector<OriginAttr> origins = getOrigins(step);
  for (Operation &inner : step->getRegion(0).front())
    setOrigins(&inner, origins);
  step->removeAttr(IPUDialect::kOriginsAttrName);
}

SmallVector<OriginAttr>
mlir::ipu::addEqualOrigins(ArrayRef<OriginAttr> origins) {
  llvm::SmallMapVector<OriginAttr, int64_t, 4> shares;
  for (OriginAttr origin : origins) {
    int64_t &share = shares[origin.withShare(1)];
    share = toShare(llvm::SaturatingAdd<uint64_t>(share, origin.getShare()));
  }
  return llvm::map_to_vector(shares, [](const auto &entry) {
    return entry.first.withShare(entry.second);
  });
}
