//===- ipu-test-opt.cpp - Driver of passes for tests ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ipu-opt with passes and ops that only tests use.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/OptDriver.h"

using namespace mlir;

namespace mlir::ipu::test {
void registerTestContracts();
void registerTestPlanModel();
void registerTestReplicaEqualFaults();
void registerTestReplicaEqualRuns();
void registerTestShuffleClone();
void registerTestShuffleMaps();
void registerTestSteps(DialectRegistry &registry);
void registerTestTileSplits();
} // namespace mlir::ipu::test

int main(int argc, char **argv) {
  return ipu::tools::runOptDriver(argc, argv, [](DialectRegistry &registry) {
    ipu::test::registerTestContracts();
    ipu::test::registerTestPlanModel();
    ipu::test::registerTestReplicaEqualFaults();
    ipu::test::registerTestReplicaEqualRuns();
    ipu::test::registerTestShuffleClone();
    ipu::test::registerTestShuffleMaps();
    ipu::test::registerTestSteps(registry);
    ipu::test::registerTestTileSplits();
  });
}
