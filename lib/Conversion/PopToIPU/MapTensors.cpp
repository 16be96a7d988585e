//===- MapTensors.cpp - Which tile holds which part -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a decomposed pop function.
// Out: the same with an `ipu.map` on each argument and each op whose result
// needs storage.
//
//===----------------------------------------------------------------------===//

#include "Codelets.h"
#include "TensorStorage.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_MAPTENSORSPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

namespace {
struct MapTensors : ipu::impl::MapTensorsPassBase<MapTensors> {
  void runOnOperation() override;

private:
  void mapArgument(BlockArgument argument);
  LogicalResult mapOp(Operation *op);
  void addView(TileViewOpInterface op);
  FailureOr<MapAttr> chooseMap(CodeletOpInterface op);
  MapAttr followOperand(CodeletOpInterface op);
  MapAttr getDefaultMap(Value value);
  void setStorage(Value value, MapAttr map);

  TargetModel target;
  DenseMap<Value, TensorStorage> storage;
  DenseMap<Value, MapAttr> maps; // of roots
};
} // namespace

void MapTensors::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  storage.clear();
  maps.clear();
  target = getTargetModel(function);
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        type && type.hasStaticShape())
      mapArgument(argument);
  // Ops with regions are for other passes; their insides are not mapped.
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (failed(mapOp(&op)))
        return signalPassFailure();
}

MapAttr MapTensors::getDefaultMap(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return getLinearMap(&getContext(), target, type.getNumElements(),
                      type.getElementType());
}

void MapTensors::setStorage(Value value, MapAttr map) {
  storage[value] = TensorStorage::own(value, getShape(value));
  maps[value] = map;
}

void MapTensors::mapArgument(BlockArgument argument) {
  func::FuncOp function = getOperation();
  auto map = function.getArgAttrOfType<MapAttr>(argument.getArgNumber(),
                                                IPUDialect::kMapAttrName);
  if (!map) {
    map = getDefaultMap(argument);
    function.setArgAttr(argument.getArgNumber(), IPUDialect::kMapAttrName, map);
  }
  setStorage(argument, map);
}

LogicalResult MapTensors::mapOp(Operation *op) {
  if (auto view = dyn_cast<TileViewOpInterface>(op)) {
    addView(view);
    return success();
  }
  if (op->getNumResults() != 1)
    return success();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return success();
  auto map = op->getAttrOfType<MapAttr>(IPUDialect::kMapAttrName);
  if (!map) {
    if (auto codelet = dyn_cast<CodeletOpInterface>(op)) {
      FailureOr<MapAttr> chosen = chooseMap(codelet);
      if (failed(chosen))
        return failure();
      map = *chosen;
    } else {
      map = getDefaultMap(op->getResult(0));
    }
    op->setAttr(IPUDialect::kMapAttrName, map);
  }
  setStorage(op->getResult(0), map);
  return success();
}

/// A view shares its operand's storage; where it cannot, the conversion will
/// copy the operand to the default map.
void MapTensors::addView(TileViewOpInterface op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  auto it = storage.find(operand);
  if (it == storage.end())
    return;
  TensorStorage from = it->second;
  FailureOr<StridedView> view = op.getTileView(from.view);
  if (succeeded(view))
    storage[result] = {from.root, *view};
  else
    setStorage(result, getDefaultMap(result));
}

/// For an elementwise op: the map of the first operand that is not a constant
/// and lies in the order of the result. Null if there is none.
MapAttr MapTensors::followOperand(CodeletOpInterface op) {
  if (op.getCodeletCost().kind != CodeletCostKind::Vector)
    return nullptr;
  int64_t elements = ShapedType::getNumElements(getShape(op->getResult(0)));
  for (Value operand : op->getOperands()) {
    auto it = storage.find(operand);
    if (it == storage.end() ||
        ShapedType::getNumElements(getShape(operand)) != elements)
      continue;
    Value root = it->second.root;
    if (matchPattern(root, m_Constant()) ||
        !it->second.isWhole(ShapedType::getNumElements(getShape(root))))
      continue;
    MapAttr leader = maps.lookup(root);
    FailureOr<TileForm> form = op.getTileForm(leader.getDomain());
    if (failed(form))
      return nullptr;
    const TileAccess &result = form->results.front();
    MapAttr map = leader.refactor(result.domain);
    if (map && getPartition(*form, result, map))
      return map;
  }
  return nullptr;
}

FailureOr<MapAttr> MapTensors::chooseMap(CodeletOpInterface op) {
  if (MapAttr map = followOperand(op))
    return map;
  // The default map of an elementwise result is its best partition as well.
  MapAttr linear = getDefaultMap(op->getResult(0));
  FailureOr<PartitionProblem> problem =
      getPartitionProblem(op, linear.getDomain());
  if (failed(problem))
    return failure();
  const TileAccess &result = problem->form.results.front();
  if (getPartition(problem->form, result, linear))
    return linear;
  LoopBlocks blocks = choosePartition(target, *problem);
  return getAccessMap(&getContext(), problem->form, blocks, result);
}
