//===- IPUReplicaOps.cpp - Ops on replicas, streaming memory, code --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// `[2]`, or `[%row : memref<i32, #m>]`.
static ParseResult
parseRow(OpAsmParser &parser, IntegerAttr &row,
         std::optional<OpAsmParser::UnresolvedOperand> &variable,
         Type &variableType) {
  int64_t value;
  if (parser.parseLSquare())
    return failure();
  OptionalParseResult isRow = parser.parseOptionalInteger(value);
  if (isRow.has_value()) {
    if (failed(*isRow))
      return failure();
    row = parser.getBuilder().getI64IntegerAttr(value);
    return parser.parseRSquare();
  }
  variable.emplace();
  return failure(parser.parseOperand(*variable) ||
                 parser.parseColonType(variableType) || parser.parseRSquare());
}

static void printRow(OpAsmPrinter &printer, Operation *, IntegerAttr row,
                     Value variable, Type variableType) {
  printer << '[';
  if (row)
    printer << row.getInt();
  else if (variable)
    printer << variable << " : " << variableType;
  printer << ']';
}

LogicalResult ipu::detail::verifyRow(Operation *op, IntegerAttr row,
                                     RemoteBufferOp buffer) {
  if (row.getInt() >= 0 &&
      row.getInt() < static_cast<int64_t>(buffer.getRows()))
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "expects a row from 0 to "
       << static_cast<int64_t>(buffer.getRows()) - 1 << " but got "
       << row.getInt();
  diag.attachNote(buffer.getLoc()) << "buffer defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// RemoteLoadOp, RemoteStoreOp
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult verifyRemoteCopy(OpTy op, SymbolTableCollection &symbols) {
  // c1
  auto buffer =
      symbols.lookupNearestSymbolFrom<RemoteBufferOp>(op, op.getBufferAttr());
  if (!buffer)
    return op.emitOpError() << "expects " << op.getBufferAttr()
                            << " to be an 'ipu.remote_buffer'";
  // c2
  if (static_cast<bool>(op.getRowAttr()) ==
      static_cast<bool>(op.getRowVariable()))
    return op.emitOpError("expects either a row or a variable but got ")
           << (op.getRowVariable() ? "both" : "neither");
  if (op.getRowAttr()) {
    if (failed(verifyRow(op, op.getRowAttr(), buffer)))
      return failure();
  } else if (failed(verifyScalarVariable(op, op.getRowVariable(), 32,
                                         "its row")) ||
             failed(verifyReadable(op, op.getRowVariable()))) {
    return failure();
  }
  // c3
  MemRefType variable = op.getVariable().getType();
  auto tensor = cast<RankedTensorType>(buffer.getType());
  if (tensor.getShape() != variable.getShape() ||
      !isSameStorage(variable, tensor.getElementType())) {
    InFlightDiagnostic diag = op.emitOpError();
    diag << "expects a variable that can hold " << tensor << " but got "
         << variable;
    diag.attachNote(buffer.getLoc()) << "buffer defined here";
    return diag;
  }
  if (!isWholeVariable(op.getVariable()))
    return op.emitOpError("expects a whole variable, not a part of one");
  return success();
}

LogicalResult RemoteLoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyRemoteCopy(*this, symbols)))
    return failure();
  return verifyWritable(*this, getVariable());
}

LogicalResult RemoteStoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyRemoteCopy(*this, symbols)))
    return failure();
  return verifyReadable(*this, getVariable());
}

//===----------------------------------------------------------------------===//
// RemoteExchangeOp
//===----------------------------------------------------------------------===//

namespace {
/// A copy between streaming memory and a variable.
struct RemoteCopy {
  Operation *op;
  FlatSymbolRefAttr buffer;
  /// Null for a row in a variable.
  IntegerAttr row;
  bool isStore;
};
} // namespace

/// c3: says so if two copies may touch one row, and one of them stores.
static LogicalResult verifyRows(ArrayRef<RemoteCopy> copies) {
  using Key = std::pair<Attribute, Attribute>;
  // The first store and the first copy of each row; a null row is any row of
  // the buffer.
  llvm::DenseMap<Key, const RemoteCopy *> stores, any;
  llvm::DenseMap<Attribute, const RemoteCopy *> storesOfBuffer, anyOfBuffer;
  for (const RemoteCopy &copy : copies) {
    Key key(copy.buffer, copy.row), unknown(copy.buffer, Attribute());
    auto &rows = copy.isStore ? any : stores;
    auto &ofBuffer = copy.isStore ? anyOfBuffer : storesOfBuffer;
    const RemoteCopy *other =
        copy.row ? rows.lookup(key) : ofBuffer.lookup(copy.buffer);
    if (!other)
      other = rows.lookup(unknown);
    if (other) {
      InFlightDiagnostic diag = copy.op->emitOpError();
      diag << (copy.isStore ? "stores" : "loads")
           << " a row that another copy of the exchange "
           << (other->isStore ? "stores" : "loads");
      if (!copy.row || !other->row)
        diag << ": a row number in a variable may select any row";
      diag.attachNote(other->op->getLoc()) << "other copy here";
      return diag;
    }
    any.try_emplace(key, &copy);
    anyOfBuffer.try_emplace(copy.buffer, &copy);
    if (copy.isStore) {
      stores.try_emplace(key, &copy);
      storesOfBuffer.try_emplace(copy.buffer, &copy);
    }
  }
  return success();
}

LogicalResult RemoteExchangeOp::verifyRegions() {
  SmallVector<RemoteCopy> copies;
  llvm::DenseMap<Operation *, Operation *> writers;
  for (Operation &inner : getBody().getOps()) {
    // c1
    if (auto load = dyn_cast<RemoteLoadOp>(inner)) {
      copies.push_back({load, load.getBufferAttr(), load.getRowAttr(), false});
      auto [it, isNew] =
          writers.try_emplace(getVariable(load.getVariable()), load);
      if (isNew || load.getVariable().getType().getNumElements() == 0)
        continue;
      // c2
      InFlightDiagnostic diag = load.emitOpError();
      diag << "writes a variable that another load of the exchange writes";
      diag.attachNote(it->second->getLoc()) << "also written here";
      return diag;
    }
    if (auto store = dyn_cast<RemoteStoreOp>(inner)) {
      copies.push_back(
          {store, store.getBufferAttr(), store.getRowAttr(), true});
      continue;
    }
    InFlightDiagnostic diag = emitOpError();
    diag << "expects its body to hold only 'ipu.remote_load' and "
            "'ipu.remote_store' but got '"
         << inner.getName() << "'";
    diag.attachNote(inner.getLoc()) << "op defined here";
    return diag;
  }
  // c2
  for (const RemoteCopy &copy : copies)
    for (OpOperand &operand : copy.op->getOpOperands()) {
      auto load = dyn_cast<RemoteLoadOp>(copy.op);
      if (load && operand.get() == load.getVariable() &&
          operand.getOperandNumber() + 1 == load->getNumOperands())
        continue;
      auto it = writers.find(getVariable(operand.get()));
      if (it == writers.end())
        continue;
      InFlightDiagnostic diag = copy.op->emitOpError();
      diag << "reads a variable that the same exchange writes";
      diag.attachNote(it->second->getLoc()) << "written here";
      return diag;
    }
  return verifyRows(copies);
}

//===----------------------------------------------------------------------===//
// CollectiveOp, ReplicaIndexOp
//===----------------------------------------------------------------------===//

static ParseResult parseCollectiveOperator(OpAsmParser &parser,
                                           CollectiveOperatorAttr &reduction) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  std::optional<CollectiveOperator> value =
      symbolizeCollectiveOperator(keyword);
  if (!value)
    return parser.emitError(location)
           << "expected an operator of a collective but got '" << keyword
           << "'";
  reduction = CollectiveOperatorAttr::get(parser.getContext(), *value);
  return success();
}

static void printCollectiveOperator(OpAsmPrinter &printer, Operation *,
                                    CollectiveOperatorAttr reduction) {
  if (reduction)
    printer << ' ' << stringifyCollectiveOperator(reduction.getValue());
}

// c1
LogicalResult ReplicaIndexOp::verify() {
  if (failed(verifyScalarVariable(*this, getVariable(), 32, "its target")))
    return failure();
  return verifyWritable(*this, getVariable());
}

//===----------------------------------------------------------------------===//
// CodeLoadOp, CodeCopyOp
//===----------------------------------------------------------------------===//

SmallVector<SymbolRefAttr> CodeLoadOp::getLoadedGraphs() {
  return getWrittenGraphs(CodeLocation::Executable);
}

SmallVector<SymbolRefAttr> CodeLoadOp::getReadGraphs(CodeLocation) {
  return {};
}

SmallVector<SymbolRefAttr> CodeLoadOp::getWrittenGraphs(CodeLocation location) {
  if (location != getDestination())
    return {};
  return llvm::map_to_vector(
      getFunctions(), [](Attribute name) { return cast<SymbolRefAttr>(name); });
}

// c1
LogicalResult CodeLoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute name : getFunctions()) {
    if (!seen.insert(name).second)
      return emitOpError() << "loads " << name << " twice";
    if (failed(verifyProgramFunction(*this, cast<FlatSymbolRefAttr>(name),
                                     symbols)))
      return failure();
  }
  return success();
}

SmallVector<SymbolRefAttr> CodeCopyOp::getLoadedGraphs() {
  return getWrittenGraphs(CodeLocation::Executable);
}

SmallVector<SymbolRefAttr> CodeCopyOp::getWrittenGraphs(CodeLocation location) {
  if (location != getDestination())
    return {};
  return {getFunctionAttr()};
}

SmallVector<SymbolRefAttr> CodeCopyOp::getReadGraphs(CodeLocation location) {
  if (location != getSource())
    return {};
  return {getFunctionAttr()};
}

// c1
LogicalResult CodeCopyOp::verify() {
  if (getSource() == getDestination())
    return emitOpError() << "expects different memories but got '"
                         << stringifyCodeLocation(getSource()) << "' twice";
  return success();
}

// c2
LogicalResult CodeCopyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramFunction(*this, getFunctionAttr(), symbols);
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUReplicaOps.cpp.inc"
