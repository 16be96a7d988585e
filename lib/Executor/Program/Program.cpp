//===- Program.cpp - An ipu program for execution -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Program/Program.h"

#include "ProgramReader.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Support/ExternalModels.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Executor/Program/ExecutableInterface.cpp.inc"

ProgramReader::ProgramReader(ModuleOp module, Program &program)
    : program(program), codelets(module.getContext(), getRngGenerator(module)) {
  program.module = module;
  program.target = getTargetModel(module);
  program.rngGenerator = getRngGenerator(module);
  auto target = module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
  program.preset = target ? target.getPreset().str() : kDefaultPreset.str();
}

LogicalResult ProgramReader::read(func::FuncOp entry) {
  if (!entry.getBody().hasOneBlock())
    return entry.emitOpError("expects the entry of a program to have a body of "
                             "one block");
  if (entry.getNumArguments() != 0 || entry.getNumResults() != 0)
    return entry.emitOpError()
           << "expects the entry of a program to have no arguments or results "
              "but got "
           << entry.getFunctionType() << "; lower the program to ipu first";
  program.function = entry;
  if (failed(readDeclarations()) ||
      failed(readSequence(entry.getBody().front(), program.body)) ||
      failed(readResidency()))
    return failure();
  program.codelets = std::move(codelets.codelets);
  program.codeletTexts = std::move(codelets.texts);
  program.codeletModule = std::move(codelets.module);
  FailureOr<MemoryProblem> memory = readMemoryProblem(entry);
  if (failed(memory))
    return failure();
  program.memory = std::move(*memory);
  program.memoryPlan = allocateMemory(program.memory, entry.getContext());
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
  if (auto executable = dyn_cast<ExecutableOpInterface>(op))
    return executable.addToProgram(*this);
  // The users of a view look through it.
  if (isa<memref::ReinterpretCastOp, func::ReturnOp>(op))
    return success();
  if (isa<StepOpInterface>(op) || op->hasTrait<InProgram>())
    return op->emitOpError(
        "cannot be executed: the op does not implement ExecutableOpInterface");
  return op->emitOpError("cannot be an op of an executable program; lower the "
                         "program to ipu first");
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

FailureOr<ProgramVariable>
ProgramReader::makeVariable(Operation *op, StringRef name, MemRefType type) {
  if (!isHostElementType(type.getElementType()))
    return op->emitOpError() << "cannot be executed with elements of type "
                             << type.getElementType();
  ProgramVariable variable;
  variable.op = op;
  variable.name = name.str();
  variable.type = type;
  variable.mapping = getTileMapping(type);
  variable.elementBytes = getElementBytes(type.getElementType());
  std::optional<int64_t> bytes = getTensorBytes(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  int64_t all;
  if (!bytes || llvm::MulOverflow(*bytes, program.target.replicas, all))
    return op->emitOpError("exceeds the memory of the host");
  variable.bytes = *bytes;
  return variable;
}

LogicalResult ProgramReader::addVariable(VarOp op) {
  if (FlatSymbolRefAttr storage = op.getStorageAttr()) {
    numberOfVar[op] =
        numberOfVar.lookup(symbols.lookupNearestSymbolFrom(op, storage));
    return success();
  }
  FailureOr<ProgramVariable> variable =
      makeVariable(op, op.getName(), op.getResult().getType());
  if (failed(variable))
    return failure();
  unsigned number = program.variables.size();
  numberOfVar[op] = number;
  variable->init = op.getInitAttr();
  if (variable->init)
    variable->liveRange = VariableLiveRange::Device;
  program.variables.push_back(*variable);
  if (!variable->init)
    addNode(LiveRangeBeginNode{number});
  return success();
}

FailureOr<unsigned> ProgramReader::getUsedVariable(Operation *user,
                                                   Value value) {
  auto it = numberOfVar.find(getVariable(value));
  if (it == numberOfVar.end())
    return user->emitOpError("expects a variable of this program");
  auto liveRangeEnd = liveRangeEnds.find(it->second);
  if (liveRangeEnd == liveRangeEnds.end())
    return it->second;
  InFlightDiagnostic diag = user->emitOpError();
  diag << "uses variable \"" << program.variables[it->second].name
       << "\" after the end of its live range";
  diag.attachNote(liveRangeEnd->second->getLoc()) << "ended here";
  return diag;
}

LogicalResult ProgramReader::endVariable(WriteUndefOp op) {
  FailureOr<unsigned> variable = getUsedVariable(op, op.getVariable());
  if (failed(variable))
    return failure();
  liveRangeEnds[*variable] = op;
  addNode(LiveRangeEndNode{*variable});
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

FailureOr<unsigned> ProgramReader::addStep(StepOpInterface op) {
  StepCostAttr cost = op.getCostAttr();
  if (!cost)
    return op->emitOpError("expects a cost; run ipu-estimate-cost");
  int64_t ipus = program.target.ipus;
  if (static_cast<int64_t>(cost.getCycles().size()) != ipus)
    return op->emitOpError() << "expects the cost to have cycles for " << ipus
                             << (ipus == 1 ? " IPU" : " IPUs") << " but got "
                             << cost.getCycles().size();
  SmallVector<int64_t> values(cost.getCycles());
  values.append(
      {cost.getTotal(), cost.getTile(), cost.getFlops(), cost.getBytes()});
  for (int64_t value : values)
    if (value < 0)
      return op->emitOpError()
             << "expects costs that are not negative but got " << value;
  program.steps.push_back(op);
  return program.steps.size() - 1;
}

int64_t mlir::ipu::getHostTransfers(StreamOp stream) {
  if (IntegerAttr own = stream.getTransfersAttr())
    return own.getInt();
  auto attr = stream->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
      IPUDialect::kHostTransfersAttrName);
  return attr ? attr.getInt() : 1;
}

RankedTensorType mlir::ipu::getStreamType(StreamOp stream) {
  auto module = stream->getParentOfType<ModuleOp>();
  auto type = cast<RankedTensorType>(stream.getType());
  SmallVector<int64_t> shape;
  if (int64_t transfers = getHostTransfers(stream); transfers > 1)
    shape.push_back(transfers);
  if (int64_t replicas = getTargetModel(module).replicas;
      stream.getReplicated() && replicas > 1)
    shape.push_back(replicas);
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

ProgramInput mlir::ipu::getProgramInput(StreamOp stream) {
  ProgramInput input;
  input.name = stream.getSymName().str();
  input.type = getStreamType(stream);
  input.hostTransfers = getHostTransfers(stream);
  input.numHostDims =
      input.type.getRank() - cast<RankedTensorType>(stream.getType()).getRank();
  input.hasDefault = hasDefaultInput(stream);
  return input;
}

bool mlir::ipu::hasDefaultInput(StreamOp stream) {
  return stream.getSeed() || stream.getDefaultValueAttr();
}

/// Writes seed number `number` of those that are derived from `seed`; number 0
/// is `seed` itself.
static void writeSeed(std::array<uint32_t, 2> seed, uint64_t number, char *to) {
  // Random ops have other last words of counters, so that they draw other bits.
  constexpr uint32_t kRuns = 0x80000005;
  if (number > 0) {
    std::array<uint32_t, 4> block =
        philox4x32(seed, {static_cast<uint32_t>(number),
                          static_cast<uint32_t>(number >> 32), 0, kRuns});
    seed = {block[0], block[1]};
  }
  std::memcpy(to, seed.data(), sizeof(seed));
}

HostTensor mlir::ipu::advanceSeeds(const HostTensor &seeds, uint64_t run) {
  HostTensor advanced = seeds;
  std::array<uint32_t, 2> seed;
  for (size_t at = 0; at < seeds.data.size(); at += sizeof(seed)) {
    std::memcpy(seed.data(), seeds.data.data() + at, sizeof(seed));
    writeSeed(seed, run, advanced.data.data() + at);
  }
  return advanced;
}

FailureOr<HostTensor> mlir::ipu::getDefaultInput(StreamOp stream,
                                                 RunSeed seed) {
  auto emitError = [&] {
    return stream.emitOpError() << "has no usable default value: ";
  };
  RankedTensorType type = getStreamType(stream);
  FailureOr<HostTensor> repeated = allocateHostTensor(type);
  if (failed(repeated))
    return emitError() << "not enough memory for a " << type;
  if (stream.getSeed()) {
    std::array<uint32_t, 2> words = {static_cast<uint32_t>(seed.seed),
                                     static_cast<uint32_t>(seed.seed >> 32)};
    uint64_t count = repeated->data.size() / sizeof(words);
    for (uint64_t i = 0; i < count; ++i)
      writeSeed(words, seed.run * count + i,
                repeated->data.data() + i * sizeof(words));
    return repeated;
  }
  FailureOr<HostTensor> value =
      getHostTensor(stream.getDefaultValueAttr(), emitError);
  if (failed(value) || value->type == type)
    return value;
  size_t bytes = value->data.size();
  for (size_t at = 0; at < repeated->data.size(); at += bytes)
    llvm::copy(value->data, repeated->data.begin() + at);
  return repeated;
}

FailureOr<HostTensor> mlir::ipu::getInput(ModuleOp module,
                                          const TensorMap &inputs,
                                          StringRef name, RunSeed seed) {
  if (auto it = inputs.find(name.str()); it != inputs.end())
    return it->second;
  auto stream = cast<StreamOp>(SymbolTable::lookupSymbolIn(module, name));
  if (hasDefaultInput(stream))
    return getDefaultInput(stream, seed);
  return module.emitError() << "expects a value of input '" << name << "'";
}

FailureOr<Program> mlir::ipu::readProgram(ModuleOp module, StringRef entry) {
  FailureOr<func::FuncOp> function = lookupEntry(module, entry);
  if (failed(function))
    return failure();
  Program program;
  ProgramReader reader(module, program);
  if (failed(reader.read(*function)))
    return failure();
  return program;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static LogicalResult readVariable(VarOp op, ProgramReader &reader) {
  return reader.addVariable(op);
}

static LogicalResult readUndef(WriteUndefOp op, ProgramReader &reader) {
  return reader.endVariable(op);
}

static void attachModels(MLIRContext &context) {
  attachExecutable<VarOp, readVariable>(context);
  attachExecutable<WriteUndefOp, readUndef>(context);
  attachStepModels(context);
  attachControlModels(context);
  attachReplicaModels(context);
}

void mlir::ipu::registerExecutableModels(DialectRegistry &registry) {
  addExternalModels<IPUDialect, attachModels>(registry);
}
