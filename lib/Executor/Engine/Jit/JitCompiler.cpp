//===- JitCompiler.cpp - Compilation of kernels to object code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitCompiler.h"

#include "BuildIdentity.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::ipu;
namespace orc = llvm::orc;

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

llvm::Expected<KernelCompiler> KernelCompiler::create() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Expected<orc::JITTargetMachineBuilder> builder =
      orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // More takes a quarter more time and makes no kernel faster.
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  // What LLJIT links.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  // Only math.fma is fused.
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return KernelCompiler(std::move(*builder));
}

KernelCompiler::KernelCompiler(orc::JITTargetMachineBuilder host)
    : builder(std::move(host)) {
  const std::vector<std::string> &features =
      builder.getFeatures().getFeatures();
  auto has = [&](StringRef feature) {
    return llvm::is_contained(features, feature);
  };
  target.hasF16C = has("+f16c");
  target.vectorBytes = has("+avx512vl") ? 64 : has("+avx2") ? 32 : 16;
  target.caches = HostCaches::get();
  std::string build = getBuildIdentity();
  if (!build.empty())
    platform = llvm::join_items('\n', build, builder.getTargetTriple().str(),
                                builder.getCPU(), llvm::join(features, ","),
                                std::to_string(target.caches.firstBytes),
                                std::to_string(target.caches.secondBytes));
}

std::string KernelCompiler::getKey(const KernelSource &kernel) const {
  if (platform.empty())
    return "";
  llvm::BLAKE3 hash;
  auto add = [&](StringRef text) {
    // No two lists of texts are one.
    hash.update(std::to_string(text.size()) + ":");
    hash.update(text);
  };
  add(platform);
  add(kernel.codelet);
  for (unsigned alias : kernel.alias)
    add(std::to_string(alias));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

std::unique_ptr<MLIRContext> KernelCompiler::createContext() {
  DialectRegistry registry;
  registry
      .insert<IPUDialect, affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Attributes of any dialect may be in the text.
  context->allowUnregisteredDialects();
  context->loadAllAvailableDialects();
  return context;
}

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Gives all functions the attributes of the host.
static void addAttributes(llvm::Module &module,
                          const llvm::TargetMachine &machine) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
    // Inlined, its arguments' being distinct would be less plain.
    if (function.hasLocalLinkage() ||
        function.getName().ends_with(kKernelBodySuffix))
      function.addFnAttr(llvm::Attribute::NoInline);
  }
}

/// Loops that are worth vectors are found; what has vectors already has them
/// where they are worth it. More (-O2; -O3 and vectors of straight code) takes
/// longer and makes no kernel faster.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = true;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(module, modules);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
KernelCompiler::compile(const KernelSource &kernel, StringRef symbol,
                        MLIRContext &context) const {
  std::string problems;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    problems += ": " + diagnostic.str();
  });
  Block block;
  if (failed(parseSourceString(kernel.codelet, &block,
                               ParserConfig(&context,
                                            /*verifyAfterParse=*/false))))
    return makeError("cannot read a codelet" + problems);
  FailureOr<OwningOpRef<ModuleOp>> lowered = lowerKernel(
      {cast<CodeletOp>(block.front()), kernel.alias}, symbol, target);
  if (failed(lowered))
    return makeError("cannot lower a codelet" + problems);

  orc::JITTargetMachineBuilder machineBuilder = builder;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      machineBuilder.createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(**lowered, llvmContext, "codelets");
  if (!module)
    return makeError("cannot translate a codelet" + problems);
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());
  addAttributes(*module, **machine);
  optimize(*module, **machine);
  return orc::SimpleCompiler(**machine)(*module);
}
