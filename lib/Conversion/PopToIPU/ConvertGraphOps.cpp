//===- ConvertGraphOps.cpp - State, control flow, replicas ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;

std::optional<LogicalResult> FunctionConverter::convertGraphOp(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](pop::GetVariableOp op) { return convertGetVariable(op); })
      .Case([&](pop::AllocOp op) { return convertAlloc(op); })
      .Case([&](pop::FromTensorOp op) { return convertFromTensor(op); })
      .Case([&](pop::CopyInPlaceOp op) { return convertCopyInto(op); })
      .Case([&](scf::ForOp op) { return convertFor(op); })
      .Case([&](scf::WhileOp op) { return convertWhile(op); })
      .Case([&](scf::IfOp op) { return convertIf(op); })
      .Case([&](func::CallOp op) { return convertCall(op); })
      .Case([&](pop::HostLoadOp op) { return convertHostLoad(op); })
      .Case([&](pop::HostStoreOp op) { return convertHostStore(op); })
      .Case<pop::RemoteLoadOp, pop::RemoteStoreOp>(
          [&](auto op) { return convertRemote(op, op.getOperation()); })
      .Case([&](pop::RemoteExchangeOp op) { return convertRemoteExchange(op); })
      .Case([&](pop::InSequenceOp op) { return convertInSequence(op); })
      .Case<pop::AllReduceOp, pop::AllGatherOp, pop::ReduceScatterOp,
            pop::AllToAllOp, pop::BroadcastOp, pop::CollectivePermuteOp,
            pop::ReplicaSliceOp>([&](auto op) { return convertCollective(op); })
      .Case([&](pop::ReplicaIndexOp op) { return convertReplicaIndex(op); })
      .Case([&](pop::RemoteCodeLoadOp op) { return convertCodeLoad(op); })
      .Case([&](pop::CodeCopyOp op) { return convertCodeCopy(op); })
      // Whoever uses these scalars looks at what they are made of.
      .Case<tensor::ExtractOp, arith::IndexCastOp, arith::ConstantOp>(
          [&](auto op) -> Result {
            if (op->getNumResults() == 1 &&
                op->getResult(0).getType().isIntOrIndex())
              return success();
            return std::nullopt;
          })
      .Case<scf::YieldOp, scf::ConditionOp, pop::YieldOp>(
          [](auto) { return success(); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

FailureOr<VarOp> FunctionConverter::createResult(Operation *op) {
  FailureOr<MapAttr> map = getMapOf(op);
  if (failed(map))
    return failure();
  auto type = cast<ShapedType>(op->getResult(0).getType());
  VarOp variable = createVariable(op->getLoc(), getStepName(op), type, *map);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  return variable;
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertGetVariable(pop::GetVariableOp op) {
  StringAttr name = op.getVariableAttr().getAttr();
  StorageOp shared = state.storages.lookup(name);
  if (!shared)
    return op.emitOpError() << "names " << op.getVariableAttr()
                            << ", which has no storage on the tiles";
  auto [it, isNew] = handles.try_emplace(name);
  if (isNew) {
    OpBuilder::InsertionGuard guard(builder);
    if (builder.getInsertionBlock() != firstOp->getBlock())
      builder.setInsertionPoint(firstOp);
    it->second =
        VarOp::create(builder, op.getLoc(), cast<MemRefType>(shared.getType()),
                      name.getValue(), /*copies=*/false, ElementsAttr(),
                      FlatSymbolRefAttr::get(shared.getSymNameAttr()));
  }
  storage[op.getResult()] =
      TensorStorage::own(it->second, cast<ShapedType>(op.getType()).getShape());
  return success();
}

LogicalResult FunctionConverter::convertAlloc(pop::AllocOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  if (op.getInit() == pop::AllocInit::Zero)
    createFill(
        op.getLoc(), getStepName(op), *variable,
        builder.getZeroAttr(cast<ShapedType>(op.getType()).getElementType()));
  return success();
}

LogicalResult FunctionConverter::convertFromTensor(pop::FromTensorOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  createCopy(op.getLoc(), getStepName(op), storage.at(op.getInput()),
             variable->getResult());
  return success();
}

/// Whether both show the same elements in the same order: strides of dimensions
/// of one element do not matter.
static bool isSame(const TensorStorage &a, const TensorStorage &b) {
  if (a.root != b.root || a.view.offset != b.view.offset ||
      a.view.sizes != b.view.sizes)
    return false;
  return llvm::all_of(
      llvm::zip_equal(a.view.sizes, a.view.strides, b.view.strides),
      [](auto dim) {
        auto [size, strideOfA, strideOfB] = dim;
        return size == 1 || strideOfA == strideOfB;
      });
}

LogicalResult FunctionConverter::convertCopyInto(pop::CopyInPlaceOp op) {
  const TensorStorage &from = storage.at(op.getValue());
  const TensorStorage &to = storage.at(op.getTarget());
  // The op that computed it wrote it there.
  if (isSame(from, to))
    return success();
  createCopy(op.getLoc(), getStepName(op), from, createView(op.getLoc(), to));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertBody(Block &from, Region &into) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&into);
  for (Operation &op : from)
    if (failed(convertOp(&op)))
      return failure();
  return success();
}

/// The variable with the one element that `scalar` is.
FailureOr<Value> FunctionConverter::getScalarVariable(Operation *user,
                                                      Value scalar) {
  Value element = scalar;
  if (auto cast = scalar.getDefiningOp<arith::IndexCastOp>())
    element = cast.getIn();
  if (auto extract = element.getDefiningOp<tensor::ExtractOp>())
    if (extract.getIndices().empty())
      return getWhole(extract.getTensor(), getStepName(user), user->getLoc());
  APInt value;
  if (!matchPattern(scalar, m_ConstantInt(&value)))
    return user->emitOpError("depends on a scalar that is no constant or "
                             "element of a 0-d tensor; run "
                             "pop-lower-control-flow");
  Type type = scalar.getType().isInteger(1) ? builder.getI1Type()
                                            : cast<Type>(builder.getI32Type());
  auto tensor = RankedTensorType::get({}, type);
  auto constant = DenseElementsAttr::get(
      tensor, builder.getIntegerAttr(type, value.getSExtValue()));
  return createInitialised(user->getLoc(), getStepName(user), tensor,
                           getDefaultMap(tensor), constant)
      .getResult();
}

LogicalResult FunctionConverter::convertFor(scf::ForOp op) {
  if (op.getNumResults() > 0 || !op.getInductionVar().use_empty() ||
      !matchPattern(op.getLowerBound(), m_Zero()) ||
      !matchPattern(op.getStep(), m_One()))
    return op.emitOpError("expects a loop from 0 by 1 that carries nothing; "
                          "run pop-lower-control-flow");
  APInt count;
  IntegerAttr constant;
  Value variable;
  if (matchPattern(op.getUpperBound(), m_ConstantInt(&count))) {
    constant =
        builder.getI64IntegerAttr(std::max<int64_t>(count.getSExtValue(), 0));
  } else {
    FailureOr<Value> found = getScalarVariable(op, op.getUpperBound());
    if (failed(found))
      return failure();
    variable = *found;
  }
  auto repeat = RepeatOp::create(builder, op.getLoc(), constant, variable,
                                 StepCostAttr());
  return convertBody(*op.getBody(), repeat.getBody());
}

LogicalResult FunctionConverter::convertWhile(scf::WhileOp op) {
  Block &before = op.getBefore().front();
  if (op.getNumResults() > 0 || op.getNumOperands() > 0)
    return op.emitOpError("expects a loop that carries nothing; run "
                          "pop-lower-control-flow");
  // The tiles that decide look at one variable, which is outside of the loop.
  auto i1 = RankedTensorType::get({}, builder.getI1Type());
  VarOp condition =
      createVariable(op.getLoc(), getStepName(op), i1, getDefaultMap(i1));
  auto loop = WhileOp::create(builder, op.getLoc(), condition.getResult(),
                              StepCostAttr());
  if (failed(convertBody(before, loop.getBefore())))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&loop.getBefore().front());
  FailureOr<Value> found =
      getScalarVariable(op, op.getConditionOp().getCondition());
  if (failed(found))
    return failure();
  auto defined = found->getDefiningOp<VarOp>();
  if (!loop->isAncestor(defined)) {
    loop.getConditionMutable().assign(*found);
    condition.erase();
  } else {
    createCopy(op.getLoc(), getStepName(op), TensorStorage::own(*found, {}),
               condition.getResult());
  }
  return convertBody(op.getAfter().front(), loop.getBody());
}

LogicalResult FunctionConverter::convertIf(scf::IfOp op) {
  if (op.getNumResults() > 0)
    return op.emitOpError("expects a branch without results; run "
                          "pop-lower-control-flow");
  FailureOr<Value> condition = getScalarVariable(op, op.getCondition());
  if (failed(condition))
    return failure();
  auto branch = IfOp::create(builder, op.getLoc(), *condition, StepCostAttr());
  if (failed(convertBody(op.getThenRegion().front(), branch.getThenBody())))
    return failure();
  if (op.getElseRegion().empty())
    return success();
  return convertBody(op.getElseRegion().front(), branch.getElseBody());
}

LogicalResult FunctionConverter::convertCall(func::CallOp op) {
  if (op.getNumOperands() > 0 || op.getNumResults() > 0)
    return op.emitOpError("expects a call without operands and results; run "
                          "pop-lower-calls");
  CallOp::create(builder, op.getLoc(), op.getCallee(), StepCostAttr());
  return success();
}

/// The ops stay in their order, which is all that is left of the sequence.
LogicalResult FunctionConverter::convertInSequence(pop::InSequenceOp op) {
  for (Operation &inner : op.getBody().front())
    if (failed(convertOp(&inner)))
      return failure();
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), yield->getOperands()))
    storage[result] = TensorStorage(storage.at(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Host and streaming memory
//===----------------------------------------------------------------------===//

/// The variable from which a transfer takes `tensor`: on I/O tiles, if that is
/// where the transfer is.
FailureOr<Value> FunctionConverter::getTransferred(Operation *op, Value tensor,
                                                   StringRef name) {
  Value whole = getWhole(tensor, name, op->getLoc());
  if (!pop::isOnIOTiles(op))
    return whole;
  if (target.io_tiles == 0)
    return op->emitOpError("is on I/O tiles but the target has none");
  auto type = cast<RankedTensorType>(tensor.getType());
  MapAttr map = getIOMap(op->getContext(), target, type.getNumElements(),
                         type.getElementType());
  if (getMap(cast<MemRefType>(whole.getType())).isEquivalentTo(map))
    return whole;
  VarOp copy = createVariable(op->getLoc(), name, type, map);
  createCopy(op->getLoc(), name, TensorStorage::own(whole, type.getShape()),
             copy.getResult());
  return copy.getResult();
}

/// I/O tiles wait for the host by themselves.
void FunctionConverter::createHostSync(Operation *op) {
  if (!pop::isOnIOTiles(op))
    SyncOp::create(builder, op->getLoc(), SyncKind::External, StepCostAttr());
}

LogicalResult FunctionConverter::convertHostLoad(pop::HostLoadOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  createHostSync(op);
  HostLoadOp::create(builder, op.getLoc(), op.getStream(),
                     variable->getResult(), StepCostAttr());
  return success();
}

LogicalResult FunctionConverter::convertHostStore(pop::HostStoreOp op) {
  FailureOr<Value> variable = getTransferred(op, op.getInput(), op.getStream());
  if (failed(variable))
    return failure();
  createHostSync(op);
  HostStoreOp::create(builder, op.getLoc(), *variable, op.getStream(),
                      StepCostAttr());
  return success();
}

/// One exchange for all remote loads and stores of `ops`.
LogicalResult FunctionConverter::convertRemote(Operation *op,
                                               ArrayRef<Operation *> ops) {
  auto getRow = [&](auto copy) -> FailureOr<Value> {
    if (!copy.getRow())
      return Value();
    return getWhole(copy.getRow(), getStepName(op), copy.getLoc());
  };
  // What the exchange needs is there before it.
  SmallVector<std::pair<Value, Value>> operands;
  for (Operation *copy : ops) {
    FailureOr<Value> variable, row;
    if (auto load = dyn_cast<pop::RemoteLoadOp>(copy)) {
      row = getRow(load);
      FailureOr<VarOp> result = createResult(load);
      if (failed(result))
        return failure();
      variable = Value(result->getResult());
    } else {
      auto store = cast<pop::RemoteStoreOp>(copy);
      row = getRow(store);
      variable = getTransferred(store, store.getInput(), store.getBuffer());
      if (failed(variable))
        return failure();
    }
    operands.emplace_back(*variable, *row);
  }
  if (!llvm::all_of(ops, pop::isOnIOTiles))
    createSync(op->getLoc());
  auto exchange = RemoteExchangeOp::create(builder, op->getLoc(),
                                           getStepName(op), StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  for (auto [copy, values] : llvm::zip_equal(ops, operands)) {
    auto [variable, row] = values;
    if (auto load = dyn_cast<pop::RemoteLoadOp>(copy))
      RemoteLoadOp::create(inner, copy->getLoc(), load.getBufferAttr(),
                           load.getStaticRowAttr(), row, variable);
    else
      RemoteStoreOp::create(inner, copy->getLoc(), variable,
                            cast<pop::RemoteStoreOp>(copy).getBufferAttr(),
                            cast<pop::RemoteStoreOp>(copy).getStaticRowAttr(),
                            row);
  }
  return success();
}

LogicalResult
FunctionConverter::convertRemoteExchange(pop::RemoteExchangeOp op) {
  SmallVector<Operation *> remote;
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator()) {
    if (isa<pop::RemoteLoadOp, pop::RemoteStoreOp>(inner))
      remote.push_back(&inner);
    else if (failed(convertOp(&inner)))
      return failure();
  }
  if (!remote.empty() && failed(convertRemote(op, remote)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    storage[result] = TensorStorage(storage.at(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Replicas
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertReplicaIndex(pop::ReplicaIndexOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  ReplicaIndexOp::create(builder, op.getLoc(), variable->getResult(),
                         StepCostAttr());
  return success();
}

namespace {
/// What a collective says beside its operands.
struct CollectiveParts {
  CollectiveKind kind = CollectiveKind::AllReduce;
  pop::ReplicaGroupsAttr groups = {};
  pop::CollectiveOperatorAttr operation = {};
  IntegerAttr axis = {}, splitAxis = {}, concatAxis = {}, root = {};
  ArrayAttr pairs = {};
};
} // namespace

static CollectiveParts getParts(Operation *op) {
  CollectiveParts parts;
  auto set = [&](CollectiveKind kind, pop::ReplicaGroupsAttr groups) {
    parts.kind = kind;
    parts.groups = groups;
  };
  auto setOperator = [&](pop::CollectiveOperator operation) {
    parts.operation =
        pop::CollectiveOperatorAttr::get(op->getContext(), operation);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](pop::AllReduceOp op) {
        set(CollectiveKind::AllReduce, op.getGroupsAttr());
        setOperator(op.getKind());
      })
      .Case([&](pop::AllGatherOp op) {
        set(CollectiveKind::AllGather, op.getGroupsAttr());
        parts.axis = op.getAxisAttr();
      })
      .Case([&](pop::ReduceScatterOp op) {
        set(CollectiveKind::ReduceScatter, op.getGroupsAttr());
        setOperator(op.getKind());
        parts.axis = op.getAxisAttr();
      })
      .Case([&](pop::ReplicaSliceOp op) {
        set(CollectiveKind::ReduceScatter, op.getGroupsAttr());
        setOperator(pop::CollectiveOperator::Local);
        parts.axis = op.getAxisAttr();
      })
      .Case([&](pop::AllToAllOp op) {
        set(CollectiveKind::AllToAll, op.getGroupsAttr());
        parts.splitAxis = op.getSplitAxisAttr();
        parts.concatAxis = op.getConcatAxisAttr();
      })
      .Case([&](pop::BroadcastOp op) {
        set(CollectiveKind::Broadcast, op.getGroupsAttr());
        parts.root = op.getRootAttr();
      })
      .Case([&](pop::CollectivePermuteOp op) {
        set(CollectiveKind::Permute, {});
        parts.pairs = op.getPairsAttr();
      });
  return parts;
}

LogicalResult FunctionConverter::convertCollective(Operation *op) {
  Location loc = op->getLoc();
  if (failed(
          cast<pop::ReplicatedOpInterface>(op).verifyReplicas(target.replicas)))
    return failure();
  Value source = getWhole(op->getOperand(0), getStepName(op), loc);
  FailureOr<VarOp> result = createResult(op);
  if (failed(result))
    return failure();
  createSync(loc);
  CollectiveParts parts = getParts(op);
  CollectiveOp::create(
      builder, loc, CollectiveKindAttr::get(op->getContext(), parts.kind),
      parts.operation, source, result->getResult(), parts.groups, parts.axis,
      parts.splitAxis, parts.concatAxis, parts.root, parts.pairs,
      /*is_unsigned=*/
      getElementTypeOrSelf(op->getOperand(0)).isUnsignedInteger(),
      StepCostAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertCodeLoad(pop::RemoteCodeLoadOp op) {
  CodeLoadOp::create(
      builder, op.getLoc(), op.getGraphs(), op.getDestination(),
      /*overlapping=*/op->hasAttr(pop::PopDialect::kOverlapsComputeAttrName),
      StepCostAttr());
  return success();
}

LogicalResult FunctionConverter::convertCodeCopy(pop::CodeCopyOp op) {
  for (auto graph : op.getGraphs().getAsRange<FlatSymbolRefAttr>())
    CodeCopyOp::create(builder, op.getLoc(), graph.getValue(), op.getSource(),
                       op.getDestination(), StepCostAttr());
  return success();
}
