//===- LowerToLoopsSetUp.cpp - Buffers, sizes and forms of values ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is decided before the first loop: the buffers of inputs and outputs,
// scalars and sizes, which loops become vectors, and which tensors need memory.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// The most lanes of a vector.

static MemRefType getMemRefType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Visits all nodes, with the loops around each.
static void forEachLoop(const std::vector<LoopNode> &body,
                        SmallVectorImpl<ClassId> &open,
                        function_ref<void(const LoopNode &)> visit) {
  for (const LoopNode &node : body) {
    visit(node);
    if (node.kind != LoopNode::Kind::Loop)
      continue;
    open.push_back(node.loopClass);
    forEachLoop(node.body, open, visit);
    open.pop_back();
  }
}

NestEmitter::NestEmitter(const FusionSchedule &fusion,
                         const LoopClasses &classes, const LoopNest &nest,
                         const LowerToLoopsOptions &options)
    : op(fusion.getFusion()), fusion(fusion), schedule(fusion.schedule),
      classes(classes), nest(nest), options(options),
      b(op.getLoc(), op.getContext()), ranges(classes) {}

LogicalResult NestEmitter::run(SmallVectorImpl<Value> &results) {
  b.setInsertionPoint(op);
  if (failed(setUp()) || failed(emitBody(nest.body)))
    return failure();
  b.setLoc(op.getLoc());
  for (Value buffer : llvm::reverse(wholeTemporaries))
    memref::DeallocOp::create(b, buffer);
  for (auto [yielded, buffer] :
       llvm::zip_equal(op.getBody().front().getTerminator()->getOperands(),
                       outputBuffers)) {
    results.push_back(bufferization::ToTensorOp::create(
        b, yielded.getType(), buffer, /*restrict=*/true, /*writable=*/true));
  }
  return success();
}

LogicalResult NestEmitter::setUp() {
  states.resize(schedule.getNumTensors());
  setUpInputs();
  if (failed(setUpScalars()))
    return failure();
  setUpSymbols();
  setUpOutputs();
  setUpStatements();
  chooseVectorLoops();
  chooseForms();
  return success();
}

void NestEmitter::setUpStatement(Statement &statement) {
  for (IndexBound bound : statement.solver->getBounds()) {
    bound.index = ranges.simplify(bound.index);
    // Without the quotient, loops can be split at the bound.
    while (auto quotient = dyn_cast<AffineBinaryOpExpr>(bound.index)) {
      if (quotient.getKind() != AffineExprKind::FloorDiv)
        break;
      bound.bound = bound.bound * quotient.getRHS();
      bound.index = quotient.getLHS();
    }
    if (!ranges.isBelow(bound.index, bound.bound))
      statement.bounds.push_back(bound);
  }
}

void NestEmitter::setUpStatements() {
  for (TensorId tensor : schedule.getProgramOrder()) {
    State &state = states[tensor];
    const Tensor &info = schedule.getTensor(tensor);
    if (info.isInput)
      continue;
    for (unsigned i = info.computeAt, e = info.loop.size(); i < e; ++i)
      if (schedule.getAxis(info.loop[i]).kind == AxisKind::Iteration)
        state.privateLoops.push_back(i);
    state.buffers.resize(fusion.getOp(tensor)->getNumResults());
    state.compute.tensor = state.init.tensor = tensor;
    state.compute.solver =
        std::make_unique<IndexSolver>(schedule, classes, tensor);
    setUpStatement(state.compute);
  }
  SmallVector<ClassId> open;
  forEachLoop(nest.body, open, [&](const LoopNode &node) {
    if (node.kind != LoopNode::Kind::Init)
      return;
    State &state = states[node.tensor];
    state.init.solver = std::make_unique<IndexSolver>(
        schedule, classes, node.tensor, ArrayRef<unsigned>(node.axes));
    setUpStatement(state.init);
  });
}

void NestEmitter::setUpInputs() {
  for (auto [argument, operand] :
       llvm::zip_equal(op.getBody().getArguments(), op.getInputs())) {
    if (!isa<RankedTensorType>(argument.getType())) {
      scalars.map(argument, operand);
      continue;
    }
    Value buffer = bufferization::ToBufferOp::create(
        b, getMemRefType(operand), operand, /*read_only=*/true);
    inputs.map(argument, buffer);
  }
}

Value NestEmitter::getDim(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  if (Value buffer = inputs.lookupOrNull(tensor))
    return memref::DimOp::create(b, buffer, dim);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return getScalar(empty.getDynamicSize(dim));
  auto structured = tensor.getDefiningOp<DestinationStyleOpInterface>();
  return getDim(structured.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                dim);
}

LogicalResult NestEmitter::setUpScalars() {
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (auto dimOp = dyn_cast<tensor::DimOp>(inner)) {
      std::optional<int64_t> dim = dimOp.getConstantIndex();
      auto type = dyn_cast<RankedTensorType>(dimOp.getSource().getType());
      if (!dim || !type || *dim < 0 || *dim >= type.getRank())
        return inner.emitError("expects a constant dimension of a tensor");
      scalars.map(dimOp.getResult(), getDim(dimOp.getSource(), *dim));
      continue;
    }
    bool isScalar =
        !isa<linalg::LinalgOp>(inner) &&
        llvm::none_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>) &&
        llvm::none_of(inner.getOperandTypes(), llvm::IsaPred<ShapedType>);
    if (isScalar)
      b.clone(inner, scalars);
  }
  return success();
}

void NestEmitter::setUpSymbols() {
  SmallVector<Value> symbols;
  for (const FusionSchedule::Symbol &symbol : fusion.getSymbols())
    symbols.push_back(getDim(symbol.value, symbol.dim));
  // Sizes can be symbols of affine maps only at the top of a function.
  bool isTop = op->getParentOp()->hasTrait<OpTrait::AffineScope>();
  index = std::make_unique<IndexBuilder>(
      b, options.affine && (isTop || symbols.empty()), symbols, classes.size());
}

void NestEmitter::setUpOutputs() {
  llvm::DenseMap<Value, Value> made;
  auto make = [&](Value value) {
    MemRefType type = getMemRefType(value);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (type.isDynamicDim(dim))
        sizes.push_back(getDim(value, dim));
    }
    Value buffer =
        memref::AllocOp::create(b, type, sizes, b.getI64IntegerAttr(64));
    made[value] = buffer;
    return buffer;
  };
  Operation *yield = op.getBody().front().getTerminator();
  for (Value value : yield->getOperands()) {
    if (Value buffer = made.lookup(value)) {
      outputBuffers.push_back(buffer);
      continue;
    }
    TensorId tensor = *fusion.getTensor(value);
    Value buffer = make(value);
    State &state = states[tensor];
    state.isWhole = true;
    state.buffers.resize(fusion.getOp(tensor)->getNumResults());
    state.buffers[cast<OpResult>(value).getResultNumber()] = buffer;
    outputBuffers.push_back(buffer);
  }
  // Results beside an output have no other place.
  for (TensorId tensor : schedule.getProgramOrder()) {
    if (!states[tensor].isWhole)
      continue;
    for (auto [result, buffer] : llvm::zip_equal(
             fusion.getOp(tensor)->getResults(), states[tensor].buffers)) {
      if (buffer || result.use_empty())
        continue;
      buffer = make(result);
      wholeTemporaries.push_back(buffer);
    }
  }
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void NestEmitter::chooseVectorLoops() {
  isVectorLoop.assign(classes.size(), false);
  for (ClassId id = 0; id < classes.size(); ++id) {
    const LoopClass &loopClass = classes[id];
    if (loopClass.type != LoopType::Vectorize)
      continue;
    // verifyLoopTypes has seen that it is constant.
    auto extent = cast<AffineConstantExpr>(loopClass.extent);
    isVectorLoop[id] = extent.getValue() > 1;
  }
  // All statements in the loop must have lanes; no vectors of vectors.
  SmallVector<ClassId> open;
  forEachLoop(nest.body, open, [&](const LoopNode &node) {
    if (node.kind == LoopNode::Kind::Alloc)
      return;
    for (ClassId around : open) {
      if (!isVectorLoop[around])
        continue;
      bool isFine = node.kind == LoopNode::Kind::Loop
                        ? !isVectorLoop[node.loopClass] &&
                              classes[node.loopClass].type != LoopType::Parallel
                        : canVectorize(node.tensor, around);
      if (!isFine)
        isVectorLoop[around] = false;
    }
  });
}

bool NestEmitter::isReadByLane(TensorId tensor) const {
  const State &state = states[tensor];
  ClassId own = classes.getClass(tensor, state.privateLoops.front());
  for (Value result : fusion.getOp(tensor)->getResults()) {
    for (OpOperand &use : result.getUses()) {
      std::optional<TensorId> reader = fusion.getTensor(use.getOwner());
      if (!reader)
        continue; // the terminator
      if (!isReadOperand(fusion.getOp(*reader), use))
        continue;
      SmallVector<AffineExpr> read =
          getReadIndices(states[*reader].compute, use);
      auto dim = read.size() == 1 ? dyn_cast<AffineDimExpr>(read[0]) : nullptr;
      if (!dim || !isVectorLoop[dim.getPosition()] ||
          !hasLane(*reader, dim.getPosition()) ||
          getNumLanes(dim.getPosition()) != getNumLanes(own))
        return false;
    }
  }
  return true;
}

bool NestEmitter::isReadOutside(TensorId tensor) const {
  const Tensor &info = schedule.getTensor(tensor);
  for (unsigned i = info.computeAt; i < info.loop.size(); ++i) {
    // A reduction's value is complete after its loops. A broadcast is in a loop
    // if another tensor has that.
    ClassId around = classes.getClass(tensor, i);
    if (!classes[around].hasLoop ||
        schedule.getAxis(info.loop[i]).isReduction())
      continue;
    for (TensorId consumer : schedule.getConsumers(tensor))
      if (!llvm::is_contained(classes.getLoopsAround(consumer), around))
        return true;
  }
  return false;
}

NestEmitter::Form NestEmitter::chooseForm(TensorId tensor) const {
  const State &state = states[tensor];
  if (state.privateLoops.empty())
    return isReadOutside(tensor) ? Form::Memory : Form::Scalar;
  // The buffer of an output is indexed by its logical axes.
  if (state.privateLoops.size() == 1 && !state.isWhole &&
      isVectorLoop[classes.getClass(tensor, state.privateLoops.front())] &&
      isReadByLane(tensor))
    return Form::Vector;
  return Form::Memory;
}

void NestEmitter::chooseForms() {
  for (TensorId tensor : schedule.getProgramOrder())
    if (!schedule.getTensor(tensor).isInput)
      states[tensor].form = chooseForm(tensor);
  SmallVector<ClassId> open;
  forEachLoop(nest.body, open, [&](const LoopNode &node) {
    if (node.kind != LoopNode::Kind::Init)
      return;
    State &state = states[node.tensor];
    if (node.axes.empty())
      return; // a scalar
    state.accForm = Form::Memory;
    bool isVector =
        node.axes.size() == 1 &&
        isVectorLoop[classes.getClass(node.tensor, node.axes.front())];
    for (unsigned i = 0, e = fusion.getOp(node.tensor)->getNumResults(); i != e;
         ++i)
      isVector &= bool(fusion.getFillValue(node.tensor, i));
    if (isVector)
      state.accForm = Form::Vector;
    else
      state.form = Form::Memory;
  });
}
