//===- TestContracts.cpp - Passes that keep or violate contracts ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that set or drop virtual graphs, with or without declaring this.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// On the module, or on each function of it.
template <typename OpT>
class TestVgraphs : public PassWrapper<TestVgraphs<OpT>, OperationPass<OpT>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestVgraphs)
  /// Without a virtual graph, drops those that there are.
  TestVgraphs(StringRef argument, std::optional<int64_t> vgraph)
      : argument(argument), vgraph(vgraph) {}

  StringRef getArgument() const final { return argument; }
  StringRef getDescription() const final {
    return "Set or drop virtual graphs of all ops";
  }

  void runOnOperation() override {
    Builder builder(&this->getContext());
    this->getOperation()->walk([&](Operation *op) {
      if (!isPlaceable(op))
        return;
      if (vgraph)
        op->setAttr(PopDialect::kVgraphAttrName,
                    builder.getI64IntegerAttr(*vgraph));
      else
        op->removeAttr(PopDialect::kVgraphAttrName);
    });
  }

private:
  StringRef argument;
  std::optional<int64_t> vgraph;
};

} // namespace

template <typename OpT>
static void registerVgraphs(StringRef argument, std::optional<int64_t> vgraph) {
  registerPass([=]() -> std::unique_ptr<Pass> {
    return std::make_unique<TestVgraphs<OpT>>(argument, vgraph);
  });
}

namespace mlir::ipu::test {
void registerTestContracts() {
  ConditionSet placed = {Condition::Vgraph};
  static const PassContract contracts[] = {
      {"test-set-vgraphs", {}, placed, placed, "", "", ""},
      {"test-need-vgraphs", placed, {}, placed, "", "", ""},
      {"test-drop-vgraphs", {}, {}, {}, "", "", ""},
      // Those that do something else than they declare.
      {"test-drop-vgraphs-silently", {}, {}, placed, "", "", ""},
      {"test-drop-function-vgraphs-silently", {}, {}, placed, "", "", ""},
      {"test-set-no-vgraphs", {}, placed, placed, "", "", ""},
  };
  registerPassContracts(contracts);
  registerVgraphs<ModuleOp>("test-set-vgraphs", 0);
  registerVgraphs<ModuleOp>("test-need-vgraphs", 1);
  registerVgraphs<ModuleOp>("test-drop-vgraphs", std::nullopt);
  registerVgraphs<ModuleOp>("test-drop-vgraphs-silently", std::nullopt);
  registerVgraphs<func::FuncOp>("test-drop-function-vgraphs-silently",
                                std::nullopt);
  registerVgraphs<ModuleOp>("test-set-no-vgraphs", std::nullopt);
}
} // namespace mlir::ipu::test
