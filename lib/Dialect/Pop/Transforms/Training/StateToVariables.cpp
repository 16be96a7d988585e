//===- StateToVariables.cpp - Conversion of states to variables -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module whose entry function returns the next values of some arguments.
// Out: the same module with variables instead of these arguments and results.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "States.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_STATETOVARIABLESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
/// An argument and the result that is its next value.
struct ArgumentState {
  unsigned argument;
  unsigned result;
};

/// Turns one state into a variable.
class VariableBuilder {
public:
  VariableBuilder(FunctionOpInterface entry, ArgumentState state,
                  SymbolTable &symbols)
      : entry(entry), state(state), symbols(symbols),
        argument(entry.getArgument(state.argument)),
        terminator(entry.getFunctionBody().front().getTerminator()) {}

  /// Adds the variable, and accumulates in place.
  void build();
  /// Reads the variable instead of the argument.
  void replaceArgument();
  /// Writes the next value, after all that reads the one before.
  void update();

private:
  void addVariable();
  /// Gives `op`, which uses the ref, the virtual graph of the variable.
  void placeAtVariable(Operation *op);
  /// Replaces uses of `value` by what the ref refers to. Fragments of the
  /// program that are executed more or less often read it themselves.
  void readInstead(Value value);
  void accumulateInPlace();

  FunctionOpInterface entry;
  ArgumentState state;
  SymbolTable &symbols;
  BlockArgument argument;
  Operation *terminator;
  Value ref;
  bool isUpdated = true;
  /// Whether a fragment that is not before the parts of a batch reads it.
  bool isReadAfterSettings = false;
};
} // namespace

void VariableBuilder::addVariable() {
  auto groups = entry.getArgAttrOfType<ReplicaGroupsAttr>(
      state.argument, PopDialect::kGroupsAttrName);
  bool isEach = groups && groups.getGroupSize() == 1;
  auto initial = entry.getArgAttrOfType<ElementsAttr>(
      state.argument, PopDialect::kDefaultAttrName);
  OpBuilder b(entry);
  std::string name =
      getHostName(entry.getArgAttr(state.argument, PopDialect::kNameAttrName),
                  "arg" + Twine(state.argument));
  auto variable = VariableOp::create(
      b, argument.getLoc(), b.getStringAttr(name),
      TypeAttr::get(argument.getType()), initial, groups,
      RetrievalAttr::get(b.getContext(), isEach ? ipu::Retrieval::AllReplicas
                                                : ipu::Retrieval::OnePerGroup),
      /*buffer=*/nullptr, /*row=*/nullptr, /*sharding=*/nullptr);
  for (NamedAttribute attribute : entry.getArgAttrs(state.argument))
    if (isKeptByState(attribute.getName()))
      variable->setAttr(attribute.getName(), attribute.getValue());
  insertHostStream(variable, symbols, Block::iterator(entry), name);

  b.setInsertionPointToStart(&entry.getFunctionBody().front());
  auto type = cast<RankedTensorType>(argument.getType());
  ref = GetVariableOp::create(b, argument.getLoc(), RefType::get(type),
                              variable.getSymName());
  for (NamedAttribute attribute : getPlacement(variable))
    ref.getDefiningOp()->setAttr(attribute.getName(), attribute.getValue());
}

void VariableBuilder::placeAtVariable(Operation *op) {
  if (Attribute vgraph =
          ref.getDefiningOp()->getAttr(PopDialect::kVgraphAttrName))
    op->setAttr(PopDialect::kVgraphAttrName, vgraph);
}

/// Whether ops of this context are executed once, before all parts of a batch.
static bool isBeforeParts(std::optional<ExecutionContext> context) {
  return context == ExecutionContext::OptimizerFromHost ||
         context == ExecutionContext::WeightsFromHost;
}

/// The op of the block of `terminator` that `op` is or is in.
static Operation *getAncestor(Operation *op, Operation *terminator) {
  return terminator->getBlock()->findAncestorOpInBlock(*op);
}

void VariableBuilder::readInstead(Value value) {
  // The first op of each fragment that uses it, and the uses there.
  struct Reader {
    Operation *first;
    SmallVector<OpOperand *> uses;
  };
  llvm::MapVector<std::optional<ExecutionContext>, Reader> readers;
  for (OpOperand &use : value.getUses()) {
    Operation *user = getAncestor(use.getOwner(), terminator);
    Reader &reader = readers[getExecutionContext(user)];
    if (reader.uses.empty() || user->isBeforeInBlock(reader.first))
      reader.first = user;
    reader.uses.push_back(&use);
  }
  for (auto &[context, reader] : readers) {
    isReadAfterSettings |= !isBeforeParts(context);
    OpBuilder b(reader.first);
    auto read = ReadOp::create(b, value.getLoc(), ref);
    placeAtVariable(read);
    if (reader.first != terminator) {
      inheritSchedule(reader.first, read);
      inheritTrainingRole(reader.first, read);
    }
    if (context)
      read->setAttr(PopDialect::kExecutionContextAttrName,
                    ExecutionContextAttr::get(b.getContext(), *context));
    for (OpOperand *use : reader.uses)
      use->set(read);
  }
}

/// The op that accumulates into `value`, in `block`, if nothing else uses it.
static AccumulateOp getOnlyAccumulation(Value value, Block *block) {
  if (!value.hasOneUse())
    return nullptr;
  auto accumulate = dyn_cast<AccumulateOp>(*value.user_begin());
  if (!accumulate || accumulate.getAccumulator() != value ||
      accumulate->getBlock() != block)
    return nullptr;
  return accumulate;
}

/// Does in place what is accumulated into the argument, op after op, where
/// nothing else needs the value that it had.
void VariableBuilder::accumulateInPlace() {
  SmallVector<AccumulateOp> accumulations;
  Value value = argument;
  while (AccumulateOp op = getOnlyAccumulation(value, terminator->getBlock())) {
    accumulations.push_back(op);
    value = op.getResult();
  }
  if (accumulations.empty())
    return;
  for (AccumulateOp op : accumulations) {
    OpBuilder b(op);
    auto inPlace = AccumulateInPlaceOp::create(
        b, op.getLoc(), op.getKindAttr(), ref, op.getValue(),
        op.getFactorTensor(), op.getStep(), op.getFactorAttr());
    placeAtVariable(inPlace);
    inheritPlacement(op, inPlace);
  }
  OpOperand &result = terminator->getOpOperand(state.result);
  // It is what the variable holds.
  if (result.get() == value)
    result.set(argument);
  readInstead(value);
  for (AccumulateOp op : llvm::reverse(accumulations))
    op->erase();
}

void VariableBuilder::build() {
  addVariable();
  accumulateInPlace();
  OpOperand &result = terminator->getOpOperand(state.result);
  isUpdated = result.get() != argument;
  // What the variable holds anyway is not read.
  if (!isUpdated)
    result.set(ref);
}

void VariableBuilder::replaceArgument() { readInstead(argument); }

void VariableBuilder::update() {
  if (!isUpdated)
    return;
  Value next = terminator->getOperand(state.result);
  OpBuilder b(terminator);
  auto copy = CopyInPlaceOp::create(b, next.getLoc(), ref, next);
  placeAtVariable(copy);
  Operation *source = next.getDefiningOp();
  if (!source)
    return;
  inheritSchedule(source, copy);
  inheritTrainingRole(source, copy);
  std::optional<ExecutionContext> context = getExecutionContext(source);
  if (isBeforeParts(context) && isReadAfterSettings)
    context = ExecutionContext::AccumulateOuter;
  if (context)
    copy->setAttr(PopDialect::kExecutionContextAttrName,
                  ExecutionContextAttr::get(b.getContext(), *context));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The states of `entry`, in the order of their arguments.
static FailureOr<SmallVector<ArgumentState>>
getStates(FunctionOpInterface entry) {
  llvm::MapVector<unsigned, ArgumentState> states;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    auto updated = entry.getResultAttrOfType<GraphValueAttr>(
        i, PopDialect::kUpdatesAttrName);
    if (!updated)
      continue;
    if (updated.getKind() != GraphValueKind::Argument ||
        updated.getIndex() >= entry.getNumArguments())
      return entry.emitOpError() << "result #" << i << " updates " << updated
                                 << "; expects an argument of the function";
    auto argument = unsigned(updated.getIndex());
    Type type = entry.getArgumentTypes()[argument];
    if (type != entry.getResultTypes()[i])
      return entry.emitOpError() << "result #" << i << " expects the type "
                                 << type << " of argument #" << argument
                                 << ", which the result updates, but got "
                                 << entry.getResultTypes()[i];
    if (!isReferable(type))
      return entry.emitOpError() << "argument #" << argument
                                 << " expects a tensor of static shape and pop "
                                    "element type but got "
                                 << type;
    if (!entry.getArgAttr(argument, PopDialect::kDefaultAttrName))
      return entry.emitOpError()
             << "argument #" << argument << ", which result #" << i
             << " updates, expects attribute '" << PopDialect::kDefaultAttrName
             << "', the initial value of the variable";
    auto [it, isNew] = states.insert({argument, {argument, i}});
    if (!isNew)
      return entry.emitOpError()
             << "results #" << it->second.result << " and #" << i
             << " both update argument #" << argument << "; expects one update";
  }
  return llvm::map_to_vector(states.takeVector(),
                             [](const auto &entry) { return entry.second; });
}

namespace {
struct StateToVariablesPass
    : pop::impl::StateToVariablesPassBase<StateToVariablesPass> {
  void runOnOperation() override {
    FailureOr<FunctionOpInterface> entry =
        getEntryForHostIO(getOperation(), getArgument());
    if (failed(entry))
      return signalPassFailure();
    FailureOr<SmallVector<ArgumentState>> states = getStates(*entry);
    if (failed(states))
      return signalPassFailure();
    if (states->empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    BitVector arguments(entry->getNumArguments());
    BitVector results(entry->getNumResults());
    SmallVector<VariableBuilder> builders;
    for (ArgumentState state : *states) {
      builders.emplace_back(*entry, state, symbols).build();
      arguments.set(state.argument);
      results.set(state.result);
    }
    for (VariableBuilder &builder : builders)
      builder.replaceArgument();
    for (VariableBuilder &builder : builders)
      builder.update();
    entry->getFunctionBody().front().getTerminator()->eraseOperands(results);
    (void)entry->eraseResults(results);
    (void)entry->eraseArguments(arguments);
    remark::passed(entry->getLoc(), getGraphRemark("StateToVariables"))
        << remark::metric("variables", int64_t(states->size()));
  }
};
} // namespace
