//===- IPUAttrs.cpp - Attributes of the ipu dialect -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Dialect/IPU/IR/IPUEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUAttrs.cpp.inc"

void IPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ipu-mlir/Dialect/IPU/IR/IPUAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef preset, DictionaryAttr overrides) {
  // c1
  if (!llvm::is_contained(TargetModel::getPresets(), preset)) {
    InFlightDiagnostic diag = emitError();
    diag << "unknown target '" << preset << "'; expected one of ";
    llvm::interleaveComma(TargetModel::getPresets(), diag,
                          [&](StringRef name) { diag << "'" << name << "'"; });
    return diag;
  }
  // c2
  TargetModel model = *TargetModel::getPreset(preset);
  for (NamedAttribute entry :
       overrides ? overrides.getValue() : ArrayRef<NamedAttribute>()) {
    const TargetModel::Constant *constant =
        TargetModel::findConstant(entry.getName());
    if (!constant)
      return emitError() << "unknown target constant '"
                         << entry.getName().getValue() << "'";
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getType().isSignlessInteger(64) ||
        value.getInt() < constant->minimum)
      return emitError() << "expects target constant '"
                         << entry.getName().getValue()
                         << "' to be an i64 of at least " << constant->minimum
                         << " but got " << entry.getValue();
    model.*constant->member = value.getInt();
  }
  // c3
  constexpr int64_t kMaxAllTiles = int64_t(1) << 24;
  int64_t tiles, all;
  if (llvm::MulOverflow(model.ipus, model.tiles, tiles) || tiles > kMaxTiles)
    return emitError() << "expects at most " << kMaxTiles
                       << " tiles of a replica but got " << model.ipus
                       << (model.ipus == 1 ? " IPU of " : " IPUs of ")
                       << model.tiles << " tiles";
  if (llvm::MulOverflow(tiles, model.replicas, all) || all > kMaxAllTiles)
    return emitError() << "expects at most " << kMaxAllTiles
                       << " tiles in all but got " << model.replicas
                       << " replicas of " << model.ipus
                       << (model.ipus == 1 ? " IPU of " : " IPUs of ")
                       << model.tiles << " tiles";
  // c4
  if (model.io_tiles >= model.tiles)
    return emitError() << "expects fewer I/O tiles than the " << model.tiles
                       << " tiles of an IPU but got " << model.io_tiles;
  return success();
}

TargetModel TargetAttr::getModel() const {
  TargetModel model = *TargetModel::getPreset(getPreset());
  if (getOverrides())
    for (NamedAttribute entry : getOverrides())
      model.*TargetModel::findConstant(entry.getName())->member =
          cast<IntegerAttr>(entry.getValue()).getInt();
  return model;
}

//===----------------------------------------------------------------------===//
// CodeletCostAttr
//===----------------------------------------------------------------------===//

LogicalResult DrawAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t number, int64_t offset) {
  // c1
  if (number < 0 || number > kMaxDrawNumber)
    return emitError() << "expects the number of a draw to be from 0 to "
                       << kMaxDrawNumber << " but got " << number;
  // c2
  if (!llvm::isInt<32>(offset))
    return emitError() << "expects the offset of a draw to be from "
                       << llvm::minIntN(32) << " to " << llvm::maxIntN(32)
                       << " but got " << offset;
  return success();
}

LogicalResult OriginAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef, StringRef, StringRef,
                                 int64_t share) {
  // c1
  if (share < 0)
    return emitError() << "expects the share of an origin to be at least 0 but "
                          "got "
                       << share;
  return success();
}

/// Checks that what `get` returns for each of `shares` adds up to `whole`.
static LogicalResult verifySum(function_ref<InFlightDiagnostic()> emitError,
                               StringRef what, ArrayRef<CostShareAttr> shares,
                               int64_t whole,
                               function_ref<int64_t(CostShareAttr)> get) {
  __int128 sum = 0;
  for (CostShareAttr share : shares)
    sum += get(share);
  if (sum == whole)
    return success();
  return emitError() << "expects the " << what << " of the shares to add up to "
                     << whole;
}

LogicalResult StepCostAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> cycles, int64_t, int64_t,
                                   int64_t flops, int64_t bytes,
                                   ArrayRef<CostShareAttr> shares) {
  if (shares.empty())
    return success();
  // c1
  for (CostShareAttr share : shares)
    if (share.getCycles().size() != cycles.size())
      return emitError() << "expects a share to have the cycles of "
                         << cycles.size() << " IPUs but got "
                         << share.getCycles().size();
  for (auto [ipu, whole] : llvm::enumerate(cycles))
    if (failed(verifySum(emitError, "cycles", shares, whole,
                         [ipu = ipu](CostShareAttr share) {
                           return share.getCycles()[ipu];
                         })))
      return failure();
  if (failed(verifySum(emitError, "flops", shares, flops,
                       [](CostShareAttr share) { return share.getFlops(); })))
    return failure();
  return verifySum(emitError, "bytes", shares, bytes,
                   [](CostShareAttr share) { return share.getBytes(); });
}

LogicalResult
CodeletCostAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        CostKind kind, int64_t supervisor, int64_t worker,
                        int64_t cycles, int64_t per, int64_t combined,
                        int64_t stride) {
  // Products of these with local sizes must stay far from overflow.
  constexpr int64_t limit = 1 << 20;
  // c1
  for (int64_t value : {supervisor, worker, cycles, per, combined, stride})
    if (value < 0 || (value > limit && value != combined && value != stride))
      return emitError() << "expects costs between 0 and " << limit
                         << " but got " << value;
  // c2
  bool needsPer = kind != CostKind::Matmul && kind != CostKind::Conv &&
                  kind != CostKind::Reduce;
  if (needsPer && per == 0)
    return emitError() << "expects a " << stringifyCostKind(kind)
                       << " cost to have a positive 'per'";
  return success();
}
