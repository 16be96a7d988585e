//===- ConvertTileOps.cpp - Ops that tiles execute --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the type of a tensor or of the tensor to which a ref refers.
static ShapedType getTensorType(Value value) {
  return cast<ShapedType>(value.getType());
}

FailureOr<TileMappingAttr> FunctionConverter::getTileMappingOf(Operation *op) {
  if (auto mapping =
          op->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName))
    return mapping;
  return op->emitOpError("expects a tile mapping; run pop-map-tensors");
}

LogicalResult FunctionConverter::convertConstant(Operation *op,
                                                 ElementsAttr value) {
  FailureOr<TileMappingAttr> mapping = getTileMappingOf(op);
  if (failed(mapping))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  VarOp variable =
      createInitialised(op->getLoc(), getStepName(op), type, *mapping, value);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  return success();
}

/// Returns the variable to which a `pop.copy_` will copy the result of the op,
/// if the op can write the variable directly. This requires that the variable
/// has the tile mapping `own`, and that no op uses the variable between the op
/// and the copy. If the op itself reads the variable, each vertex must read the
/// elements that it writes.
Value FunctionConverter::getForwardTarget(CodeletOpInterface op,
                                          const TileForm &form,
                                          TileMappingAttr own,
                                          ArrayRef<Attribute> access) {
  if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse())
    return {};
  auto copy =
      dyn_cast<pop::CopyInPlaceOp>(*op->getResult(0).getUsers().begin());
  if (!copy || copy->getBlock() != op->getBlock())
    return {};
  constexpr unsigned kMaxDistance = 64;
  SmallVector<Operation *> between;
  for (Operation *next = op->getNextNode(); next != copy;
       next = next->getNextNode()) {
    // The ref to the variable may be created after the op.
    auto variable = dyn_cast<pop::GetVariableOp>(next);
    if (between.size() == kMaxDistance || next->getNumRegions() > 0 ||
        isa<CallOpInterface>(next) ||
        (variable && failed(convertGetVariable(variable))))
      return {};
    between.push_back(next);
  }
  auto to = storage.find(copy.getTarget());
  if (to == storage.end())
    return {};
  Value root = to->second.root;
  auto type = cast<MemRefType>(root.getType());
  if (!to->second.isWhole(type.getNumElements()) ||
      getTileMapping(type) != own ||
      type.getShape() != getTensorType(op->getResult(0)).getShape())
    return {};
  auto isPart = [&](Value value) {
    auto it = storage.find(value);
    return it != storage.end() && it->second.root == root;
  };
  bool isVector = op.getCodeletCost().kind == CodeletCostKind::Vector;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isPart(operand) &&
        !((isVector || form.updatedInput == index) && access[index] == own &&
          storage.at(operand).isWhole(type.getNumElements())))
      return {};
  for (Operation *next : between)
    if (llvm::any_of(next->getOperands(), isPart))
      return {};
  return root;
}

/// Returns whether all vertices with `access` read elements of the tensor that
/// are on their tiles.
static bool isInPlace(const TensorStorage &tensor, Attribute access) {
  auto type = cast<MemRefType>(tensor.root.getType());
  return isHeldAs(getTileMapping(type), tensor.view,
                  cast<TileMappingAttr>(access));
}

LogicalResult FunctionConverter::convertCodelet(CodeletOpInterface op) {
  FailureOr<TileMappingAttr> mapping = getTileMappingOf(op);
  if (failed(mapping))
    return failure();
  FailureOr<PartitionProblem> problem =
      getPartitionProblem(op, mapping->getDomain());
  if (failed(problem))
    return failure();
  const TileForm &form = problem->form;
  std::optional<LoopBlocks> blocks =
      getPartition(form, form.results.front(), *mapping);
  if (!blocks)
    return op->emitOpError()
           << "cannot be distributed over tiles by its tile mapping: "
           << *mapping;
  Location loc = op->getLoc();
  std::string name = getStepName(op);
  SmallVector<Value> inputs, outputs;
  SmallVector<Attribute> access;
  // The inputs that vertices read where they are, in another order.
  SmallVector<bool> isStrided;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    const TensorStorage &from = storage.at(operand);
    inputs.push_back(createView(loc, from));
    auto type = cast<MemRefType>(from.root.getType());
    bool isWhole = from.isWhole(type.getNumElements());
    access.push_back(
        getInputTileMapping(form, *blocks, index, *mapping,
                            isWhole ? getTileMapping(type) : nullptr));
    isStrided.push_back(!isWhole && isInPlace(from, access.back()));
  }
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    TileMappingAttr own =
        index == 0
            ? *mapping
            : getAccessTileMapping(builder.getContext(), form, *blocks,
                                   form.results[index], mapping->getFirst());
    Value variable = getForwardTarget(op, form, own, access);
    if (!variable)
      variable = createVariable(loc, name, getTensorType(result), own);
    storage[result] =
        TensorStorage::own(variable, getTensorType(result).getShape());
    outputs.push_back(variable);
    access.push_back(own);
  }
  if (form.updatedInput)
    setInPlace(*problem, storage.at(op->getOperand(*form.updatedInput)).root ==
                             outputs.front());
  if (isRoundingOfSums(op) &&
      isInPlace(storage.at(op->getOperand(0)), access.front()))
    problem->cost = getCostOfRounding(builder.getContext());
  FailureOr<CodeletOp> codelet =
      state.codelets.getOrCreate(op, *problem, isStrided, state.rounding);
  if (failed(codelet))
    return failure();
  FailureOr<RandomDraw> draw = RandomDraw();
  if (drawsRandomBits(*codelet))
    draw = getDraw(op);
  if (failed(draw))
    return failure();
  auto computeSet = ComputeSetOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  auto vertices = VerticesOp::create(
      inner, loc, codelet->getSymName(), inputs, outputs, draw->rng,
      /*in_place=*/ValueRange(), draw->draw, builder.getArrayAttr(access));
  setReplicaEqualAnnotation(vertices, getReplicaEqual(op->getResults()));
  return success();
}

LogicalResult FunctionConverter::convertView(TileViewOpInterface op) {
  Value operand = op->getOperand(0);
  FailureOr<StridedView> view = op.getTileView(storage.at(operand).view);
  if (succeeded(view)) {
    storage[op->getResult(0)] = {storage.at(operand).root, *view};
    return success();
  }
  if (isa<pop::RefType>(op->getResult(0).getType()))
    return op->emitOpError("is a view that no strides can express; read the "
                           "ref, and copy the result back");
  // No strides express the view. Copy the operand to row-major order, and view
  // the copy.
  TileMappingAttr mapping;
  if (op->hasAttr(IPUDialect::kTileMappingAttrName)) {
    FailureOr<TileMappingAttr> given = getTileMappingOf(op);
    if (failed(given))
      return failure();
    mapping = *given;
  }
  Value copy = getWhole(operand, getStepName(op), op->getLoc(), mapping);
  view =
      op.getTileView(StridedView::identity(getTensorType(operand).getShape()));
  if (failed(view))
    return op->emitOpError("cannot be expressed as a view of its operand, even "
                           "if the operand is copied to contiguous memory");
  storage[op->getResult(0)] = {copy, *view};
  return success();
}

LogicalResult FunctionConverter::convertMove(TileMoveOpInterface op) {
  FailureOr<TileMappingAttr> mapping = getTileMappingOf(op);
  if (failed(mapping))
    return failure();
  Location loc = op->getLoc();
  std::string name = getStepName(op);
  ShapedType type = getTensorType(op->getResult(0));
  VarOp variable = createVariable(loc, name, type, *mapping);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  if (TypedAttr fill = op.getTileFill())
    createFill(loc, name, variable, fill, getReplicaEqual(op->getResult(0)));
  // Create views of the sources and of the regions that they fill, and then one
  // exchange for all of them.
  SmallVector<std::pair<Value, Value>> moves;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (const TileMove &move : op.getTileMoves()) {
    Value operand = op->getOperand(move.operand);
    StridedView region{0, llvm::to_vector(getTensorType(operand).getShape()),
                       strides};
    for (auto [offset, stride] : llvm::zip_equal(move.offsets, strides))
      region.offset += offset * stride;
    Value from = createView(loc, storage.at(operand));
    moves.emplace_back(from, createView(loc, variable.getResult(), region));
  }
  createSync(loc);
  auto exchange = ExchangeOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  for (auto [source, to] : moves)
    setReplicaEqualAnnotation(MoveOp::create(inner, loc, source, to),
                              getReplicaEqual(op->getResult(0)));
  return success();
}
