//===- TestSteps.cpp - A step of another dialect --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::ipu;

namespace mlir::ipu::test {

/// `ipu_test.step`: a step without models of what is above the ipu dialect.
class StepOp : public Op<StepOp, OpTrait::ZeroRegions, OpTrait::ZeroResults,
                         OpTrait::ZeroSuccessors, OpTrait::ZeroOperands,
                         InProgram, StepOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepOp)

  using Op::Op;

  static StringRef getOperationName() { return "ipu_test.step"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  StepCostAttr getCostAttr() {
    return (*this)->getAttrOfType<StepCostAttr>("cost");
  }
  void setCostAttr(StepCostAttr cost) { (*this)->setAttr("cost", cost); }
  StepKind getStepKind() { return StepKind::Compute; }
  std::string getStepName() { return "step"; }
  std::string getSourceOp() { return "step"; }
};

class TestDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDialect)

  static StringRef getDialectNamespace() { return "ipu_test"; }

  explicit TestDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<TestDialect>()) {
    context->loadDialect<IPUDialect>();
    addOperations<StepOp>();
  }
};

void registerTestSteps(DialectRegistry &registry) {
  registry.insert<TestDialect>();
}

} // namespace mlir::ipu::test
