//===- Program.cpp - An ipu program as the executor runs it ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Program.h"

#include "Codelets.h"
#include "ipu-mlir/Executor/HostTensor.h"
#include "ipu-mlir/Executor/TileLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class ProgramReader {
public:
  ProgramReader(ModuleOp module, Program &program)
      : program(program), codelets(module.getContext()) {
    program.module = module;
    program.target = getTargetModel(module);
    auto target =
        module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
    program.preset = target ? target.getPreset().str() : "gc200";
  }

  LogicalResult read(func::FuncOp entry);

private:
  LogicalResult readSequence(Block &block, ProgramSequence &into);
  LogicalResult readOp(Operation *op);
  LogicalResult readVar(VarOp op);
  LogicalResult readUndef(WriteUndefOp op);
  LogicalResult readComputeSet(ComputeSetOp op);
  FailureOr<VertexGroup> readVertices(VerticesOp op);
  void readTable(VertexGroup &group);
  LogicalResult readExchange(ExchangeOp op);
  LogicalResult readSync(SyncOp op);
  LogicalResult readRepeat(RepeatOp op);
  LogicalResult readHostCopy(Operation *op, FlatSymbolRefAttr stream,
                             Value variable, bool isLoad);
  LogicalResult readExpect(ExpectOp op);

  /// The number of the variable that `value` is or shows.
  FailureOr<unsigned> getUsedVariable(Operation *user, Value value);
  FailureOr<unsigned> addStep(Operation *op, StepKind kind, StringRef name,
                              std::optional<StepCostAttr> cost);
  FailureOr<unsigned> getStream(Operation *user, FlatSymbolRefAttr name);

  template <typename NodeTy>
  void add(NodeTy node) {
    sequence->nodes.push_back(std::move(node));
  }

  Program &program;
  /// Where nodes are added.
  ProgramSequence *sequence = nullptr;
  CodeletTable codelets;
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<unsigned, Operation *> deaths;
  llvm::DenseMap<Operation *, unsigned> numberOfStream;
};
} // namespace

LogicalResult ProgramReader::read(func::FuncOp entry) {
  if (entry.isDeclaration() || !entry.getBody().hasOneBlock())
    return entry.emitOpError("expects the entry of a program to have a body of "
                             "one block");
  if (entry.getNumArguments() != 0 || entry.getNumResults() != 0)
    return entry.emitOpError()
           << "expects the entry of a program to have no arguments or results "
              "but got "
           << entry.getFunctionType() << "; lower it to ipu first";
  if (failed(readSequence(entry.getBody().front(), program.body)))
    return failure();
  program.codelets = std::move(codelets.codelets);
  program.codeletModule = std::move(codelets.module);
  program.function = entry;
  FailureOr<MemoryProblem> memory = readMemoryProblem(entry);
  if (failed(memory))
    return failure();
  program.memory = std::move(*memory);
  program.memoryPlan = allocateMemory(program.memory);
  return success();
}

LogicalResult ProgramReader::readSequence(Block &block, ProgramSequence &into) {
  ProgramSequence *outer = std::exchange(sequence, &into);
  for (Operation &op : block)
    if (failed(readOp(&op)))
      return failure();
  sequence = outer;
  return success();
}

LogicalResult ProgramReader::readOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](VarOp var) { return readVar(var); })
      .Case([&](WriteUndefOp undef) { return readUndef(undef); })
      .Case([&](ComputeSetOp set) { return readComputeSet(set); })
      .Case([&](ExchangeOp exchange) { return readExchange(exchange); })
      .Case([&](SyncOp sync) { return readSync(sync); })
      .Case([&](RepeatOp repeat) { return readRepeat(repeat); })
      .Case([&](HostLoadOp load) {
        return readHostCopy(load, load.getStreamAttr(), load.getVariable(),
                            /*isLoad=*/true);
      })
      .Case([&](HostStoreOp store) {
        return readHostCopy(store, store.getStreamAttr(), store.getVariable(),
                            /*isLoad=*/false);
      })
      .Case([&](ExpectOp expect) { return readExpect(expect); })
      // Whoever uses a view looks through it.
      .Case<memref::ReinterpretCastOp, func::ReturnOp>(
          [](Operation *) { return success(); })
      .Default([](Operation *other) {
        return other->emitOpError("is no op of an executable program; lower it "
                                  "to ipu first");
      });
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult ProgramReader::readVar(VarOp op) {
  MemRefType type = op.getResult().getType();
  if (!isHostElementType(type.getElementType()))
    return op.emitOpError() << "cannot be executed with elements of type "
                            << type.getElementType();
  ProgramVariable variable;
  variable.op = op;
  variable.type = type;
  variable.map = getMap(type);
  variable.elementBytes = getElementBytes(type.getElementType());
  variable.init = op.getInitAttr();
  std::optional<int64_t> bytes = getTensorBytes(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  int64_t all;
  if (!bytes || llvm::MulOverflow(*bytes, program.target.replicas, all))
    return op.emitOpError("exceeds the memory of the host");
  variable.bytes = *bytes;
  unsigned number = program.variables.size();
  numberOfVar[op] = number;
  program.variables.push_back(variable);
  add(BirthNode{number});
  return success();
}

FailureOr<unsigned> ProgramReader::getUsedVariable(Operation *user,
                                                   Value value) {
  auto it = numberOfVar.find(getVariable(value));
  if (it == numberOfVar.end())
    return user->emitOpError("expects a variable of this program");
  auto death = deaths.find(it->second);
  if (death == deaths.end())
    return it->second;
  InFlightDiagnostic diag = user->emitOpError();
  diag << "uses variable \"" << program.variables[it->second].op.getName()
       << "\" after the end of its life";
  diag.attachNote(death->second->getLoc()) << "ended here";
  return diag;
}

LogicalResult ProgramReader::readUndef(WriteUndefOp op) {
  FailureOr<unsigned> variable = getUsedVariable(op, op.getVariable());
  if (failed(variable))
    return failure();
  deaths[*variable] = op;
  add(DeathNode{*variable});
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

FailureOr<unsigned> ProgramReader::addStep(Operation *op, StepKind kind,
                                           StringRef name,
                                           std::optional<StepCostAttr> cost) {
  if (!cost)
    return op->emitOpError("expects a cost; run ipu-estimate-cost");
  int64_t ipus = program.target.ipus;
  if (static_cast<int64_t>(cost->getCycles().size()) != ipus)
    return op->emitOpError() << "expects the cost to have cycles for " << ipus
                             << " IPUs but got " << cost->getCycles().size();
  SmallVector<int64_t> values(cost->getCycles());
  values.append(
      {cost->getTotal(), cost->getTile(), cost->getFlops(), cost->getBytes()});
  for (int64_t value : values)
    if (value < 0)
      return op->emitOpError()
             << "expects costs that are not negative but got " << value;
  program.steps.push_back({kind, op, name.str(), *cost});
  return program.steps.size() - 1;
}

LogicalResult ProgramReader::readComputeSet(ComputeSetOp op) {
  FailureOr<unsigned> step =
      addStep(op, StepKind::Compute, op.getName(), op.getCost());
  if (failed(step))
    return failure();
  ComputeNode node;
  node.step = *step;
  for (auto vertices : op.getBody().getOps<VerticesOp>()) {
    FailureOr<VertexGroup> group = readVertices(vertices);
    if (failed(group))
      return failure();
    node.groups.push_back(std::move(*group));
  }
  add(std::move(node));
  return success();
}

/// Says what of an operand does not lie where it is read.
static LogicalResult refuseOperand(VerticesOp op, unsigned index) {
  Value operand = op->getOperand(index);
  VarOp variable = getVariable(operand);
  MemRefType type = variable.getResult().getType();
  InFlightDiagnostic diag = op.emitOpError();
  diag << "expects operand " << index
       << " to lie where it is read; run ipu-materialize-exchange";
  std::optional<MissingElement> missing = findMissingElement(
      getMap(type), getStridedView(cast<MemRefType>(operand.getType())),
      op.getAccessMap(index));
  Diagnostic &note = diag.attachNote(variable.getLoc());
  if (!missing) {
    note << "variable defined here";
    return diag;
  }
  note << "tile " << missing->tile << " reads element "
       << printIndices(type.getShape(), missing->element) << " of variable \""
       << variable.getName() << "\", which is on ";
  if (missing->holder)
    note << "tile " << *missing->holder;
  else
    note << "no tile";
  return diag;
}

FailureOr<VertexGroup> ProgramReader::readVertices(VerticesOp op) {
  VertexGroup group;
  group.op = op;
  group.numInputs = op.getInputs().size();
  auto codelet =
      symbols.lookupNearestSymbolFrom<CodeletOp>(op, op.getCodeletAttr());
  FailureOr<unsigned> number = codelets.add(codelet);
  if (failed(number))
    return failure();
  group.codelet = *number;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    FailureOr<unsigned> variable = getUsedVariable(op, operand);
    if (failed(variable))
      return failure();
    auto var = operand.getDefiningOp<VarOp>();
    if (!var || !getMap(var.getResult().getType())
                     .isEquivalentTo(op.getAccessMap(index)))
      return refuseOperand(op, index);
    group.variables.push_back(*variable);
  }
  // The verifier lets a vertex read a variable that the group writes only where
  // the same vertex writes it.
  for (unsigned i = 0; i < group.variables.size(); ++i) {
    auto *writer = llvm::find(
        llvm::drop_begin(group.variables, group.numInputs), group.variables[i]);
    group.alias.push_back(
        writer == group.variables.end() ? i : writer - group.variables.begin());
  }
  readTable(group);
  return group;
}

void ProgramReader::readTable(VertexGroup &group) {
  // A variable's own map puts the same elements on the same tiles, but its
  // boxes may have another rank than the codelet's arguments.
  SmallVector<MapAttr> maps;
  for (unsigned index = 0; index < group.variables.size(); ++index)
    maps.push_back(group.op.getAccessMap(index));
  for (MapAttr map : maps)
    group.rowSize += 1 + 2 * map.getDomain().size();
  MapAttr first = group.op.getAccessMap(0);
  SmallVector<int64_t> row;
  for (int64_t tile = 0, e = first.getNumTiles(); tile < e; ++tile) {
    row.clear();
    bool isIdle = false;
    for (auto [index, map] : llvm::enumerate(maps)) {
      Box box = map.getBox(tile);
      isIdle |= index >= group.numInputs && box.isEmpty();
      SmallVector<int64_t> strides =
          StridedView::identity(map.getDomain()).strides;
      int64_t offset = 0;
      for (auto [start, stride] : llvm::zip_equal(box.offsets, strides))
        offset += start * stride;
      row.push_back(offset);
      row.append(box.sizes);
      row.append(strides);
    }
    if (isIdle)
      continue;
    llvm::append_range(group.table, row);
    group.tiles.push_back(first.getFirst() + tile);
  }
}

LogicalResult ProgramReader::readExchange(ExchangeOp op) {
  FailureOr<unsigned> step =
      addStep(op, StepKind::Exchange, op.getName(), op.getCost());
  if (failed(step))
    return failure();
  ExchangeNode node;
  node.step = *step;
  for (auto moveOp : op.getBody().getOps<MoveOp>()) {
    FailureOr<unsigned> source = getUsedVariable(moveOp, moveOp.getSource());
    FailureOr<unsigned> target = getUsedVariable(moveOp, moveOp.getTarget());
    if (failed(source) || failed(target))
      return failure();
    ProgramMove move;
    move.op = moveOp;
    move.source = *source;
    move.target = *target;
    move.from = getStridedView(cast<MemRefType>(moveOp.getSource().getType()));
    move.to = getStridedView(cast<MemRefType>(moveOp.getTarget().getType()));
    move.elementBytes = program.variables[*source].elementBytes;
    if (!llvm::is_contained(move.to.sizes, 0))
      node.moves.push_back(std::move(move));
  }
  add(std::move(node));
  return success();
}

LogicalResult ProgramReader::readSync(SyncOp op) {
  FailureOr<unsigned> step = addStep(
      op, StepKind::Sync, stringifySyncKind(op.getKind()), op.getCost());
  if (failed(step))
    return failure();
  add(SyncNode{*step, op.getKind()});
  return success();
}

LogicalResult ProgramReader::readRepeat(RepeatOp op) {
  auto node = std::make_unique<RepeatNode>();
  node->count = op.getCount();
  unsigned firstVariable = program.variables.size();
  if (failed(readSequence(op.getBody().front(), node->body)))
    return failure();
  // No value of a variable of the body reaches the next iteration.
  for (unsigned i = firstVariable; i < program.variables.size(); ++i)
    if (deaths.try_emplace(i, op).second)
      node->body.nodes.push_back(DeathNode{i});
  FailureOr<unsigned> step =
      addStep(op, StepKind::Compute, "repeat", op.getCost());
  if (failed(step))
    return failure();
  node->step = *step;
  add(std::move(node));
  return success();
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

FailureOr<unsigned> ProgramReader::getStream(Operation *user,
                                             FlatSymbolRefAttr name) {
  auto op = symbols.lookupNearestSymbolFrom<StreamOp>(user, name);
  auto [it, isNew] = numberOfStream.try_emplace(op, program.streams.size());
  if (!isNew)
    return it->second;
  ProgramStream stream;
  stream.name = op.getSymName().str();
  stream.type = cast<RankedTensorType>(op.getType());
  stream.replicated = op.getReplicated();
  SmallVector<int64_t> shape(stream.type.getShape());
  if (stream.replicated)
    shape.insert(shape.begin(), program.target.replicas);
  stream.hostType = RankedTensorType::get(shape, stream.type.getElementType());
  if (!getTensorBytes(stream.hostType))
    return op.emitOpError() << "cannot be executed with host tensors of type "
                            << stream.hostType;
  program.streams.push_back(stream);
  return it->second;
}

LogicalResult ProgramReader::readHostCopy(Operation *op,
                                          FlatSymbolRefAttr stream,
                                          Value variable, bool isLoad) {
  std::optional<StepCostAttr> cost;
  if (auto load = dyn_cast<HostLoadOp>(op))
    cost = load.getCost();
  else
    cost = cast<HostStoreOp>(op).getCost();
  FailureOr<unsigned> step =
      addStep(op, StepKind::Host, stream.getValue(), cost);
  if (failed(step))
    return failure();
  FailureOr<unsigned> streamNumber = getStream(op, stream);
  FailureOr<unsigned> variableNumber = getUsedVariable(op, variable);
  if (failed(streamNumber) || failed(variableNumber))
    return failure();
  add(HostCopyNode{*step, *streamNumber, *variableNumber, isLoad});
  return success();
}

LogicalResult ProgramReader::readExpect(ExpectOp op) {
  FailureOr<unsigned> variable = getUsedVariable(op, op.getVariable());
  if (failed(variable))
    return failure();
  add(ExpectNode{op, *variable});
  return success();
}

FailureOr<Program> mlir::ipu::readProgram(ModuleOp module, StringRef entry) {
  Operation *op = SymbolTable::lookupSymbolIn(module, entry);
  if (!op)
    return module.emitError()
           << "expects a function '" << entry << "' to execute";
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitOpError() << "expects '" << entry << "' to be a 'func.func'";
  Program program;
  ProgramReader reader(module, program);
  if (failed(reader.read(function)))
    return failure();
  return program;
}
