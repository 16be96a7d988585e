//===- ipu-opt.cpp - Run passes on IR ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef IPU_BUILD_TESTS
namespace mlir::ipu::test {
void registerTestReplicaEqualFaults();
void registerTestReplicaEqualRuns();
void registerTestShuffleMaps();
void registerTestSteps(DialectRegistry &registry);
void registerTestTileSplits();
} // namespace mlir::ipu::test
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::ipu::registerAllDialects(registry);
  mlir::ipu::registerAllPasses();
  mlir::ipu::registerAllPipelines();
#ifdef IPU_BUILD_TESTS
  mlir::ipu::test::registerTestReplicaEqualFaults();
  mlir::ipu::test::registerTestReplicaEqualRuns();
  mlir::ipu::test::registerTestShuffleMaps();
  mlir::ipu::test::registerTestSteps(registry);
  mlir::ipu::test::registerTestTileSplits();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "ipu-mlir optimizer driver\n", registry));
}
