//===- GraphTest.h - Modules of graphs for tests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_ANALYSIS_GRAPHTEST_H
#define IPU_MLIR_UNITTESTS_ANALYSIS_GRAPHTEST_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace mlir::ipu {

class GraphTest : public ::testing::Test {
protected:
  GraphTest() {
    context.loadDialect<pop::PopDialect, arith::ArithDialect, func::FuncDialect,
                        scf::SCFDialect>();
  }

  ModuleOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module;
  }
  func::FuncOp getFunction(StringRef name) {
    return module->lookupSymbol<func::FuncOp>(name);
  }
  /// Returns the op of type OpTy with number `index` in a function, in program
  /// order.
  template <typename OpTy>
  OpTy getOp(StringRef function, unsigned index = 0) {
    OpTy found;
    getFunction(function).walk<WalkOrder::PreOrder>([&](OpTy op) {
      if (index-- == 0)
        found = op;
    });
    EXPECT_TRUE(found);
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_UNITTESTS_ANALYSIS_GRAPHTEST_H
