//===- InferVgraphs.cpp - Virtual graphs of all values ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program in which ops have virtual graphs. Calls and regions pass values
// only in variables, and these passes created ops without virtual graphs.
// Out: the same program, in which all ops on tensors and refs, all variables
// and all arguments have a virtual graph.
//
// Values that must be on one IPU are in one class: the operands and results of
// an op that is not a copy between IPUs, and all refs to a variable. A class
// has the virtual graph of any of its members. Constants are cloned for each
// virtual graph that reads them.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_INFERVGRAPHSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
class VgraphInference {
public:
  explicit VgraphInference(ModuleOp module) : module(module) {}

  LogicalResult run();

private:
  /// An op, a value or the op of a symbol.
  using Node = const void *;
  static Node getNode(Operation *op) { return op; }
  static Node getNode(Value value) { return value.getAsOpaquePointer(); }

  unsigned getNumber(Node node);
  std::optional<VgraphUse> &getPlaced(Node node) {
    return placed[classes.findLeader(getNumber(node))];
  }
  std::optional<VgraphUse> place(Node node, VgraphUse at);
  std::optional<VgraphUse> join(Node node, Node other);

  LogicalResult visitOp(Operation *op);
  LogicalResult visitRef(GetVariableOp ref);
  LogicalResult visitOperand(OpOperand &operand);
  IntegerAttr getAttr(Node node);
  void setVgraph(Operation *op);
  void placeConstant(Operation *constant);

  ModuleOp module;
  SymbolTableCollection symbols;
  llvm::DenseMap<Node, unsigned> numbers;
  llvm::IntEqClasses classes;
  /// The ops or arguments that place the classes, by the leaders of classes.
  SmallVector<std::optional<VgraphUse>> placed;
  /// The least virtual graph of the program. It has the values that nothing
  /// places, such as the number of a loop's iterations.
  int64_t least = INT64_MAX;
};
} // namespace

static bool isStored(Type type) { return isa<RankedTensorType, RefType>(type); }

static bool isUnplacedConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() && !getVgraph(op);
}

/// Returns whether `op` has values on tiles. The values of terminators are
/// those of the op around them. Calls pass no values. Ops of other dialects
/// read scalars from tensors, and all IPUs may use these scalars.
static bool hasStoredValues(Operation *op) {
  if (!isa_and_nonnull<PopDialect>(op->getDialect()) || !isPlaceable(op) ||
      isUnplacedConstant(op))
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
  unsigned leader = classes.join(getNumber(node), getNumber(other));
  placed[leader] = own ? own : another;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult VgraphInference::visitOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  Value value = operand.get();
  Operation *producer = value.getDefiningOp();
  if (!isStored(value.getType()) || (producer && isUnplacedConstant(producer)))
    return success();
  // The virtual graph of an operand differs from the virtual graph of the op
  // only for copies between IPUs.
  auto copy = dyn_cast<PlacementOpInterface>(op);
  std::optional<int64_t> source =
      copy ? copy.getVgraphOfOperand(operand) : std::nullopt;
  std::optional<VgraphUse> other =
      source ? place(getNode(value), {*source, op->getLoc()})
             : join(getNode(op), getNode(value));
  if (!other)
    return success();
  InFlightDiagnostic error =
      op->emitOpError() << "reads operand #" << operand.getOperandNumber()
                        << " on virtual graph "
                        << (source ? *source : getPlaced(getNode(op))->vgraph)
                        << ", but the operand is on virtual graph "
                        << other->vgraph << "; insert 'pop.ipu_copy'";
  error.attachNote(other->loc) << "the operand is placed here";
  return error;
}

/// Returns the virtual graph of `op` or, if `op` has none, of the exchange that
/// it is a transfer of.
static std::optional<int64_t> getOwnVgraph(Operation *op) {
  std::optional<int64_t> own = getVgraph(op);
  auto exchange = dyn_cast_or_null<RemoteExchangeOp>(op->getParentOp());
  return own || !exchange ? own : getVgraph(exchange);
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

/// Joins the values of `op`, or places those of a copy between IPUs.
LogicalResult VgraphInference::visitOp(Operation *op) {
  if (!hasStoredValues(op))
    return success();
  // Each result of a sequence is what its region yields. The results may be on
  // different IPUs.
  if (op->getNumRegions() > 0) {
    for (auto [result, value] :
         llvm::zip(op->getResults(),
                   op->getRegion(0).front().getTerminator()->getOperands()))
      join(getNode(result), getNode(value));
    return success();
  }
  if (std::optional<int64_t> vgraph = getOwnVgraph(op))
    place(getNode(op), {*vgraph, op->getLoc()});
  if (auto ref = dyn_cast<GetVariableOp>(op))
    if (failed(visitRef(ref)))
      return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (failed(visitOperand(operand)))
      return failure();
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
  bool isCopy = op->getNumResults() > 0 && getVgraph(op->getResult(0));
  if (hasStoredValues(op) && op->getNumRegions() == 0 && !isCopy)
    op->setAttr(PopDialect::kVgraphAttrName, getAttr(getNode(op)));
}

/// Places `constant` where it is used, and clones it for each further virtual
/// graph that uses it.
void VgraphInference::placeConstant(Operation *constant) {
  llvm::MapVector<Attribute, SmallVector<OpOperand *>> uses;
  for (OpOperand &use : constant->getUses()) {
    Operation *user = use.getOwner();
    std::optional<int64_t> vgraph = getVgraph(use);
    uses[vgraph ? Builder(user).getI64IntegerAttr(*vgraph)
                : getAttr(getNode(user))]
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

LogicalResult VgraphInference::run() {
  SmallVector<Operation *> ops, constants;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Other modules are other programs.
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    ops.push_back(op);
    if (isUnplacedConstant(op) && isStored(op->getResult(0).getType()))
      constants.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : ops) {
    if (isa<VariableOp, ScratchOp>(op))
      if (std::optional<int64_t> vgraph = getVgraph(op))
        place(getNode(op), {*vgraph, op->getLoc()});
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (BlockArgument argument : function.getArguments())
        if (std::optional<int64_t> vgraph = getVgraph(Value(argument)))
          place(getNode(argument), {*vgraph, argument.getLoc()});
  }
  for (Operation *op : ops)
    if (failed(visitOp(op)))
      return failure();
  // The program is not placed.
  if (least == INT64_MAX)
    return success();
  for (Operation *op : ops)
    setVgraph(op);
  for (Operation *constant : constants)
    placeConstant(constant);
  return success();
}

LogicalResult mlir::pop::inferVgraphs(ModuleOp module) {
  return VgraphInference(module).run();
}

namespace {
struct InferVgraphsPass : pop::impl::InferVgraphsPassBase<InferVgraphsPass> {
  void runOnOperation() override {
    if (failed(inferVgraphs(getOperation())))
      signalPassFailure();
  }
};
} // namespace
