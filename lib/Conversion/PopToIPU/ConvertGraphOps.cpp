//===- ConvertGraphOps.cpp - Refs, replicas, code ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
      // The conversion of the users of these scalars reads their definitions.
      .Case<tensor::ExtractOp, arith::IndexCastOp, arith::ConstantOp,
            arith::AndIOp>([&](auto op) -> Result {
        if (op->getNumResults() == 1 &&
            op->getResult(0).getType().isIntOrIndex())
          return success();
        return std::nullopt;
      })
      .Case([&](pop::AdvanceDrawsOp op) { return convertAdvanceDraws(op); })
      .Case<scf::YieldOp, scf::ConditionOp, pop::YieldOp>(
          [](auto) { return success(); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

FailureOr<VarOp> FunctionConverter::createResult(Operation *op) {
  FailureOr<TileMappingAttr> mapping = getTileMappingOf(op);
  if (failed(mapping))
    return failure();
  auto type = cast<ShapedType>(op->getResult(0).getType());
  VarOp variable =
      createVariable(op->getLoc(), getStepName(op), type, *mapping);
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
  storage[op.getResult()] =
      TensorStorage::own(getHandle(op.getLoc(), name, shared),
                         cast<ShapedType>(op.getType()).getShape());
  return success();
}

LogicalResult FunctionConverter::convertAlloc(pop::AllocOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  if (op.getInit() == pop::AllocInit::Zero)
    createFill(
        op.getLoc(), getStepName(op), *variable,
        builder.getZeroAttr(cast<ShapedType>(op.getType()).getElementType()),
        getReplicaEqualMade(op));
  return success();
}

LogicalResult FunctionConverter::convertFromTensor(pop::FromTensorOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  createCopy(op.getLoc(), getStepName(op), storage.at(op.getInput()),
             variable->getResult(), getReplicaEqualMade(op));
  return success();
}

/// Returns whether both are the same elements in the same order. Strides of
/// dimensions of one element do not matter.
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
  // The op that computed the value wrote it directly to the target.
  if (isSame(from, to))
    return success();
  createCopy(op.getLoc(), getStepName(op), from, createView(op.getLoc(), to),
             getReplicaEqualModified(op));
  return success();
}

//===----------------------------------------------------------------------===//
// Replicas
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertReplicaIndex(pop::ReplicaIndexOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  setReplicaEqualAnnotation(ReplicaIndexOp::create(builder, op.getLoc(),
                                                   variable->getResult(),
                                                   StepCostAttr()),
                            getReplicaEqual(op.getResult()));
  return success();
}

namespace {
/// The attributes of a collective.
struct CollectiveAttributes {
  CollectiveKind kind = CollectiveKind::AllReduce;
  pop::ReplicaGroupsAttr groups = {};
  CollectiveOperatorAttr operation = {};
  IntegerAttr axis = {}, splitAxis = {}, concatAxis = {}, root = {};
  ArrayAttr pairs = {};
};
} // namespace

static CollectiveAttributes getCollectiveAttributes(Operation *op) {
  CollectiveAttributes attributes;
  auto set = [&](CollectiveKind kind, pop::ReplicaGroupsAttr groups) {
    attributes.kind = kind;
    attributes.groups = groups;
  };
  auto setOperator = [&](CollectiveOperator operation) {
    attributes.operation =
        CollectiveOperatorAttr::get(op->getContext(), operation);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](pop::AllReduceOp op) {
        set(CollectiveKind::AllReduce, op.getGroupsAttr());
        setOperator(op.getKind());
      })
      .Case([&](pop::AllGatherOp op) {
        set(CollectiveKind::AllGather, op.getGroupsAttr());
        attributes.axis = op.getAxisAttr();
      })
      .Case([&](pop::ReduceScatterOp op) {
        set(CollectiveKind::ReduceScatter, op.getGroupsAttr());
        setOperator(op.getKind());
        attributes.axis = op.getAxisAttr();
      })
      .Case([&](pop::ReplicaSliceOp op) {
        set(CollectiveKind::ReduceScatter, op.getGroupsAttr());
        setOperator(CollectiveOperator::Local);
        attributes.axis = op.getAxisAttr();
      })
      .Case([&](pop::AllToAllOp op) {
        set(CollectiveKind::AllToAll, op.getGroupsAttr());
        attributes.splitAxis = op.getSplitAxisAttr();
        attributes.concatAxis = op.getConcatAxisAttr();
      })
      .Case([&](pop::BroadcastOp op) {
        set(CollectiveKind::Broadcast, op.getGroupsAttr());
        attributes.root = op.getRootAttr();
      })
      .Case([&](pop::CollectivePermuteOp op) {
        set(CollectiveKind::Permute, {});
        attributes.pairs = op.getPairsAttr();
      });
  return attributes;
}

LogicalResult FunctionConverter::convertCollective(Operation *op) {
  Location loc = op->getLoc();
  Value source = getWhole(op->getOperand(0), getStepName(op), loc);
  FailureOr<VarOp> result = createResult(op);
  if (failed(result))
    return failure();
  createSync(loc);
  CollectiveAttributes attributes = getCollectiveAttributes(op);
  FailureOr<RandomDraw> draw = RandomDraw();
  RoundingOverflowAttr overflow;
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (state.rounding && mayRoundStochastically(op) &&
      isNative(element, getTarget(state.module))) {
    draw = getDraw(op);
    overflow = RoundingOverflowAttr::get(op->getContext(),
                                         state.rounding.getOverflow());
  }
  if (failed(draw))
    return failure();
  bool isUnsigned = getElementTypeOrSelf(op->getOperand(0)).isUnsignedInteger();
  auto collective = CollectiveOp::create(
      builder, loc, CollectiveKindAttr::get(op->getContext(), attributes.kind),
      attributes.operation, source, result->getResult(), draw->rng, draw->draw,
      overflow, attributes.groups, attributes.axis, attributes.splitAxis,
      attributes.concatAxis, attributes.root, attributes.pairs,
      isUnsigned ? builder.getUnitAttr() : UnitAttr(), StepCostAttr());
  setReplicaEqualAnnotation(collective, getReplicaEqual(op->getResult(0)));
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
