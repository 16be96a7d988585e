//===- InterIpuCopy.cpp - Copies of values to other IPUs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program in which ops have virtual graphs. Out: the same program, in
// which all ops have one except those of functions that are on the IPUs of
// their calls, and in which only copies between IPUs read tensors of other
// IPUs.
//
//===----------------------------------------------------------------------===//

#include "VgraphInference.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/LocationName.h"

namespace mlir::pop {
#define GEN_PASS_DEF_INTERIPUCOPYPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
class CopyInserter {
public:
  /// Records that `operand` has to be copied, or reports that it cannot be.
  LogicalResult add(OpOperand &operand, int64_t reader, VgraphUse value);
  void insert();

private:
  struct Crossing {
    OpOperand *operand;
    int64_t from, to;
  };
  /// The crossings in the order of the program.
  SmallVector<Crossing> crossings;
};
} // namespace

LogicalResult CopyInserter::add(OpOperand &operand, int64_t reader,
                                VgraphUse value) {
  Operation *op = operand.getOwner();
  bool isRef = isa<RefType>(operand.get().getType());
  if (!isRef && !isa<IpuCopyOp>(op)) {
    crossings.push_back({&operand, value.vgraph, reader});
    return success();
  }
  InFlightDiagnostic error = op->emitOpError()
                             << "reads operand #" << operand.getOperandNumber()
                             << " on virtual graph " << reader
                             << ", but the operand is on virtual graph "
                             << value.vgraph;
  if (isRef)
    error << "; a ref cannot be copied: read or update it on virtual graph "
          << value.vgraph << ", from where tensors are copied";
  else
    error << "; copy it from there";
  error.attachNote(value.loc) << "the operand is placed here";
  return error;
}

/// Copies each value once to each IPU, before the first op that reads it there.
/// If this op is in a loop or branch, the copy is before the loop or branch. If
/// it is in another block of the function, the copy is after the value.
void CopyInserter::insert() {
  llvm::DenseMap<std::pair<Value, int64_t>, Value> copies;
  for (auto [operand, from, to] : crossings) {
    Value value = operand->get();
    Value &copy = copies[{value, to}];
    if (!copy) {
      Operation *user =
          value.getParentBlock()->findAncestorOpInBlock(*operand->getOwner());
      OpBuilder b(operand->getOwner());
      if (user)
        b.setInsertionPoint(user);
      else
        b.setInsertionPointAfterValue(value);
      StringAttr name = ipu::getLocationName(value.getLoc());
      Location loc = name
                         ? ipu::getNamedLoc(
                               (name.getValue() + " on IPU " + Twine(to)).str(),
                               value.getLoc())
                         : value.getLoc();
      auto op = IpuCopyOp::create(b, loc, value, from, to);
      if (getTileSet(value) == TileSet::IO)
        op->setAttr(PopDialect::kTileSetAttrName,
                    TileSetAttr::get(b.getContext(), TileSet::IO));
      copy = op.getResult(0);
    }
    operand->set(copy);
  }
}

LogicalResult mlir::pop::insertIpuCopies(ModuleOp module) {
  VgraphInference inference(module);
  inference.keepUnplacedGraphs();
  CopyInserter copies;
  if (failed(inference.run(
          [&](OpOperand &operand, int64_t reader, VgraphUse value) {
            return copies.add(operand, reader, value);
          })))
    return failure();
  if (inference.isPlaced()) {
    inference.setVgraphs();
    copies.insert();
  }
  return success();
}

namespace {
struct InterIpuCopyPass : pop::impl::InterIpuCopyPassBase<InterIpuCopyPass> {
  void runOnOperation() override {
    if (failed(insertIpuCopies(getOperation())))
      signalPassFailure();
  }
};
} // namespace
