//===- PopPlacementOps.cpp - Copies between IPUs and tile sets --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Parses a source for each operand, or one of all.
static ParseResult
parseSources(OpAsmParser &parser,
             ArrayRef<OpAsmParser::UnresolvedOperand> operands,
             DenseI64ArrayAttr &sources) {
  SmallVector<int64_t> values;
  auto parseSource = [&] { return parser.parseInteger(values.emplace_back()); };
  if (succeeded(parser.parseOptionalLSquare())) {
    if (parser.parseCommaSeparatedList(parseSource) || parser.parseRSquare())
      return failure();
  } else {
    if (parseSource())
      return failure();
    values.assign(operands.size(), int64_t(values.front()));
  }
  sources = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printSources(OpAsmPrinter &printer, Operation *,
                         OperandRange operands, DenseI64ArrayAttr sources) {
  if (sources.size() == static_cast<int64_t>(operands.size()) &&
      !sources.empty() && llvm::all_equal(sources.asArrayRef())) {
    printer << sources[0];
    return;
  }
  printer << "[";
  llvm::interleaveComma(sources.asArrayRef(), printer);
  printer << "]";
}

/// Parses types that operands and results have both.
static ParseResult parseSameTypes(OpAsmParser &parser,
                                  SmallVectorImpl<Type> &operands,
                                  SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.append(operands.begin(), operands.end());
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *,
                           TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

#include "ipu-mlir/Dialect/Pop/IR/PopPlacementInterface.cpp.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopPlacementOps.cpp.inc"

void PopDialect::registerPlacementOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopPlacementOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// IpuCopyOp
//===----------------------------------------------------------------------===//

LogicalResult IpuCopyOp::verify() {
  ArrayRef<int64_t> sources = getSources();
  int64_t destination = getDestination();
  // c1
  if (getInputs().empty())
    return emitOpError() << "expects at least one operand";
  if (sources.size() != getInputs().size())
    return emitOpError() << "expects `sources` to have as many values as "
                            "there are operands ("
                         << getInputs().size() << ") but got "
                         << sources.size();
  // c2
  if (destination < 0)
    return emitOpError() << "expects `destination` not to be negative but got "
                         << destination;
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (source < 0)
      return emitOpError() << "expects the source of operand " << i
                           << " not to be negative but got " << source;
    // c3
    if (source == destination)
      return emitOpError() << "expects the source of operand " << i
                           << " to differ from the destination but got "
                           << source << " for both";
  }
  // c4
  if (getResults().size() != getInputs().size())
    return emitOpError() << "expects as many results as operands ("
                         << getInputs().size() << ") but got "
                         << getResults().size();
  for (auto [i, input, result] : llvm::enumerate(getInputs(), getResults()))
    if (input.getType() != result.getType())
      return emitOpError() << "expects result " << i << " of type "
                           << input.getType() << " but got "
                           << result.getType();
  return success();
}

FailureOr<SmallVector<Value>> IpuCopyOp::decompose(OpBuilder &b) {
  if (getInputs().size() == 1)
    return failure();
  SmallVector<Value> copies;
  for (auto [input, source] : llvm::zip_equal(getInputs(), getSources()))
    copies.push_back(
        IpuCopyOp::create(b, getLoc(), input, source, getDestination())
            .getResult(0));
  return copies;
}

SmallVector<ipu::TileMove> IpuCopyOp::getTileMoves() {
  int64_t rank = cast<RankedTensorType>(getResult(0).getType()).getRank();
  return {{0, SmallVector<int64_t>(rank, 0)}};
}

TypedAttr IpuCopyOp::getTileFill() { return {}; }

std::optional<int64_t> IpuCopyOp::getVgraphOfOperand(OpOperand &operand) {
  return getSources()[operand.getOperandNumber()];
}

std::optional<int64_t> IpuCopyOp::getVgraphOfResult(OpResult) {
  return getDestination();
}

//===----------------------------------------------------------------------===//
// IoTileCopyOp
//===----------------------------------------------------------------------===//

SmallVector<ipu::TileMove> IoTileCopyOp::getTileMoves() {
  return {{0, SmallVector<int64_t>(getType().getRank(), 0)}};
}

TypedAttr IoTileCopyOp::getTileFill() { return {}; }

std::optional<TileSet> IoTileCopyOp::getTileSetOfOperand(OpOperand &) {
  return getDestination() == TileSet::IO ? TileSet::Compute : TileSet::IO;
}

std::optional<TileSet> IoTileCopyOp::getTileSetOfResult(OpResult) {
  return getDestination();
}
