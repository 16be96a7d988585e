//===- VerifyPlacement.cpp - Verification of placements ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, or errors at placements that contradict
// each other, and on request a warning about placements that the lowering to
// the device ignores.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VERIFYPLACEMENTPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// Checks the placements of a module. Each method reports the first of the
/// contradictions that it looks for, with the placement that came before it.
class PlacementVerifier {
public:
  explicit PlacementVerifier(ModuleOp module)
      : module(module), effects(module), entry(getMainFunction(module)) {}

  LogicalResult verify();

private:
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyStage(Operation *op);
  LogicalResult verifyBuffers(Operation *op, int64_t vgraph);
  LogicalResult verifyRefs(Operation *op, int64_t vgraph);
  LogicalResult verifyContext(Operation *op);
  LogicalResult verifyOperands(PlacementOpInterface op);
  LogicalResult verifyTileSets(Operation *op);
  LogicalResult verifyCall(CallOpInterface call);

  /// What is known of where a tensor in memory is; nothing if nothing is.
  struct PlacedTensor {
    int64_t vgraph;
    Location loc;
  };
  std::optional<PlacedTensor> lookupTensor(const MemoryLocation &location);

  ModuleOp module;
  GraphEffects effects;
  FunctionOpInterface entry;
  SymbolTableCollection symbols;
  /// The first op of each stage, and of each remote buffer, that has a virtual
  /// graph.
  llvm::DenseMap<int64_t, Operation *> ofStage;
  llvm::DenseMap<Operation *, Operation *> ofBuffer;
};
} // namespace

/// Whether the effects of `op` are its own: it neither calls nor has regions.
static bool isLeaf(Operation *op) {
  return op->getNumRegions() == 0 && !isa<CallOpInterface>(op);
}

/// What `get` says of `op` or, if that is nothing, of the exchange that it is a
/// transfer of.
static std::optional<int64_t>
getOwnOrOfExchange(Operation *op, std::optional<int64_t> (*get)(Operation *)) {
  if (std::optional<int64_t> own = get(op))
    return own;
  auto exchange = dyn_cast_or_null<RemoteExchangeOp>(op->getParentOp());
  return exchange ? get(exchange) : std::nullopt;
}

static std::optional<int64_t> findVgraph(Operation *op) {
  return getOwnOrOfExchange(op, getVgraph);
}

LogicalResult PlacementVerifier::verifyStage(Operation *op) {
  std::optional<int64_t> stage = getOwnOrOfExchange(op, getStage);
  std::optional<int64_t> vgraph = findVgraph(op);
  if (!stage || !vgraph)
    return success();
  Operation *&first = ofStage[*stage];
  if (!first)
    first = op;
  int64_t other = *findVgraph(first);
  if (other == *vgraph)
    return success();
  InFlightDiagnostic error =
      op->emitOpError()
      << "of stage " << *stage << " is on virtual graph " << *vgraph
      << ", but expects all ops of a stage on one virtual graph";
  error.attachNote(first->getLoc())
      << "'" << first->getName() << "' op of the stage is on virtual graph "
      << other;
  return error;
}

/// Reports that `op` is on virtual graph `vgraph` while `what`, a `kind` at
/// `loc`, is on another.
static LogicalResult reportElsewhere(Operation *op, int64_t vgraph,
                                     const Twine &what, StringRef kind,
                                     Location loc, int64_t other) {
  InFlightDiagnostic error = op->emitOpError()
                             << "is on virtual graph " << vgraph << ", but "
                             << what << " is on virtual graph " << other;
  error.attachNote(loc) << "the " << kind << " is placed here";
  return error;
}

LogicalResult PlacementVerifier::verifyBuffers(Operation *op, int64_t vgraph) {
  for (const auto &[location, effect] :
       effects.getEffects(op).getMemoryLocations()) {
    if (location.getResource() != RemoteMemoryResource::get() ||
        !location.getSymbol())
      continue;
    Operation *buffer = symbols.lookupSymbolIn(module, location.getSymbol());
    if (!buffer)
      continue;
    Operation *&first = ofBuffer[buffer];
    if (!first)
      first = getVgraph(buffer) ? buffer : op;
    if (int64_t other = *findVgraph(first); other != vgraph)
      return reportElsewhere(
          op, vgraph,
          "remote buffer " +
              Twine(location.getSymbol().getLeafReference().getValue()),
          "remote buffer", first->getLoc(), other);
  }
  return success();
}

std::optional<PlacementVerifier::PlacedTensor>
PlacementVerifier::lookupTensor(const MemoryLocation &location) {
  Operation *made = nullptr;
  if (location.isVariable())
    made = symbols.lookupSymbolIn(module, location.getSymbol());
  else if (auto argument =
               dyn_cast_or_null<BlockArgument>(location.getRoot())) {
    std::optional<int64_t> vgraph = getVgraph(Value(argument));
    return vgraph ? std::optional(PlacedTensor{*vgraph, argument.getLoc()})
                  : std::nullopt;
  } else if (Value root = location.getRoot()) {
    made = root.getDefiningOp();
  }
  std::optional<int64_t> vgraph = made ? getVgraph(made) : std::nullopt;
  return vgraph ? std::optional(PlacedTensor{*vgraph, made->getLoc()})
                : std::nullopt;
}

LogicalResult PlacementVerifier::verifyRefs(Operation *op, int64_t vgraph) {
  for (const auto &[location, effect] :
       effects.getEffects(op).getMemoryLocations()) {
    std::optional<PlacedTensor> tensor = lookupTensor(location);
    if (tensor && tensor->vgraph != vgraph)
      return reportElsewhere(op, vgraph, "a tensor that it reads or writes",
                             "tensor", tensor->loc, tensor->vgraph);
  }
  return success();
}

LogicalResult PlacementVerifier::verifyContext(Operation *op) {
  std::optional<ExecutionContext> context = getExecutionContext(op);
  if (!context || !entry || isa<SymbolOpInterface>(op))
    return success();
  bool isInEntry = entry->isProperAncestor(op);
  if (isInEntry == (*context != ExecutionContext::Subgraph))
    return success();
  return op->emitOpError()
         << "of the execution context '" << stringifyExecutionContext(*context)
         << "' is expected "
         << (isInEntry ? "in a function that the entry calls"
                       : "in the entry function")
         << " but is in '"
         << op->getParentOfType<FunctionOpInterface>().getName() << "'";
}

/// An op that says where it reads an operand says what the operand's op says.
LogicalResult PlacementVerifier::verifyOperands(PlacementOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> expected = op.getVgraphOfOperand(operand);
    std::optional<int64_t> found = getVgraph(operand.get());
    if (!expected || !found || *expected == *found)
      continue;
    InFlightDiagnostic error =
        op->emitOpError() << "reads operand #" << operand.getOperandNumber()
                          << " on virtual graph " << *expected
                          << ", but the operand is on virtual graph " << *found;
    error.attachNote(operand.get().getLoc()) << "the operand is placed here";
    return error;
  }
  return success();
}

/// Transfers copy their tensors between the sets of tiles of an IPU. Other ops
/// read and compute tensors on one set.
LogicalResult PlacementVerifier::verifyTileSets(Operation *op) {
  auto isRef = [](Type type) { return isa<RefType>(type); };
  bool writesRef =
      op->getNumResults() == 0 && llvm::any_of(op->getOperandTypes(), isRef);
  if (!isa_and_nonnull<PopDialect>(op->getDialect()) ||
      (op->getNumResults() == 0 && !writesRef) || op->getNumRegions() > 0 ||
      op->hasTrait<Transfer>())
    return success();
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *producer = operand.get().getDefiningOp();
    // An op that writes a tensor computes on the tiles of the op, which need
    // not be those of the ref.
    if (writesRef && isRef(operand.get().getType()))
      continue;
    TileSet expected = getTileSet(operand), found = getTileSet(operand.get());
    if (expected == found ||
        (producer && (producer->hasTrait<Transfer>() ||
                      producer->hasTrait<OpTrait::ConstantLike>())))
      continue;
    auto describe = [](TileSet set) {
      return set == TileSet::IO ? "I/O tiles" : "compute tiles";
    };
    InFlightDiagnostic error =
        op->emitOpError() << "reads operand #" << operand.getOperandNumber()
                          << " on " << describe(expected)
                          << ", but the operand is on " << describe(found)
                          << "; insert 'pop.io_tile_copy'";
    error.attachNote(operand.get().getLoc()) << "the operand is placed here";
    return error;
  }
  return success();
}

/// Refs cannot be copied to another IPU for a call.
LogicalResult PlacementVerifier::verifyCall(CallOpInterface call) {
  FunctionOpInterface callee = effects.getCalls().getCallee(call);
  if (!callee || callee.isExternal())
    return success();
  for (auto [operand, argument] :
       llvm::zip(call.getArgOperands(), callee.getArguments())) {
    std::optional<int64_t> expected = getVgraph(Value(argument));
    if (!expected || !isa<RefType>(operand.getType()))
      continue;
    const ipu::RefOrigin &origin = effects.getOrigin(operand);
    if (!origin.isKnown())
      continue;
    std::optional<PlacedTensor> tensor =
        lookupTensor(origin.getMemoryLocation());
    if (!tensor || tensor->vgraph == *expected)
      continue;
    InFlightDiagnostic error = call->emitOpError()
                               << "passes a ref to a tensor on virtual graph "
                               << tensor->vgraph << " as argument #"
                               << argument.getArgNumber()
                               << ", which is on virtual graph " << *expected;
    error.attachNote(tensor->loc) << "the tensor is placed here";
    error.attachNote(callee->getLoc()) << "this function is called";
    return error;
  }
  return success();
}

LogicalResult PlacementVerifier::verifyOp(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (failed(verifyCall(call)))
      return failure();
  if (auto placed = dyn_cast<PlacementOpInterface>(op))
    if (failed(verifyOperands(placed)))
      return failure();
  if (failed(verifyTileSets(op)) || failed(verifyStage(op)) ||
      failed(verifyContext(op)))
    return failure();
  std::optional<int64_t> vgraph = findVgraph(op);
  if (!vgraph)
    return success();
  if (!isLeaf(op))
    return success();
  return success(succeeded(verifyBuffers(op, *vgraph)) &&
                 succeeded(verifyRefs(op, *vgraph)));
}

LogicalResult PlacementVerifier::verify() {
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Other modules are other programs.
    if (isa<ModuleOp>(op))
      return op == module ? WalkResult::advance() : WalkResult::skip();
    return WalkResult(verifyOp(op));
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Placed programs
//===----------------------------------------------------------------------===//

/// Verifies that each op has a virtual graph if the program has any, and that
/// only copies between IPUs read values of other virtual graphs.
static LogicalResult verifyComplete(ModuleOp module) {
  std::optional<VgraphUse> first = findFirstVgraph(module);
  if (!first)
    return success();
  auto emitUnplaced = [&](Operation *op) {
    InFlightDiagnostic error = op->emitOpError();
    error.attachNote(first->loc)
        << "the program is placed, because this is on virtual graph "
        << first->vgraph;
    return error;
  };
  auto emitElsewhere = [&](Operation *op) {
    InFlightDiagnostic error = op->emitOpError();
    error.attachNote() << "insert 'pop.ipu_copy', which copies the operand to "
                          "the virtual graph of the op";
    return error;
  };
  return success(
      succeeded(checkCondition(module, Condition::Vgraph, emitUnplaced)) &&
      succeeded(
          checkCondition(module, Condition::NoImplicitCopy, emitElsewhere)));
}

//===----------------------------------------------------------------------===//
// Placements without an effect
//===----------------------------------------------------------------------===//

/// Returns whether the lowering ignores an attribute that asks for more than
/// the execution of the ops in their order.
static bool isIgnored(NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == PopDialect::kRecomputeAttrName)
    return cast<RecomputeKindAttr>(attribute.getValue()).getValue() ==
           RecomputeKind::Recompute;
  if (name == PopDialect::kExecutionContextAttrName)
    return cast<ExecutionContextAttr>(attribute.getValue()).getValue() !=
           ExecutionContext::Normal;
  return name == PopDialect::kStageAttrName ||
         name == PopDialect::kPhaseAttrName;
}

/// Returns whether the ops of each block are in the order of their phases, so
/// that the lowering executes them in this order.
static bool hasPhasesInOrder(ModuleOp module) {
  llvm::DenseMap<Block *, int64_t> last;
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<int64_t> phase = getPhase(op);
    // A constant is not executed.
    if (!phase || op->hasTrait<OpTrait::ConstantLike>())
      return WalkResult::advance();
    auto [it, isNew] = last.try_emplace(op->getBlock(), *phase);
    if (!isNew && *phase < it->second)
      return WalkResult::interrupt();
    it->second = *phase;
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Emits one warning that names everything that the lowering ignores, with the
/// first op that has it.
static void warnIgnored(ModuleOp module) {
  llvm::MapVector<StringRef, Operation *> first;
  bool executesPhases = hasPhasesInOrder(module);
  auto add = [&](Operation *op, ArrayRef<NamedAttribute> attributes) {
    for (NamedAttribute attribute : attributes)
      if (isIgnored(attribute) &&
          !(executesPhases &&
            attribute.getName() == PopDialect::kPhaseAttrName))
        first.try_emplace(attribute.getName(), op);
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        add(op, function.getArgAttrs(i));
    add(op, llvm::to_vector(op->getDiscardableAttrs()));
    return WalkResult::advance();
  });
  if (first.empty())
    return;
  InFlightDiagnostic warning = module.emitWarning("the lowering ignores ");
  llvm::interleaveComma(llvm::make_first_range(first), warning,
                        [&](StringRef name) { warning << "'" << name << "'"; });
  warning << ": ops are executed in the order of the program";
  for (auto [name, op] : first)
    warning.attachNote(op->getLoc())
        << "this '" << op->getName() << "' is the first op with '" << name
        << "'";
}

namespace {
struct VerifyPlacementPass
    : pop::impl::VerifyPlacementPassBase<VerifyPlacementPass> {
  using VerifyPlacementPassBase::VerifyPlacementPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    bool hasTarget = module->hasAttr(IPUDialect::kTargetAttrName);
    if (((hasTarget || isComplete) &&
         failed(verifyVgraphs(module, getTargetModel(module).ipus))) ||
        failed(PlacementVerifier(module).verify()) ||
        (isComplete && failed(verifyComplete(module))))
      return signalPassFailure();
    if (warnsIgnored)
      warnIgnored(getOperation());
  }
};
} // namespace
