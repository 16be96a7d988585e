//===- Decompose.cpp - Decomposition of ops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumberedOp.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"

namespace mlir::pop {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::DecomposableOpInterface;

namespace {
class Decomposer : OpBuilder::Listener {
public:
  explicit Decomposer(MLIRContext *context) : builder(context, this) {}

  LogicalResult run(Operation *root);

private:
  /// The attribute of a numbered op and of its parts: the index of the
  /// NumberedOp. A decomposition may erase ops that it creates, so that no list
  /// of parts would stay valid.
  static constexpr StringLiteral kIndexAttrName = "pop.numbered_op";

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override;
  void add(DecomposableOpInterface op);
  void decompose(DecomposableOpInterface op);
  void number(Operation *op);

  OpBuilder builder;
  SmallVector<Operation *> worklist;
  /// What is being decomposed.
  Operation *source = nullptr;
  std::vector<NumberedOp> numberedOps;
};
} // namespace

void Decomposer::notifyOperationInserted(Operation *op,
                                         OpBuilder::InsertPoint) {
  inheritPlacement(source, op);
  if (isa<DecomposableOpInterface>(op))
    worklist.push_back(op);
  if (Attribute index = source->getAttr(kIndexAttrName))
    op->setAttr(kIndexAttrName, index);
}

void Decomposer::add(DecomposableOpInterface op) {
  worklist.push_back(op);
  std::optional<NumberedOp> numbered = NumberedOp::get(op);
  if (!numbered)
    return;
  op->setAttr(kIndexAttrName, builder.getIndexAttr(numberedOps.size()));
  numberedOps.push_back(*numbered);
}

void Decomposer::decompose(DecomposableOpInterface op) {
  builder.setInsertionPoint(op);
  source = op;
  FailureOr<SmallVector<Value>> replacement = op.decompose(builder);
  if (failed(replacement))
    return;
  op->replaceAllUsesWith(*replacement);
  op->erase();
}

/// Gives a part that may round the number of the whole. An op that could not be
/// decomposed keeps its draw.
void Decomposer::number(Operation *op) {
  auto index = dyn_cast_or_null<IntegerAttr>(op->removeAttr(kIndexAttrName));
  if (index)
    numberedOps[index.getInt()].addPart(op);
}

LogicalResult Decomposer::run(Operation *root) {
  root->walk([&](DecomposableOpInterface op) { add(op); });
  while (!worklist.empty())
    decompose(cast<DecomposableOpInterface>(worklist.pop_back_val()));
  if (numberedOps.empty())
    return success();
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { number(op); });
  for (const NumberedOp &numbered : numberedOps)
    if (failed(numbered.verifyNumParts()))
      return failure();
  return success();
}

namespace {
struct DecomposePass : pop::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    if (failed(Decomposer(&getContext()).run(getOperation())))
      signalPassFailure();
  }
};
} // namespace
