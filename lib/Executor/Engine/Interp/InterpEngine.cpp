//===- InterpEngine.cpp - Interpreting engine -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpFrame.h"

#include "ipu-mlir/Executor/Engine/Engine.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::ipu;

Engine::~Engine() = default;

std::string mlir::ipu::getFaultMessage(Operation *op) {
  return ("'" + op->getName().getStringRef() + "' " +
          (isa<scf::ForOp>(op) ? "has a step that is not positive"
                               : "accesses elements outside of its buffer"))
      .str();
}

//===----------------------------------------------------------------------===//
// InterpEngine
//===----------------------------------------------------------------------===//

namespace {
class InterpEngine : public Engine {
public:
  explicit InterpEngine(const Program &program) {
    for (CodeletOp codelet : program.codelets)
      codes.push_back(decodeCodelet(codelet));
  }

  std::optional<CodeletFault> run(const VertexRange &range) override {
    Frame<NoChecks> frame(codes[range.group->codelet]);
    for (int64_t row = range.begin; row < range.end; ++row)
      if (Operation *op = frame.run(range.group->getRow(row), range.buffers))
        return CodeletFault{row, op};
    return std::nullopt;
  }

private:
  std::vector<InterpCode> codes;
};
} // namespace

std::unique_ptr<Engine> mlir::ipu::createInterpEngine(const Program &program) {
  return std::make_unique<InterpEngine>(program);
}
