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

#include "InsertedCopies.h"
#include "VgraphInference.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

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

void CopyInserter::insert() {
  InsertedCopies copies;
  for (const Crossing &crossing : crossings) {
    Value value = crossing.operand->get();
    auto create = [&](OpBuilder &b, Location loc) {
      auto op = IpuCopyOp::create(b, loc, value, crossing.from, crossing.to);
      if (getTileSet(value) == TileSet::IO)
        op->setAttr(PopDialect::kTileSetAttrName,
                    TileSetAttr::get(b.getContext(), TileSet::IO));
      return op.getResult(0);
    };
    copies.redirect(*crossing.operand, crossing.to, "IPU " + Twine(crossing.to),
                    create);
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
