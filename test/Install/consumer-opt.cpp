//===- consumer-opt.cpp - A tool of another project -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An optimizer driver with the installed dialects and passes, and with its own
// pass that counts pop ops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include <map>

using namespace mlir;

namespace {
struct CountPopOps : PassWrapper<CountPopOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountPopOps)

  StringRef getArgument() const override { return "consumer-count-pop-ops"; }
  StringRef getDescription() const override {
    return "Print how many pop ops there are of each name";
  }

  void runOnOperation() override {
    std::map<StringRef, unsigned> counts;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<pop::PopDialect>(op->getDialect()))
        ++counts[op->getName().getStringRef()];
    });
    for (const auto &[name, count] : counts)
      llvm::outs() << name << ": " << count << "\n";
    unsigned adds = 0;
    getOperation()->walk([&](pop::AddOp) { ++adds; });
    if (adds != counts["pop.add"]) {
      getOperation().emitError("expects as many pop::AddOp as pop.add");
      signalPassFailure();
    }
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  ipu::registerAllDialects(registry);
  ipu::registerAllPasses();
  ipu::registerAllPipelines();
  PassRegistration<CountPopOps>();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "ipu-mlir consumer\n", registry));
}
