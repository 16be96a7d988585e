//===- PopTransferOps.cpp - Streams, streaming memory, code -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/ExchangedRows.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pop;
using ipu::CodeLocation;
using ipu::StreamDirection;
using mlir::pop::detail::lookupSymbol;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Parses a row of a remote buffer: a number or a tensor.
static ParseResult parseRow(OpAsmParser &parser,
                            std::optional<OpAsmParser::UnresolvedOperand> &row,
                            IntegerAttr &staticRow) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult result = parser.parseOptionalOperand(operand);
  if (result.has_value()) {
    row = operand;
    return *result;
  }
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  staticRow = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printRow(OpAsmPrinter &printer, Operation *, Value row,
                     IntegerAttr staticRow) {
  if (row)
    printer << row;
  else
    printer << staticRow.getInt();
}

/// Parses one symbol, or several in brackets.
static ParseResult parseSymbols(OpAsmParser &parser, ArrayAttr &symbols) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    names.push_back(FlatSymbolRefAttr::get(name));
    return success();
  };
  if (succeeded(parser.parseOptionalLSquare())) {
    if (parser.parseCommaSeparatedList(parseName) || parser.parseRSquare())
      return failure();
  } else if (parseName()) {
    return failure();
  }
  symbols = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printSymbols(OpAsmPrinter &printer, Operation *,
                         ArrayAttr symbols) {
  if (symbols.size() == 1)
    printer << symbols[0];
  else
    printer << symbols;
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopTransferOps.cpp.inc"

void PopDialect::registerTransferOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopTransferOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// HostLoadOp and HostStoreOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyStream(Operation *op, FlatSymbolRefAttr name,
                                  StreamDirection direction, Type type,
                                  SymbolTableCollection &symbolTable) {
  // c1
  FailureOr<StreamOp> stream = lookupSymbol<StreamOp>(op, name, symbolTable);
  if (failed(stream))
    return failure();
  if (stream->getDirection() != direction)
    return op->emitOpError()
           << "expects a stream of direction `"
           << ipu::stringifyStreamDirection(direction) << "` but " << name
           << " has direction `"
           << ipu::stringifyStreamDirection(stream->getDirection()) << "`";
  // c2
  if (stream->getType() != type)
    return op->emitOpError()
           << "expects a tensor of type " << stream->getType()
           << ", the type of " << name << ", but got " << type;
  return success();
}

LogicalResult HostLoadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyStream(*this, getStreamAttr(), StreamDirection::HostToDevice,
                      getType(), symbolTable);
}

LogicalResult
HostStoreOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyStream(*this, getStreamAttr(), StreamDirection::DeviceToHost,
                      getInput().getType(), symbolTable);
}

//===----------------------------------------------------------------------===//
// RemoteLoadOp and RemoteStoreOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyRow(Operation *op, Value row,
                               std::optional<uint64_t> staticRow) {
  // c1
  if ((row != nullptr) == staticRow.has_value())
    return op->emitOpError() << "expects either `row` or `static_row` but got "
                             << (row ? "both" : "neither");
  return success();
}

static LogicalResult verifyBuffer(Operation *op, FlatSymbolRefAttr name,
                                  std::optional<uint64_t> staticRow, Type type,
                                  SymbolTableCollection &symbolTable) {
  // c2
  FailureOr<RemoteBufferOp> buffer =
      lookupSymbol<RemoteBufferOp>(op, name, symbolTable);
  if (failed(buffer))
    return failure();
  if (staticRow && *staticRow >= buffer->getRows())
    return op->emitOpError()
           << "expects `static_row` to be from 0 to " << buffer->getRows() - 1
           << ", the last row of " << name << ", but got "
           << static_cast<int64_t>(*staticRow);
  // c3
  if (buffer->getType() != type)
    return op->emitOpError()
           << "expects a tensor of type " << buffer->getType()
           << ", the type of a row of " << name << ", but got " << type;
  return success();
}

LogicalResult RemoteLoadOp::verify() {
  return verifyRow(*this, getRow(), getStaticRow());
}

LogicalResult
RemoteLoadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyBuffer(*this, getBufferAttr(), getStaticRow(), getType(),
                      symbolTable);
}

LogicalResult RemoteStoreOp::verify() {
  return verifyRow(*this, getRow(), getStaticRow());
}

LogicalResult
RemoteStoreOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyBuffer(*this, getBufferAttr(), getStaticRow(),
                      getInput().getType(), symbolTable);
}

//===----------------------------------------------------------------------===//
// RemoteExchangeOp
//===----------------------------------------------------------------------===//

Operation *ExchangedRows::BufferUses::add(Operation *op, bool isStore,
                                          std::optional<uint64_t> row) {
  Operation *other = findConflict(isStore, row);
  auto setFirst = [&](Operation *&first) {
    if (!first)
      first = op;
  };
  setFirst(isStore ? anyStore : anyLoad);
  if (row)
    (isStore ? stores : loads).try_emplace(*row, op);
  else
    setFirst(isStore ? dynamicStore : dynamicLoad);
  return other;
}

Operation *
ExchangedRows::BufferUses::findConflict(bool isStore,
                                        std::optional<uint64_t> row) const {
  if (!row)
    return anyStore ? anyStore : isStore ? anyLoad : nullptr;
  if (Operation *store = stores.lookup(*row))
    return store;
  if (dynamicStore)
    return dynamicStore;
  if (!isStore)
    return nullptr;
  Operation *load = loads.lookup(*row);
  return load ? load : dynamicLoad;
}

Operation *ExchangedRows::add(Operation *transfer) {
  if (auto load = dyn_cast<RemoteLoadOp>(transfer))
    return buffers[load.getBufferAttr()].add(load, /*isStore=*/false,
                                             load.getStaticRow());
  if (auto store = dyn_cast<RemoteStoreOp>(transfer))
    return buffers[store.getBufferAttr()].add(store, /*isStore=*/true,
                                              store.getStaticRow());
  return nullptr;
}

/// Checks that an op of an exchange is a transfer of its own.
static LogicalResult verifyTransfer(Operation *op) {
  // c1
  if (!op->hasTrait<Transfer>())
    return op->emitOpError()
           << "cannot be part of 'pop.remote_exchange', which "
              "expects transfers only";
  // c2
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != op->getBlock())
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "expects operands from outside of "
                                  "'pop.remote_exchange' but got operand #"
                               << i << " from inside";
    error.attachNote(source->getLoc()) << "the operand is defined here";
    return error;
  }
  return success();
}

LogicalResult RemoteExchangeOp::verifyRegions() {
  ExchangedRows rows;
  for (Operation &op : getBody().front().without_terminator()) {
    if (failed(verifyTransfer(&op)))
      return failure();
    // c3
    Operation *other = rows.add(&op);
    if (!other)
      continue;
    InFlightDiagnostic error =
        op.emitOpError() << "may use the same row of " << op.getAttr("buffer")
                         << " as another op of 'pop.remote_exchange', "
                            "and one of the two is a store";
    error.attachNote(other->getLoc()) << "the other op is here";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// RemoteCodeLoadOp and CodeCopyOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyGraphs(Operation *op, ArrayAttr names,
                                  SymbolTableCollection &symbolTable) {
  // c1
  llvm::SmallDenseSet<Attribute> found;
  for (auto name : names.getAsRange<FlatSymbolRefAttr>()) {
    if (!found.insert(name).second)
      return op->emitOpError()
             << "expects each function once but got " << name << " twice";
    Operation *symbol = symbolTable.lookupNearestSymbolFrom(op, name);
    auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
    StringRef missing;
    if (!symbol)
      missing = "there is no such symbol";
    else if (!function)
      missing = "it is not a function";
    else if (function.isExternal())
      missing = "it has no body";
    else if (!symbol->hasAttr("no_inline"))
      missing = "it lacks the attribute";
    else
      continue;
    InFlightDiagnostic error =
        op->emitOpError() << "expects " << name
                          << " to be a function with a body and the attribute "
                             "'no_inline' but "
                          << missing;
    if (symbol)
      error.attachNote(symbol->getLoc()) << "the symbol is here";
    return error;
  }
  return success();
}

/// `graphs`, which are at `location`, if that is the one asked for, else none.
static SmallVector<SymbolRefAttr>
getGraphsAt(CodeLocation asked, ArrayAttr graphs, CodeLocation location) {
  if (location != asked)
    return {};
  return llvm::to_vector(graphs.getAsRange<SymbolRefAttr>());
}

LogicalResult
RemoteCodeLoadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyGraphs(*this, getGraphs(), symbolTable);
}

SmallVector<SymbolRefAttr> RemoteCodeLoadOp::getLoadedGraphs() {
  return getWrittenGraphs(CodeLocation::Executable);
}

SmallVector<SymbolRefAttr>
RemoteCodeLoadOp::getWrittenGraphs(CodeLocation location) {
  return getGraphsAt(location, getGraphs(), getDestination());
}

LogicalResult CodeCopyOp::verify() {
  // c2
  if (getSource() == getDestination())
    return emitOpError() << "expects different memories but got `"
                         << ipu::stringifyCodeLocation(getSource())
                         << "` twice";
  return success();
}

LogicalResult CodeCopyOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyGraphs(*this, getGraphs(), symbolTable);
}

SmallVector<SymbolRefAttr> CodeCopyOp::getLoadedGraphs() {
  return getWrittenGraphs(CodeLocation::Executable);
}

SmallVector<SymbolRefAttr> CodeCopyOp::getWrittenGraphs(CodeLocation location) {
  return getGraphsAt(location, getGraphs(), getDestination());
}

SmallVector<SymbolRefAttr> CodeCopyOp::getReadGraphs(CodeLocation location) {
  return getGraphsAt(location, getGraphs(), getSource());
}

ArrayAttr mlir::pop::getMovedGraphs(Operation *op) {
  if (auto load = dyn_cast<RemoteCodeLoadOp>(op))
    return load.getGraphs();
  auto copy = dyn_cast<CodeCopyOp>(op);
  return copy ? copy.getGraphs() : ArrayAttr();
}
