//===- Executor.cpp - Runs ipu programs on the simulated device -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Executor.h"

#include "Moves.h"
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
#include <cstdlib>

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
struct FreeDeleter {
  void operator()(char *memory) const { std::free(memory); }
};

class Runner {
public:
  Runner(const Program &program, const ExecuteOptions &options, Engine &engine)
      : program(program), options(options), engine(engine),
        pool(std::clamp(options.threads, 1u, 256u)), profile(program),
        storage(program.variables.size()), inputs(program.streams.size()),
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

  LogicalResult runGroup(const VertexGroup &group);
  std::optional<CodeletFault> runRows(const VertexGroup &group, int64_t begin,
                                      int64_t end);
  void runMove(const ProgramMove &move);
  LogicalResult load(const HostCopyNode &node);
  void store(const HostCopyNode &node);

  char *getStorage(unsigned variable, int64_t replica) const {
    return storage[variable].get() +
           replica * program.variables[variable].bytes;
  }
  RankedTensorType getTensorType(unsigned variable) const {
    MemRefType type = program.variables[variable].type;
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }

  const Program &program;
  const ExecuteOptions &options;
  Engine &engine;
  ThreadPool pool;
  ProfileBuilder profile;
  std::vector<std::unique_ptr<char, FreeDeleter>> storage;
  std::vector<std::optional<HostTensor>> inputs;
  std::vector<int64_t> outputOfStream;
  std::vector<NamedTensor> outputs;
  bool expectationFailed = false;
};
} // namespace

FailureOr<ExecuteResult> Runner::run() {
  if (failed(runSequence(program.body)) || expectationFailed)
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
  const ProgramVariable &variable = program.variables[node.variable];
  int64_t replicas = program.target.replicas;
  // Memory that is never touched costs nothing; it starts as zeros so that runs
  // of wrong programs are alike.
  storage[node.variable].reset(static_cast<char *>(
      std::calloc(std::max<int64_t>(variable.bytes * replicas, 1), 1)));
  if (!storage[node.variable])
    return variable.op->emitOpError("exceeds the memory of the host");
  if (!variable.init)
    return success();
  FailureOr<HostTensor> value =
      getHostTensor(variable.init, [&] { return variable.op->emitOpError(); });
  if (failed(value))
    return failure();
  for (int64_t replica = 0; replica < replicas; ++replica)
    llvm::copy(value->data, getStorage(node.variable, replica));
  return success();
}

LogicalResult Runner::visit(const DeathNode &node) {
  storage[node.variable].reset();
  return success();
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

LogicalResult Runner::visit(const ComputeNode &node) {
  for (const VertexGroup &group : node.groups)
    if (failed(runGroup(group)))
      return failure();
  profile.runStep(node.step);
  return success();
}

/// Rows of all replicas behind one another.
std::optional<CodeletFault> Runner::runRows(const VertexGroup &group,
                                            int64_t begin, int64_t end) {
  int64_t rows = group.getNumRows();
  for (int64_t replica = begin / rows; replica * rows < end; ++replica) {
    SmallVector<char *> buffers;
    for (unsigned variable : group.variables)
      buffers.push_back(getStorage(variable, replica));
    VertexRange range;
    range.group = &group;
    range.begin = std::max(begin - replica * rows, int64_t(0));
    range.end = std::min(end - replica * rows, rows);
    range.buffers = buffers;
    if (std::optional<CodeletFault> fault = engine.run(range)) {
      fault->row += replica * rows;
      return fault;
    }
  }
  return std::nullopt;
}

LogicalResult Runner::runGroup(const VertexGroup &group) {
  int64_t rows = group.getNumRows();
  std::vector<std::optional<CodeletFault>> faults(pool.getNumThreads());
  pool.run(rows * program.target.replicas,
           [&](unsigned part, int64_t begin, int64_t end) {
             faults[part] = runRows(group, begin, end);
           });
  // The first in order is the same for any number of threads.
  for (const std::optional<CodeletFault> &fault : faults) {
    if (!fault)
      continue;
    InFlightDiagnostic diag = emitError(fault->op->getLoc());
    diag << "'" << fault->op->getName() << "' "
         << (fault->op->getName().getStringRef() == "scf.for"
                 ? "has a step that is not positive"
                 : "touches elements outside of its buffer")
         << " on tile " << group.tiles[fault->row % rows] << " of replica "
         << fault->row / rows;
    VerticesOp op = group.op;
    diag.attachNote(op.getLoc()) << "vertices run here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Exchange and synchronisation
//===----------------------------------------------------------------------===//

/// No element that an exchange reads is written in it, so that moves may be
/// done one after another.
void Runner::runMove(const ProgramMove &move) {
  CopyLoops loops = getCopyLoops(move.from, move.to);
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  pool.run(outer * program.target.replicas, [&](unsigned, int64_t begin,
                                                int64_t end) {
    for (int64_t replica = begin / outer; replica * outer < end; ++replica)
      copyElements(loops, move.elementBytes, getStorage(move.source, replica),
                   getStorage(move.target, replica),
                   std::max(begin - replica * outer, int64_t(0)),
                   std::min(end - replica * outer, outer));
  });
}

LogicalResult Runner::visit(const ExchangeNode &node) {
  for (const ProgramMove &move : node.moves)
    runMove(move);
  profile.runStep(node.step);
  return success();
}

LogicalResult Runner::visit(const std::unique_ptr<RepeatNode> &node) {
  for (int64_t i = 0; i < node->count; ++i) {
    if (failed(runSequence(node->body)))
      return failure();
    profile.runStep(node->step);
  }
  return success();
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
    std::copy_n(from, bytes, getStorage(node.variable, replica));
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

void Runner::store(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  int64_t &output = outputOfStream[node.stream];
  if (output < 0) {
    output = outputs.size();
    outputs.push_back({stream.name, HostTensor{stream.hostType, {}}});
  }
  HostTensor &tensor = outputs[output].tensor;
  int64_t bytes = program.variables[node.variable].bytes;
  // The storage of replicas lies as the host's tensor does.
  const char *from = getStorage(node.variable, 0);
  tensor.data.assign(
      from, from + bytes * (stream.replicated ? program.target.replicas : 1));
  canonicalizeNaNs(tensor);
}

LogicalResult Runner::visit(const HostCopyNode &node) {
  profile.runSync(node.step, SyncKind::External);
  if (node.isLoad)
    return load(node);
  store(node);
  return success();
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
    const char *data = getStorage(node.variable, replica);
    HostTensor actual{
        // An expectation of a view that shows all of a variable has its shape.
        getTensorType(node.variable).clone(expected->type.getShape()),
        std::vector<char>(data, data + program.variables[node.variable].bytes)};
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
  std::unique_ptr<Engine> engine;
  if (options.engine == EngineKind::Interp) {
    engine = createInterpEngine(*program);
  } else {
    FailureOr<std::unique_ptr<Engine>> created = createJitEngine(*program);
    if (failed(created))
      return failure();
    engine = std::move(*created);
  }
  return Runner(*program, options, *engine).run();
}
