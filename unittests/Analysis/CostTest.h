//===- CostTest.h - Fixture for tests of the device model -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_ANALYSIS_COSTTEST_H
#define IPU_MLIR_UNITTESTS_ANALYSIS_COSTTEST_H

#include "ipu-mlir/Analysis/Cost/CostModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"

namespace mlir::ipu {

class CostTest : public ::testing::Test {
protected:
  CostTest() {
    context.loadDialect<IPUDialect, func::FuncDialect>();
    target = *TargetModel::getPreset("gc200");
    f32 = Float32Type::get(&context);
    f16 = Float16Type::get(&context);
    i32 = IntegerType::get(&context, 32);
  }

  CodeletCostAttr getCost(StringRef name, Type type,
                          CodeletCostKind kind = CodeletCostKind::Vector,
                          int64_t combined = 0, int64_t stride = 1) {
    return getCodeletCost({kind, name, combined, stride}, type, false);
  }

  MLIRContext context;
  TargetModel target;
  Type f32, f16, i32;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_UNITTESTS_ANALYSIS_COSTTEST_H
