//===- Executor.cpp - Runs of ipu programs --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Run/Executor.h"

#include "Device.h"
#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "ipu-mlir/Executor/Program/ExecutableInterface.h"
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
  registerStepCostModels(registry);
  registerStepMemoryModels(registry);
  registerExecutableModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// Whether the ops of programs have all that execute() asks them.
static bool hasModels(MLIRContext *context) {
  auto name =
      RegisteredOperationName::lookup(SyncOp::getOperationName(), context);
  return name && name->hasInterface<StepCostOpInterface>() &&
         name->hasInterface<StepMemoryOpInterface>() &&
         name->hasInterface<ExecutableOpInterface>();
}

void mlir::ipu::loadExecutorDialects(MLIRContext *context) {
  auto *llvm = context->getLoadedDialect<LLVM::LLVMDialect>();
  if (llvm && llvm->getRegisteredInterface<LLVMTranslationDialectInterface>() &&
      context->getLoadedDialect<vector::VectorDialect>() &&
      context->getLoadedDialect<affine::AffineDialect>() &&
      context->getLoadedDialect<cf::ControlFlowDialect>() && hasModels(context))
    return;
  DialectRegistry registry;
  registerExecutorDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

FailureOr<ExecuteResult> mlir::ipu::execute(ModuleOp module,
                                            const ExecuteOptions &options) {
  FailureOr<std::unique_ptr<Device>> device = Device::load(module, options);
  if (failed(device))
    return failure();
  return (*device)->run(options);
}
