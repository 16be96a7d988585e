//===- ConvertStorage.cpp - Variables for tensors ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;

static MemRefType getVariableType(ShapedType type, TileMappingAttr mapping) {
  return MemRefType::get(type.getShape(),
                         getStorageElementType(type.getElementType()),
                         MemRefLayoutAttrInterface(), mapping);
}

VarOp FunctionConverter::createVariable(Location loc, const Twine &name,
                                        ShapedType type,
                                        TileMappingAttr mapping) {
  return VarOp::create(builder, loc, getVariableType(type, mapping), name.str(),
                       /*copies=*/!mapping.coversOnce(), ElementsAttr());
}

/// Creates a variable with an initial value. It is outside of loops.
VarOp FunctionConverter::createInitialised(Location loc, const Twine &name,
                                           RankedTensorType type,
                                           TileMappingAttr mapping,
                                           ElementsAttr value) {
  OpBuilder::InsertionGuard guard(builder);
  if (builder.getInsertionBlock() != firstOp->getBlock())
    builder.setInsertionPoint(firstOp);
  return VarOp::create(builder, loc, getVariableType(type, mapping), name.str(),
                       /*copies=*/!mapping.coversOnce(), value);
}

/// Returns the handle on `storage` in the function.
Value FunctionConverter::getHandle(Location loc, StringRef name,
                                   StorageOp storage) {
  auto [it, isNew] = handles.try_emplace(storage.getSymNameAttr());
  if (isNew) {
    OpBuilder::InsertionGuard guard(builder);
    if (builder.getInsertionBlock() != firstOp->getBlock())
      builder.setInsertionPoint(firstOp);
    auto type = cast<MemRefType>(storage.getType());
    it->second = VarOp::create(
        builder, loc, type, name,
        /*copies=*/!getTileMapping(type).coversOnce(), ElementsAttr(),
        FlatSymbolRefAttr::get(storage.getSymNameAttr()));
  }
  return it->second;
}

Value FunctionConverter::createView(Location loc, Value variable,
                                    const StridedView &view) {
  auto type = cast<MemRefType>(variable.getType());
  if (view.isContiguous() && type.getShape() == ArrayRef(view.sizes))
    return variable;
  MemRefLayoutAttrInterface layout;
  if (!view.isContiguous())
    layout =
        StridedLayoutAttr::get(builder.getContext(), view.offset, view.strides);
  auto viewType = MemRefType::get(view.sizes, type.getElementType(), layout,
                                  type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, viewType, variable, view.offset, view.sizes,
      view.isContiguous() ? computeStrides(view.sizes) : view.strides);
}

Value FunctionConverter::createView(Location loc, const TensorStorage &tensor) {
  return createView(loc, tensor.root, tensor.view);
}

void FunctionConverter::createSync(Location loc) {
  SyncOp::create(builder, loc,
                 target.ipus > 1 ? SyncKind::IPUs : SyncKind::Internal,
                 StepCostAttr());
}

void FunctionConverter::createCopy(Location loc, StringRef name,
                                   const TensorStorage &from, Value to,
                                   pop::ReplicaPartitionAttr annotation) {
  Value view = createView(loc, from);
  createSync(loc);
  auto exchange = ExchangeOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  setReplicaEqualAnnotation(MoveOp::create(inner, loc, view, to), annotation);
}

void FunctionConverter::createFill(Location loc, StringRef name, VarOp variable,
                                   TypedAttr value,
                                   pop::ReplicaPartitionAttr annotation) {
  TileMappingAttr mapping = getTileMapping(variable.getResult().getType());
  CodeletOp codelet =
      state.codelets.getOrCreateFill(loc, value, mapping.getDomain().size());
  auto computeSet = ComputeSetOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  setReplicaEqualAnnotation(
      VerticesOp::create(inner, loc, codelet.getSymName(), ValueRange(),
                         variable.getResult(), builder.getArrayAttr({mapping})),
      annotation);
}

/// Returns the variable with the shape of `tensor` and with its elements in
/// row-major order. If there is no such variable, copies `tensor` to a variable
/// with `mapping` or, without it, with the default tile mapping.
Value FunctionConverter::getWhole(Value tensor, StringRef name, Location loc,
                                  TileMappingAttr mapping) {
  const TensorStorage &from = storage.at(tensor);
  auto type = cast<ShapedType>(tensor.getType());
  auto rootType = cast<MemRefType>(from.root.getType());
  if (from.isWhole(rootType.getNumElements()))
    return createView(loc, from);
  if (!mapping)
    mapping = getDefaultTileMapping(target, getTileSpace(tensor), type);
  VarOp copy = createVariable(loc, name, type, mapping);
  createCopy(loc, name, from, copy.getResult(), getReplicaEqual(tensor));
  return copy.getResult();
}
