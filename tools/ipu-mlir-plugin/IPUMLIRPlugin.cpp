//===- IPUMLIRPlugin.cpp - Plugin for mlir-opt ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin that adds all dialects, passes and pipelines to any tool that links
// the shared library MLIR. The options --load-dialect-plugin and
// --load-pass-plugin load it.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr char name[] = "ipu-mlir";

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, name, IPUMLIR_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::ipu::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, name, IPUMLIR_VERSION, [] {
            mlir::ipu::registerAllPasses();
            mlir::ipu::registerAllPipelines();
          }};
}
