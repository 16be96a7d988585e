//===- VgraphInference.cpp - Virtual graphs of connected values -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VgraphInference.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pop;

static bool isStored(Type type) { return isa<RankedTensorType, RefType>(type); }

static bool isUnplacedConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() && !getVgraph(op);
}

/// Returns whether `call` calls a function whose ops are placed where the
/// function is called.
bool VgraphInference::isOpaqueCall(Operation *op) const {
  auto call = dyn_cast<CallOpInterface>(op);
  FunctionOpInterface callee =
      call ? calls.getCallee(call) : FunctionOpInterface();
  return callee && (callee.isExternal() || kept.contains(callee));
}

/// Returns whether `op` has values on tiles. The values of terminators are
/// those of the op around them. Ops of other dialects read scalars from
/// tensors, and all IPUs may use these scalars.
bool VgraphInference::hasStoredValues(Operation *op) const {
  bool isOfPop = isa_and_nonnull<PopDialect>(op->getDialect());
  if ((!isOfPop && !isOpaqueCall(op)) || !isPlaceable(op) ||
      isa<RegionBranchOpInterface>(op) || isUnplacedConstant(op))
    return false;
  return llvm::any_of(op->getOperandTypes(), isStored) ||
         llvm::any_of(op->getResultTypes(), isStored);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

unsigned VgraphInference::getNumber(Node node) {
  auto [it, isNew] = numbers.try_emplace(node, placed.size());
  if (isNew) {
    placed.emplace_back();
    classes.grow(placed.size());
  }
  return it->second;
}

/// Places the class of `node`. If the class is already placed elsewhere,
/// returns where.
std::optional<VgraphUse> VgraphInference::place(Node node, VgraphUse at) {
  least = std::min(least, at.vgraph);
  std::optional<VgraphUse> &own = getPlaced(node);
  if (own)
    return own->vgraph == at.vgraph ? std::nullopt : own;
  own = at;
  return std::nullopt;
}

/// Joins the classes of both nodes. If they are on different virtual graphs,
/// returns where the class of `other` is.
std::optional<VgraphUse> VgraphInference::join(Node node, Node other) {
  std::optional<VgraphUse> own = getPlaced(node), another = getPlaced(other);
  if (own && another && own->vgraph != another->vgraph)
    return another;
  unsigned first = getNumber(node), second = getNumber(other);
  // The class that join() returns may have another leader.
  classes.join(first, second);
  placed[classes.findLeader(first)] = own ? own : another;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values that must be on one IPU
//===----------------------------------------------------------------------===//

/// Returns the node that reads `operand`, or null if the operand may be on any
/// IPU.
VgraphInference::Node VgraphInference::getReader(OpOperand &operand) const {
  if (Node target = passed.lookup(&operand))
    return target;
  Operation *op = operand.getOwner();
  return hasStoredValues(op) ? getNode(op) : nullptr;
}

/// Joins `targets`, all of which get `operand`.
void VgraphInference::passTo(OpOperand &operand, ValueRange targets) {
  if (targets.empty() || !isStored(operand.get().getType()))
    return;
  for (Value target : targets.drop_front())
    join(getNode(targets.front()), getNode(target));
  passed[&operand] = getNode(targets.front());
}

void VgraphInference::joinRegions(RegionBranchOpInterface branch) {
  RegionBranchSuccessorMapping mapping;
  branch.getSuccessorOperandInputMapping(mapping);
  auto visit = [&](Operation *from) {
    for (OpOperand &operand : from->getOpOperands())
      passTo(operand, mapping.lookup(&operand));
  };
  visit(branch);
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      if (!block.empty())
        visit(&block.back());
}

/// The operands of a call are where the arguments of its callee are. If the
/// call has a virtual graph, they are on it.
LogicalResult VgraphInference::joinCall(CallOpInterface call,
                                        FunctionOpInterface callee) {
  std::optional<int64_t> vgraph = getVgraph(call.getOperation());
  MutableOperandRange operands = call.getArgOperandsMutable();
  for (BlockArgument argument : callee.getArguments()) {
    passTo(operands[argument.getArgNumber()], Value(argument));
    std::optional<VgraphUse> other =
        vgraph && isStored(argument.getType())
            ? place(getNode(argument), {*vgraph, call->getLoc()})
            : std::nullopt;
    if (!other)
      continue;
    InFlightDiagnostic error = call->emitOpError()
                               << "is on virtual graph " << *vgraph
                               << ", but argument #" << argument.getArgNumber()
                               << " of @" << callee.getName()
                               << " is on virtual graph " << other->vgraph
                               << "; remove the virtual graph of the call";
    error.attachNote(other->loc) << "the argument is placed here";
    return error;
  }
  return success();
}

/// The results of the calls of `function` are where it returns them.
void VgraphInference::joinReturns(FunctionOpInterface function) {
  ArrayRef<CallOpInterface> callers = calls.getCallsOf(function);
  if (function.isExternal() || callers.empty())
    return;
  for (CallOpInterface call : callers)
    for (auto [own, other] :
         llvm::zip(callers.front()->getResults(), call->getResults()))
      if (own != other && isStored(own.getType()))
        join(getNode(own), getNode(other));
  for (Block &block : function.getFunctionBody())
    if (Operation *terminator = block.getTerminator();
        terminator->hasTrait<OpTrait::ReturnLike>())
      for (auto [operand, result] : llvm::zip(terminator->getOpOperands(),
                                              callers.front()->getResults()))
        passTo(operand, result);
}

/// Returns the virtual graph of `op` or, if `op` has none, of the exchange that
/// it is a transfer of.
static std::optional<int64_t> getOwnVgraph(Operation *op) {
  std::optional<int64_t> own = getVgraph(op);
  auto exchange = dyn_cast_or_null<RemoteExchangeOp>(op->getParentOp());
  return own || !exchange ? own : getVgraph(exchange);
}

/// Joins a call with the variables that its callee reads, if the ops of the
/// callee are placed where it is called.
void VgraphInference::joinVariables(Operation *call,
                                    FunctionOpInterface callee) {
  callee->walk([&](Operation *op) {
    if (auto ref = dyn_cast<GetVariableOp>(op))
      if (Operation *variable =
              symbols.lookupNearestSymbolFrom(ref, ref.getVariableAttr()))
        join(getNode(call), getNode(variable));
    if (isOpaqueCall(op))
      joinVariables(call, calls.getCallee(cast<CallOpInterface>(op)));
  });
}

/// Joins a ref to a variable with the variable.
LogicalResult VgraphInference::visitRef(GetVariableOp ref) {
  Operation *variable =
      symbols.lookupNearestSymbolFrom(ref, ref.getVariableAttr());
  std::optional<VgraphUse> other =
      variable ? join(getNode(ref.getOperation()), getNode(variable))
               : std::nullopt;
  if (!other)
    return success();
  InFlightDiagnostic error = ref.emitOpError()
                             << "is on virtual graph "
                             << getPlaced(getNode(ref.getOperation()))->vgraph
                             << ", but " << ref.getVariableAttr()
                             << " is on virtual graph " << other->vgraph
                             << "; read it there, and insert 'pop.ipu_copy'";
  error.attachNote(other->loc) << "the variable is placed here";
  return error;
}

/// Places variables and arguments that have virtual graphs.
void VgraphInference::placeDeclared(Operation *op) {
  if (isa<VariableOp, ScratchOp>(op))
    if (std::optional<int64_t> vgraph = getVgraph(op))
      place(getNode(op), {*vgraph, op->getLoc()});
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (BlockArgument argument : function.getArguments())
    if (std::optional<int64_t> vgraph = getVgraph(Value(argument)))
      place(getNode(argument), {*vgraph, argument.getLoc()});
  joinReturns(function);
}

/// Places `op` and its results, and joins what loops, branches and calls pass.
LogicalResult VgraphInference::placeOp(Operation *op) {
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    joinRegions(branch);
  if (auto call = dyn_cast<CallOpInterface>(op); call && !isOpaqueCall(op))
    if (FunctionOpInterface callee = calls.getCallee(call))
      return joinCall(call, callee);
  if (!hasStoredValues(op))
    return success();
  if (std::optional<int64_t> vgraph = getOwnVgraph(op))
    place(getNode(op), {*vgraph, op->getLoc()});
  if (auto ref = dyn_cast<GetVariableOp>(op))
    if (failed(visitRef(ref)))
      return failure();
  if (isOpaqueCall(op))
    joinVariables(op, calls.getCallee(cast<CallOpInterface>(op)));
  // Definitions come before uses, so the results are in no other class yet.
  auto copy = dyn_cast<PlacementOpInterface>(op);
  for (OpResult result : op->getResults()) {
    std::optional<int64_t> destination =
        copy ? copy.getVgraphOfResult(result) : std::nullopt;
    if (destination)
      place(getNode(result), {*destination, op->getLoc()});
    else
      join(getNode(op), getNode(result));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Returns the virtual graph from which a copy between IPUs copies `operand`.
static std::optional<int64_t> getSource(OpOperand &operand) {
  auto copy = dyn_cast<PlacementOpInterface>(operand.getOwner());
  return copy ? copy.getVgraphOfOperand(operand) : std::nullopt;
}

/// Returns whether `operand` is a value that is on some IPU.
static bool isStored(OpOperand &operand) {
  Operation *producer = operand.get().getDefiningOp();
  return isStored(operand.get().getType()) &&
         !(producer && isUnplacedConstant(producer));
}

LogicalResult VgraphInference::visitOperand(OpOperand &operand,
                                            CrossingFn visitCrossing) {
  Operation *op = operand.getOwner();
  Node reader = getReader(operand);
  if (!reader || !isStored(operand))
    return success();
  Node value = getNode(operand.get());
  std::optional<int64_t> source = getSource(operand);
  std::optional<VgraphUse> other =
      source ? place(value, {*source, op->getLoc()}) : join(reader, value);
  if (!other)
    return success();
  return visitCrossing(operand, source ? *source : getPlaced(reader)->vgraph,
                       *other);
}

/// Visits the refs and the operands of copies between IPUs, or all other
/// operands.
LogicalResult VgraphInference::visitOperands(Operation *op, bool areRefs,
                                             CrossingFn visitCrossing) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isRef = isa<RefType>(operand.get().getType()) || getSource(operand);
    if (isRef == areRefs && failed(visitOperand(operand, visitCrossing)))
      return failure();
  }
  return success();
}

/// Joins an unplaced op and its placed operand of the greatest virtual graph.
void VgraphInference::followOperands(Operation *op) {
  if (!hasStoredValues(op) || getPlaced(getNode(op)))
    return;
  OpOperand *last = nullptr;
  int64_t greatest = -1;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isStored(operand) || getSource(operand))
      continue;
    std::optional<VgraphUse> at = getPlaced(getNode(operand.get()));
    if (!at || at->vgraph <= greatest)
      continue;
    greatest = at->vgraph;
    last = &operand;
  }
  if (last)
    join(getNode(op), getNode(last->get()));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

IntegerAttr VgraphInference::getAttr(Node node) {
  std::optional<VgraphUse> at = getPlaced(node);
  return Builder(module.getContext())
      .getI64IntegerAttr(at ? at->vgraph : least);
}

void VgraphInference::setVgraph(Operation *op) {
  if (isa<VariableOp, ScratchOp>(op)) {
    op->setAttr(PopDialect::kVgraphAttrName, getAttr(getNode(op)));
    return;
  }
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    for (BlockArgument argument : function.getArguments())
      if (isStored(argument.getType()))
        function.setArgAttr(argument.getArgNumber(),
                            PopDialect::kVgraphAttrName,
                            getAttr(getNode(argument)));
    return;
  }
  // The values of a call are where its callee has them.
  if (isa<CallOpInterface>(op) && !isOpaqueCall(op))
    op->removeAttr(PopDialect::kVgraphAttrName);
  bool isCopy = op->getNumResults() > 0 && getVgraph(op->getResult(0));
  if (hasStoredValues(op) && !isCopy)
    op->setAttr(PopDialect::kVgraphAttrName, getAttr(getNode(op)));
}

void VgraphInference::setVgraphs() {
  for (Operation *op : ops)
    setVgraph(op);
}

void VgraphInference::placeConstant(Operation *constant) {
  llvm::MapVector<Attribute, SmallVector<OpOperand *>> uses;
  for (OpOperand &use : constant->getUses()) {
    Operation *user = use.getOwner();
    std::optional<int64_t> vgraph = getVgraph(use);
    Node reader = getReader(use);
    uses[vgraph ? Builder(user).getI64IntegerAttr(*vgraph)
                : getAttr(reader ? reader : getNode(user))]
        .push_back(&use);
  }
  Operation *own = constant;
  for (auto &[vgraph, operands] : uses) {
    if (own->hasAttr(PopDialect::kVgraphAttrName))
      own = OpBuilder(constant).clone(*constant);
    own->setAttr(PopDialect::kVgraphAttrName, vgraph);
    for (OpOperand *use : operands)
      use->set(own->getResult(0));
  }
}

void VgraphInference::placeConstants() {
  for (Operation *op : ops)
    if (isUnplacedConstant(op) && isStored(op->getResult(0).getType()))
      placeConstant(op);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

void VgraphInference::keepUnplacedGraphs() {
  auto callsPlaced = [&](CallOpInterface call) {
    FunctionOpInterface callee = calls.getCallee(call);
    bool isPlaced = callee && !callee.isExternal() && !kept.contains(callee);
    return isPlaced ? WalkResult::interrupt() : WalkResult::advance();
  };
  for (FunctionOpInterface function : calls.getPostOrder())
    if (!calls.getCallsOf(function).empty() && !findFirstVgraph(function) &&
        !function->walk(callsPlaced).wasInterrupted())
      kept.insert(function);
}

void VgraphInference::collectOps() {
  auto add = [&](Operation *root) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Other modules are other programs.
      if (isa<ModuleOp>(op))
        return WalkResult::skip();
      ops.push_back(op);
      return WalkResult::advance();
    });
  };
  for (Operation &op : *module.getBody())
    if (!isa<FunctionOpInterface>(op))
      add(&op);
  for (FunctionOpInterface function : calls.getPostOrder())
    if (!kept.contains(function))
      add(function);
}

LogicalResult VgraphInference::run(CrossingFn visitCrossing) {
  collectOps();
  for (Operation *op : ops)
    placeDeclared(op);
  for (Operation *op : ops)
    if (failed(placeOp(op)) ||
        failed(visitOperands(op, /*areRefs=*/true, visitCrossing)))
      return failure();
  for (Operation *op : ops) {
    followOperands(op);
    if (failed(visitOperands(op, /*areRefs=*/false, visitCrossing)))
      return failure();
  }
  return success();
}
