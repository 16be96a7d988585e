//===- Decompose.cpp - Decomposition of ops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::DecomposableOpInterface;

static DrawAttr getDraw(Operation *op) {
  return op->getAttrOfType<DrawAttr>(PopDialect::kDrawAttrName);
}

namespace {
/// An op whose draw was numbered before it was decomposed, and what it has
/// become, in order.
struct NumberedOp {
  Location loc;
  OperationName name;
  DrawAttr draw;
  llvm::SetVector<Operation *> parts;
};

class Decomposer : OpBuilder::Listener {
public:
  explicit Decomposer(MLIRContext *context) : builder(context, this) {}

  LogicalResult run(Operation *root);

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override;
  void add(DecomposableOpInterface op);
  void decompose(DecomposableOpInterface op);
  LogicalResult number(const NumberedOp &numbered);

  OpBuilder builder;
  SmallVector<Operation *> worklist;
  /// What is being decomposed.
  Operation *source = nullptr;
  std::vector<NumberedOp> numberedOps;
  /// Which of these an op is a part of.
  llvm::DenseMap<Operation *, size_t> partOf;
};
} // namespace

void Decomposer::notifyOperationInserted(Operation *op,
                                         OpBuilder::InsertPoint) {
  inheritPlacement(source, op);
  if (isa<DecomposableOpInterface>(op))
    worklist.push_back(op);
  auto it = partOf.find(source);
  if (it == partOf.end())
    return;
  size_t numbered = it->second;
  partOf[op] = numbered;
  numberedOps[numbered].parts.insert(op);
}

void Decomposer::add(DecomposableOpInterface op) {
  worklist.push_back(op);
  DrawAttr draw = getDraw(op);
  if (!draw)
    return;
  partOf[op] = numberedOps.size();
  numberedOps.push_back({op->getLoc(), op->getName(), draw, {}});
}

void Decomposer::decompose(DecomposableOpInterface op) {
  builder.setInsertionPoint(op);
  source = op;
  FailureOr<SmallVector<Value>> replacement = op.decompose(builder);
  if (failed(replacement))
    return;
  op->replaceAllUsesWith(*replacement);
  if (auto it = partOf.find(op); it != partOf.end()) {
    numberedOps[it->second].parts.remove(op);
    partOf.erase(it);
  }
  op->erase();
}

/// Gives the parts that may round the number of the whole.
LogicalResult Decomposer::number(const NumberedOp &numbered) {
  SmallVector<Operation *> rounding =
      llvm::filter_to_vector(numbered.parts, ipu::mayRoundStochastically);
  int64_t part = numbered.draw.getPart();
  if (part + static_cast<int64_t>(rounding.size()) > DrawAttr::kMaxParts)
    return emitError(numbered.loc)
           << "'" << numbered.name << "' op is decomposed into "
           << rounding.size() << " ops that may round, but " << numbered.draw
           << " allows at most " << DrawAttr::kMaxParts - part;
  for (Operation *op : rounding)
    op->setAttr(PopDialect::kDrawAttrName,
                DrawAttr::get(op->getContext(), numbered.draw.getNumber(),
                              part++, numbered.draw.getOffset()));
  return success();
}

LogicalResult Decomposer::run(Operation *root) {
  root->walk([&](DecomposableOpInterface op) { add(op); });
  while (!worklist.empty())
    decompose(cast<DecomposableOpInterface>(worklist.pop_back_val()));
  for (const NumberedOp &numbered : numberedOps)
    if (failed(number(numbered)))
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
