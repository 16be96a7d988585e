//===- JitEngine.cpp - Compiles and runs codelets -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Program/JoinedRows.h"
#include "Jit.h"

#include "ipu-mlir/Executor/Engine/Engine.h"
#include "ipu-mlir/Host/HostBytes.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;
namespace orc = llvm::orc;

namespace {
class JitEngine : public Engine {
public:
  JitEngine(Location loc, unsigned threads) : loc(loc), threads(threads) {}
  LogicalResult compile(const Program &program);
  int64_t getNumParts(const VertexGroup &group) const override;
  bool takesTables() const override { return true; }
  std::optional<CodeletFault> run(const VertexRange &range) override;

private:
  LogicalResult addModule(ModuleOp module, unsigned numKernels,
                          llvm::TargetMachine &machine);
  LogicalResult fail(llvm::Error error);
  std::optional<CodeletFault> runRows(const VertexRange &range,
                                      ArrayRef<int64_t> table);

  using KernelKey = std::pair<unsigned, std::vector<unsigned>>;
  static KernelKey getKey(const VertexGroup &group) {
    return {group.codelet,
            std::vector<unsigned>(group.alias.begin(), group.alias.end())};
  }

  Location loc;
  unsigned threads;
  std::unique_ptr<orc::LLJIT> jit;
  std::map<KernelKey, unsigned> kernelNumbers;
  llvm::DenseMap<const VertexGroup *, unsigned> kernelOfGroup;
  std::vector<JitFunction> functions;
  std::vector<Operation *> faultOps;
  /// Tables of groups some of whose vertices run as one.
  llvm::DenseMap<const VertexGroup *, std::vector<int64_t>> joined;
};
} // namespace

LogicalResult JitEngine::fail(llvm::Error error) {
  return emitError(loc) << "cannot compile the program's codelets: "
                        << llvm::toString(std::move(error));
}

/// Calls `visit` for all groups, in program order.
static void forEachGroup(const ProgramSequence &sequence,
                         function_ref<void(const VertexGroup &)> visit) {
  for (const ProgramNode &node : sequence.nodes) {
    if (const auto *compute = std::get_if<ComputeNode>(&node)) {
      for (const VertexGroup &group : compute->groups)
        visit(group);
    } else if (const auto *repeat =
                   std::get_if<std::unique_ptr<RepeatNode>>(&node)) {
      forEachGroup((*repeat)->body, visit);
    } else if (const auto *branch =
                   std::get_if<std::unique_ptr<IfNode>>(&node)) {
      forEachGroup((*branch)->thenBody, visit);
      forEachGroup((*branch)->elseBody, visit);
    } else if (const auto *loop =
                   std::get_if<std::unique_ptr<WhileNode>>(&node)) {
      forEachGroup((*loop)->before, visit);
      forEachGroup((*loop)->body, visit);
    }
  }
}

LogicalResult JitEngine::compile(const Program &program) {
  std::vector<JitKernel> kernels;
  auto addKernel = [&](const VertexGroup &group) {
    auto [it, isNew] = kernelNumbers.try_emplace(getKey(group), kernels.size());
    kernelOfGroup[&group] = it->second;
    if (isNew)
      kernels.push_back({program.codelets[group.codelet], group.alias});
    if (auto table = joinRows(group, program.codelets[group.codelet], threads))
      joined[&group] = std::move(*table);
  };
  forEachGroup(program.body, addKernel);
  for (const ProgramFunction &function : program.functions)
    forEachGroup(function.body, addKernel);
  if (kernels.empty())
    return success();

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Expected<orc::JITTargetMachineBuilder> builder =
      orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return fail(builder.takeError());
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  // Only math.fma is fused.
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      builder->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());
  StringRef features = (*machine)->getTargetFeatureString();
  JitTarget target;
  target.hasF16C = features.contains("+f16c");
  target.vectorBytes = features.contains("+avx512vl") ? 64
                       : features.contains("+avx2")   ? 32
                                                      : 16;

  FailureOr<JitModule> lowered =
      lowerKernels(loc.getContext(), kernels, target);
  if (failed(lowered))
    return emitError(loc) << "cannot lower the program's codelets";
  faultOps = std::move(lowered->faultOps);

  // Nothing of this process is found but what is defined here.
  llvm::Expected<std::unique_ptr<orc::LLJIT>> created =
      orc::LLJITBuilder()
          .setJITTargetMachineBuilder(*builder)
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(orc::setUpInactivePlatform)
          .create();
  if (!created)
    return fail(created.takeError());
  jit = std::move(*created);
  return addModule(*lowered->module, kernels.size(), **machine);
}

LogicalResult JitEngine::addModule(ModuleOp module, unsigned numKernels,
                                   llvm::TargetMachine &machine) {
  orc::MangleAndInterner mangle(jit->getExecutionSession(),
                                jit->getDataLayout());
  orc::SymbolMap symbols;
  for (const JitSymbol &symbol : getJitSymbols())
    symbols[mangle(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                    llvm::JITSymbolFlags::Exported |
                                        llvm::JITSymbolFlags::Callable};
  if (llvm::Error error =
          jit->getMainJITDylib().define(orc::absoluteSymbols(symbols)))
    return fail(std::move(error));

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, *context, "codelets");
  if (!llvmModule)
    return emitError(loc) << "cannot translate the program's codelets";
  llvmModule->setDataLayout(jit->getDataLayout());
  llvmModule->setTargetTriple(machine.getTargetTriple());
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
    // Inlined, its arguments' being distinct would be less plain.
    if (function.hasLocalLinkage() || function.getName().starts_with("vertex"))
      function.addFnAttr(llvm::Attribute::NoInline);
  }
  if (llvm::Error error =
          makeOptimizingTransformer(3, 0, &machine)(llvmModule.get()))
    return fail(std::move(error));
  if (llvm::Error error = jit->addIRModule(
          orc::ThreadSafeModule(std::move(llvmModule), std::move(context))))
    return fail(std::move(error));
  for (unsigned kernel = 0; kernel < numKernels; ++kernel) {
    llvm::Expected<orc::ExecutorAddr> address =
        jit->lookup(getKernelName(kernel));
    if (!address)
      return fail(address.takeError());
    functions.push_back(address->toPtr<JitFunction>());
  }
  return success();
}

/// The thread's.
static char *getScratch() {
  static thread_local HostBytes scratch;
  if (scratch.isNull())
    scratch = HostBytes(kScratchBytes);
  return scratch.data();
}

int64_t JitEngine::getNumParts(const VertexGroup &group) const {
  auto it = joined.find(&group);
  return it == joined.end() ? group.getNumRows()
                            : it->second.size() / group.rowSize;
}

std::optional<CodeletFault> JitEngine::run(const VertexRange &range) {
  const VertexGroup &group = *range.group;
  if (!range.table.empty())
    return runRows(range, range.table);
  auto it = joined.find(&group);
  if (it == joined.end())
    return runRows(range, group.table);
  std::optional<CodeletFault> fault = runRows(range, it->second);
  if (!fault)
    return std::nullopt;
  // Sizes alone decide: one of the rows that were joined has it, too.
  VertexRange all = range;
  all.begin = 0;
  all.end = group.getNumRows();
  std::optional<CodeletFault> first = runRows(all, group.table);
  return first ? first : fault;
}

std::optional<CodeletFault> JitEngine::runRows(const VertexRange &range,
                                               ArrayRef<int64_t> table) {
  const VertexGroup &group = *range.group;
  SmallVector<char *> buffers;
  for (auto [operand, alias] : llvm::enumerate(group.alias))
    if (alias == operand)
      buffers.push_back(range.buffers[operand]);
  int64_t fault[2] = {0, 0};
  functions[kernelOfGroup.at(&group)](buffers.data(), table.data(), range.begin,
                                      range.end, fault, getScratch());
  if (fault[0] == 0)
    return std::nullopt;
  return CodeletFault{fault[1], faultOps[fault[0] - 1]};
}

FailureOr<std::unique_ptr<Engine>>
mlir::ipu::createJitEngine(const Program &program, unsigned threads) {
  auto engine =
      std::make_unique<JitEngine>(ModuleOp(program.module).getLoc(), threads);
  if (failed(engine->compile(program)))
    return failure();
  return std::unique_ptr<Engine>(std::move(engine));
}
