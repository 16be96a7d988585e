//===- GraphTransforms.cpp - Helpers of graph transforms --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pop;

Location
mlir::pop::getSharedLoc(MLIRContext *context,
                        ArrayRef<std::pair<Location, int64_t>> shares) {
  llvm::MapVector<Location, int64_t> sizes;
  for (const auto &[loc, size] : shares)
    sizes[loc] += size;
  SmallVector<Location> locations(llvm::make_first_range(sizes));
  SmallVector<int64_t> sizesOfLocations(llvm::make_second_range(sizes));
  return FusedLoc::get(
      locations, DenseI64ArrayAttr::get(context, sizesOfLocations), context);
}

bool mlir::pop::isHandle(Operation *op) {
  return isa<GetVariableOp>(op) ||
         (isMemoryEffectFree(op) && op->getNumResults() > 0 &&
          llvm::all_of(op->getResultTypes(), llvm::IsaPred<RefType>));
}

BlockArgument
mlir::pop::addArgument(FunctionOpInterface function, Type type, Location loc,
                       DictionaryAttr attributes,
                       ArrayRef<CallOpInterface> calls,
                       function_ref<Value(CallOpInterface)> getOperand) {
  unsigned index = function.getNumArguments();
  LogicalResult inserted =
      function.insertArgument(index, type, attributes, loc);
  assert(succeeded(inserted) && "any type may be one of an argument");
  (void)inserted;
  for (CallOpInterface call : calls)
    call.getArgOperandsMutable().append(getOperand(call));
  return function.getArgument(index);
}

FailureOr<FunctionOpInterface>
mlir::pop::getEntryForHostIO(ModuleOp module, StringRef transform) {
  FunctionOpInterface entry = ipu::getMainFunction(module);
  if (!entry || entry.isExternal()) {
    module.emitError() << "'" << transform
                       << "' expects a function 'main' with a body, or one "
                          "function only";
    return failure();
  }
  if (!entry.getFunctionBody().hasOneBlock()) {
    entry->emitOpError() << "has " << entry.getFunctionBody().getBlocks().size()
                         << " blocks but '" << transform << "' expects one";
    return failure();
  }
  ipu::FunctionCalls calls(module);
  ArrayRef<CallOpInterface> callsOfEntry = calls.getCallsOf(entry);
  if (callsOfEntry.empty())
    return entry;
  InFlightDiagnostic error = entry->emitOpError()
                             << "is the entry function and has callers, but '"
                             << transform << "' expects none";
  error.attachNote(callsOfEntry.front()->getLoc()) << "it is called here";
  return failure();
}

LogicalResult mlir::pop::verifyHostType(FunctionOpInterface entry,
                                        const Twine &what, Type type) {
  if (isa<RankedTensorType>(type) && isReferable(type))
    return success();
  return entry->emitOpError() << "has " << what << " of type " << type
                              << ", but the host exchanges only pop tensors";
}

StreamOp mlir::pop::createHostStream(FunctionOpInterface function,
                                     SymbolTable &symbols, Location loc,
                                     Attribute attribute, const Twine &fallback,
                                     ipu::StreamDirection direction,
                                     bool isBroadcast, RankedTensorType type) {
  OpBuilder builder(function);
  auto stream = StreamOp::create(builder, loc, getHostName(attribute, fallback),
                                 direction, isBroadcast, type, /*depth=*/1,
                                 /*default_value=*/{}, /*transfers=*/{});
  insertHostStream(stream, symbols, Block::iterator(function), fallback);
  return stream;
}
