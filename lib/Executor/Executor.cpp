//===- Executor.cpp - Runs ipu programs on the simulated device -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Executor.h"

#include "CheckedRun.h"
#include "DeviceMemory.h"
#include "ProfileBuilder.h"
#include "Scalars.h"
#include "ThreadPool.h"
#include "ipu-mlir/Executor/Compare.h"
#include "ipu-mlir/Executor/Engine.h"
#include "ipu-mlir/Executor/InputSpec.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"

using namespace mlir;
using namespace mlir::ipu;

void mlir::ipu::registerExecutorDialects(DialectRegistry &registry) {
  registry
      .insert<IPUDialect, affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// Only does anything if no pass runs, whose dialects are loaded before it.
static void loadExecutorDialects(MLIRContext *context) {
  auto *llvm = context->getLoadedDialect<LLVM::LLVMDialect>();
  if (llvm && llvm->getRegisteredInterface<LLVMTranslationDialectInterface>() &&
      context->getLoadedDialect<vector::VectorDialect>() &&
      context->getLoadedDialect<affine::AffineDialect>() &&
      context->getLoadedDialect<cf::ControlFlowDialect>())
    return;
  DialectRegistry registry;
  registerExecutorDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

namespace {
class Runner {
public:
  Runner(const Program &program, const ExecuteOptions &options,
         DeviceMemory &memory)
      : program(program), options(options), memory(memory), profile(program),
        inputs(program.streams.size()),
        outputOfStream(program.streams.size(), -1) {}

  FailureOr<ExecuteResult> run();

private:
  LogicalResult runSequence(const ProgramSequence &sequence);
  LogicalResult runNode(const ProgramNode &node);
  LogicalResult visit(const ComputeNode &node);
  LogicalResult visit(const ExchangeNode &node);
  LogicalResult visit(const SyncNode &node);
  LogicalResult visit(const HostCopyNode &node);
  LogicalResult visit(const ExpectNode &node);
  LogicalResult visit(const BirthNode &node);
  LogicalResult visit(const DeathNode &node);
  LogicalResult visit(const std::unique_ptr<RepeatNode> &node);

  LogicalResult load(const HostCopyNode &node);
  LogicalResult store(const HostCopyNode &node);

  RankedTensorType getTensorType(unsigned variable) const {
    MemRefType type = program.variables[variable].type;
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }

  const Program &program;
  const ExecuteOptions &options;
  DeviceMemory &memory;
  ProfileBuilder profile;
  std::vector<std::optional<HostTensor>> inputs;
  std::vector<int64_t> outputOfStream;
  std::vector<NamedTensor> outputs;
  bool expectationFailed = false;
};
} // namespace

FailureOr<ExecuteResult> Runner::run() {
  if (failed(runSequence(program.body)) || failed(memory.finish()) ||
      expectationFailed)
    return failure();
  return ExecuteResult{std::move(outputs), profile.finish()};
}

LogicalResult Runner::runSequence(const ProgramSequence &sequence) {
  for (const ProgramNode &node : sequence.nodes)
    if (failed(runNode(node)))
      return failure();
  return success();
}

LogicalResult Runner::runNode(const ProgramNode &node) {
  return std::visit([&](const auto &inner) { return visit(inner); }, node);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult Runner::visit(const BirthNode &node) {
  return memory.begin(node.variable);
}

LogicalResult Runner::visit(const DeathNode &node) {
  memory.end(node.variable);
  return success();
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

LogicalResult Runner::visit(const ComputeNode &node) {
  if (failed(memory.compute(node)))
    return failure();
  profile.runStep(node.step);
  return success();
}

//===----------------------------------------------------------------------===//
// Exchange and synchronisation
//===----------------------------------------------------------------------===//

LogicalResult Runner::visit(const ExchangeNode &node) {
  if (failed(memory.exchange(node)))
    return failure();
  profile.runStep(node.step);
  return success();
}

LogicalResult Runner::visit(const std::unique_ptr<RepeatNode> &node) {
  LogicalResult result = success();
  auto runBody = [&] {
    result = runSequence(node->body);
    profile.runStep(node->step);
  };
  // Without values all rounds are alike.
  if (options.engine == EngineKind::None) {
    profile.runRepeatedly(node->count, runBody);
    return result;
  }
  for (int64_t i = 0; i < node->count && succeeded(result); ++i)
    runBody();
  return result;
}

LogicalResult Runner::visit(const SyncNode &node) {
  profile.runSync(node.step, node.kind);
  return success();
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

LogicalResult Runner::load(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  std::optional<HostTensor> &input = inputs[node.stream];
  Operation *op = program.steps[node.step].op;
  if (!input) {
    if (!options.input)
      return op->emitOpError()
             << "expects a value of input '" << stream.name << "'";
    FailureOr<HostTensor> value = options.input(stream.name, stream.hostType);
    if (failed(value))
      return failure();
    if (llvm::Error error = checkTensorType("input '" + stream.name + "'",
                                            *value, stream.hostType))
      return op->emitOpError(llvm::toString(std::move(error)));
    input = std::move(*value);
  }
  int64_t bytes = program.variables[node.variable].bytes;
  for (int64_t replica = 0; replica < program.target.replicas; ++replica) {
    const char *from =
        input->data.data() + (stream.replicated ? replica * bytes : 0);
    memory.write(node.variable, replica, from);
  }
  return success();
}

/// Signs and payloads of NaNs depend on how a sum was compiled; the host does
/// not see them.
static void canonicalizeNaNs(HostTensor &tensor) {
  Type type = tensor.type.getElementType();
  if (!isa<FloatType>(type))
    return;
  ScalarKind kind = getScalarKind(type);
  int64_t bytes = getScalarBytes(kind);
  for (size_t at = 0; at < tensor.data.size(); at += bytes) {
    char *element = tensor.data.data() + at;
    storeScalar(kind, canonicalizeNaN(kind, loadScalar(kind, element)),
                element);
  }
}

LogicalResult Runner::store(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  int64_t &output = outputOfStream[node.stream];
  if (output < 0) {
    output = outputs.size();
    outputs.push_back({stream.name, HostTensor{stream.hostType, {}}});
  }
  HostTensor &tensor = outputs[output].tensor;
  int64_t bytes = program.variables[node.variable].bytes;
  int64_t replicas = stream.replicated ? program.target.replicas : 1;
  tensor.data.resize(bytes * replicas);
  for (int64_t replica = 0; replica < replicas; ++replica)
    if (failed(memory.read(program.steps[node.step].op, node.variable, replica,
                           tensor.data.data() + replica * bytes)))
      return failure();
  canonicalizeNaNs(tensor);
  return success();
}

LogicalResult Runner::visit(const HostCopyNode &node) {
  profile.runSync(node.step, SyncKind::External);
  if (node.isLoad)
    return load(node);
  return store(node);
}

/// Later checks run too: one run tells all that is wrong.
LogicalResult Runner::visit(const ExpectNode &node) {
  ExpectOp op = node.op;
  FailureOr<HostTensor> expected =
      getHostTensor(op.getExpected(), [&] { return op.emitOpError(); });
  if (failed(expected))
    return failure();
  std::optional<Tolerance> tolerance;
  if (op.getRtol())
    tolerance = Tolerance{op.getRtol()->convertToDouble(),
                          op.getAtol()->convertToDouble()};
  for (int64_t replica = 0; replica < program.target.replicas; ++replica) {
    HostTensor actual{
        // An expectation of a view that shows all of a variable has its shape.
        getTensorType(node.variable).clone(expected->type.getShape()),
        std::vector<char>(program.variables[node.variable].bytes)};
    if (failed(memory.read(op, node.variable, replica, actual.data.data())))
      return failure();
    Comparison comparison = compareTensors(actual, *expected, tolerance);
    if (comparison.holds())
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    diag << "does not hold";
    if (program.target.replicas > 1)
      diag << " on replica " << replica;
    diag << ": " << comparison.describe();
    diag.report();
    if (options.expectationFailed)
      options.expectationFailed();
    expectationFailed = true;
  }
  return success();
}

FailureOr<ExecuteResult> mlir::ipu::execute(ModuleOp module,
                                            const ExecuteOptions &options) {
  loadExecutorDialects(module.getContext());
  FailureOr<Program> program = readProgram(module, options.entry);
  if (failed(program))
    return failure();
  // Where ipu-allocate let it pass, it warned.
  bool isWarned = options.allowOutOfMemory &&
                  program->function->hasAttr(IPUDialect::kMemoryAttrName);
  if (!isWarned &&
      failed(checkMemory(program->function, program->memory,
                         program->memoryPlan, options.allowOutOfMemory)))
    return failure();
  if (options.check && options.engine != EngineKind::Interp)
    return module.emitError("expects engine 'interp' for a checked run");
  if (options.engine == EngineKind::None)
    return ExecuteResult{{}, profileProgram(*program)};
  ThreadPool pool(std::clamp(options.threads, 1u, 256u));
  if (options.check) {
    CheckedMemory memory(*program, pool);
    return Runner(*program, options, memory).run();
  }
  std::unique_ptr<Engine> engine;
  if (options.engine == EngineKind::Interp) {
    engine = createInterpEngine(*program);
  } else {
    FailureOr<std::unique_ptr<Engine>> created = createJitEngine(*program);
    if (failed(created))
      return failure();
    engine = std::move(*created);
  }
  std::unique_ptr<DeviceMemory> memory =
      createFlatMemory(*program, *engine, pool);
  return Runner(*program, options, *memory).run();
}
