//===- Kernel.cpp - Functions compiled for this machine -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "Programs.h"
#include "ipu-mlir/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::ipu;
using benchmark::Kernel;

namespace {
/// Replaces math functions by polynomials instead of calls, so that loops can
/// be vectorised.
struct ApproximateMath
    : PassWrapper<ApproximateMath, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApproximateMath)
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    MathPolynomialApproximationOptions options;
    populateMathPolynomialApproximationPatterns(patterns, options);
    populateUpliftToFMAPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

/// Passes after which the buffers of arguments and results are arguments.
static constexpr const char *kBufferize =
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{hoist-static-allocs=true "
    "modify-public-functions=true}";

static constexpr const char *kToLLVM =
    "convert-bufferization-to-memref,"
    "func.func(convert-vector-to-scf,canonicalize,cse),"
    "lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "convert-arith-to-llvm,convert-index-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts,"
    "canonicalize,cse";

static void registerOnce() {
  static bool done = [] {
    mlir::registerAllPasses();
    ipu::registerAllPasses();
    ipu::registerAllPipelines();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)done;
}

static void add(PassManager &manager, StringRef passes) {
  if (!passes.empty() && failed(parsePassPipeline(passes, manager)))
    llvm::report_fatal_error("passes of a benchmark do not parse");
}

static void compile(ModuleOp module, const std::string &loops) {
  PassManager manager(module.getContext());
  size_t star = loops.find('*');
  add(manager, loops.substr(0, star));
  add(manager, kBufferize);
  if (star != std::string::npos)
    add(manager, loops.substr(star + 1));
  manager.addNestedPass<func::FuncOp>(std::make_unique<ApproximateMath>());
  add(manager, kToLLVM);
  if (failed(manager.run(module)))
    llvm::report_fatal_error("program of a benchmark cannot be lowered");
}

Kernel::Kernel(const std::string &text, const std::string &loops) {
  registerOnce();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  ipu::registerAllDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parse(*context, text);
  auto func = module->lookupSymbol<func::FuncOp>("main");
  func->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                UnitAttr::get(context.get()));
  for (TypeRange types :
       {TypeRange(func.getArgumentTypes()), TypeRange(func.getResultTypes())}) {
    for (Type type : types) {
      auto tensor = cast<RankedTensorType>(type);
      shapes.emplace_back(tensor.getShape());
      sizes.push_back(tensor.getNumElements());
    }
  }
  compile(*module, loops);

  llvm::Expected<llvm::orc::JITTargetMachineBuilder> host =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    llvm::report_fatal_error(host.takeError());
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      host->createTargetMachine();
  if (!machine)
    llvm::report_fatal_error(machine.takeError());
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(3, 0, machine->get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  auto made = ExecutionEngine::create(*module, options, std::move(*machine));
  if (!made)
    llvm::report_fatal_error(made.takeError());
  engine = std::move(*made);
  auto found = engine->lookupPacked("_mlir_ciface_main");
  if (!found)
    llvm::report_fatal_error(found.takeError());
  function = *found;
}

Kernel::~Kernel() = default;

void Kernel::run(ArrayRef<float *> buffers) const {
  // A descriptor contains the allocated pointer, the aligned pointer, the
  // offset, the sizes and the strides.
  SmallVector<SmallVector<int64_t, 8>> descriptors(buffers.size());
  SmallVector<void *> pointers(buffers.size()), arguments(buffers.size());
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    auto address = reinterpret_cast<int64_t>(buffer);
    descriptors[i].assign({address, address, 0});
    ArrayRef<int64_t> shape = shapes[i];
    descriptors[i].append(shape.begin(), shape.end());
    int64_t stride = sizes[i];
    for (int64_t size : shape)
      descriptors[i].push_back(stride /= size);
    pointers[i] = descriptors[i].data();
    arguments[i] = &pointers[i];
  }
  function(arguments.data());
}
