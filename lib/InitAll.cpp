//===- InitAll.cpp - Register everything ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/InitAll.h"

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

void mlir::ipu::registerAllDialects(DialectRegistry &registry) {
  registry.insert<pop::PopDialect, IPUDialect>();
}

void mlir::ipu::registerAllPasses() {
  pop::registerPopTransformsPasses();
  registerIPUTransformsPasses();
  registerPopToIPUPasses();
  registerPopToIPUPipelines();
}
