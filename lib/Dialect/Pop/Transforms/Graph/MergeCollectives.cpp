//===- MergeCollectives.cpp - Merging of collectives ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function. Out: the same function, where adjacent collectives that
// differ only in their tensors are one collective of the concatenated tensors.
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"
#include "CollectiveForm.h"
#include "GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MERGECOLLECTIVESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Adjacent collectives that can be merged.
class CollectiveRun {
public:
  explicit CollectiveRun(int64_t maxBytes) : maxBytes(maxBytes) {}

  /// Adds `op`, which has the form `form`, or returns the reason why it cannot
  /// be merged with the collectives of the run.
  std::optional<std::string> add(Operation *op, const CollectiveForm &form);
  bool isEmpty() const { return ops.empty(); }
  /// Merges the collectives, if there are several.
  void merge() const;

private:
  SmallVector<Value> createColumns(PopBuilder &b) const;
  Operation *createMerged(PopBuilder &b, Value operand) const;
  void replace(PopBuilder &b, Value merged) const;

  int64_t maxBytes;
  llvm::SetVector<Operation *> ops;
  SmallVector<CollectiveForm> forms;
  Attribute key;
  int64_t bytes = 0;
};
} // namespace

std::optional<std::string> CollectiveRun::add(Operation *op,
                                              const CollectiveForm &form) {
  Attribute keyOfOp = getCollectiveKey(op, form);
  int64_t bytesOfOp = getTensorBytes(op->getOperand(0).getType());
  if (!isEmpty()) {
    if (ops.contains(op->getOperand(0).getDefiningOp()))
      return "it uses the result of one of them";
    if (keyOfOp != key)
      return "its attributes, element type or number of parts differ";
    if (bytes > maxBytes - bytesOfOp)
      return "their operands would have more than " + std::to_string(maxBytes) +
             " bytes";
  }
  key = keyOfOp;
  bytes += bytesOfOp;
  ops.insert(op);
  forms.push_back(form);
  return std::nullopt;
}

/// Creates the operands as columns of a matrix.
SmallVector<Value> CollectiveRun::createColumns(PopBuilder &b) const {
  SmallVector<Value> columns;
  for (auto [op, form] : llvm::zip_equal(ops, forms)) {
    b.setLoc(op->getLoc());
    columns.push_back(
        b.reshape(op->getOperand(0), {form.operandRows, form.columns}));
  }
  return columns;
}

Operation *CollectiveRun::createMerged(PopBuilder &b, Value operand) const {
  auto type = cast<RankedTensorType>(operand.getType());
  OperationState state(b.getLoc(), ops.front()->getName());
  state.addOperands(operand);
  state.addTypes(
      type.clone({forms.front().resultRows, type.getDimSize(/*axis=*/1)}));
  NamedAttrList attributes(ops.front()->getAttrDictionary());
  if (forms.front().axis)
    attributes.set(kAxisAttrName, b.getI64IntegerAttr(0));
  state.addAttributes(attributes);
  return b.OpBuilder::create(state);
}

/// Replaces the results by columns of `merged`.
void CollectiveRun::replace(PopBuilder &b, Value merged) const {
  int64_t start = 0;
  for (auto [op, form] : llvm::zip_equal(ops, forms)) {
    b.setLoc(op->getLoc());
    Value column = b.slice(merged, /*axis=*/1, start, form.columns);
    start += form.columns;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> shape(type.getShape());
    // The last of the gathered parts may be truncated.
    if (form.resultRows > 1)
      shape[*form.axis] = cast<RankedTensorType>(op->getOperand(0).getType())
                              .getDimSize(*form.axis) *
                          form.resultRows;
    Value result = b.reshape(column, shape);
    if (form.axis)
      result =
          b.slice(result, *form.axis, /*start=*/0, type.getDimSize(*form.axis));
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}

void CollectiveRun::merge() const {
  if (ops.size() < 2)
    return;
  Operation *last = ops.back();
  SmallVector<std::pair<Location, int64_t>> shares;
  for (auto [op, form] : llvm::zip_equal(ops, forms))
    shares.emplace_back(op->getLoc(), form.columns);
  Location loc = getSharedLoc(last->getContext(), shares);
  PopBuilder b(last);
  SmallVector<Value> columns = createColumns(b);
  b.setLoc(loc);
  Value operand = b.concat(columns, /*axis=*/1);
  Operation *merged = createMerged(b, operand);
  remark::passed(last->getLoc(), getGraphRemark("MergeCollectives"))
      << remark::metric("collectives", int64_t(ops.size()))
      << remark::metric("bytes", bytes);
  replace(b, merged->getResult(0));
}

static void mergeIn(Block &block, int64_t maxBytes) {
  CollectiveRun run(maxBytes);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<CollectiveForm> form = getCollectiveForm(&op);
    if (form) {
      std::optional<std::string> reason = run.add(&op, *form);
      if (!reason)
        continue;
      remark::missed(op.getLoc(), getGraphRemark("MergeCollectives"))
          << "the collective is not merged with the collectives before it: " +
                 *reason;
    }
    run.merge();
    run = CollectiveRun(maxBytes);
    if (form)
      run.add(&op, *form);
  }
  run.merge();
}

namespace {
struct MergeCollectivesPass
    : pop::impl::MergeCollectivesPassBase<MergeCollectivesPass> {
  using MergeCollectivesPassBase::MergeCollectivesPassBase;

  void runOnOperation() override {
    if (failed(verifyMaxBytes(getOperation(), getArgument(), maxBytes)))
      return signalPassFailure();
    getOperation()->walk([&](Block *block) {
      if (!keepsOrder(*block))
        mergeIn(*block, maxBytes);
    });
  }
};
} // namespace
