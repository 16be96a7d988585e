//===- HostStreams.cpp - Names of streams for the host ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

std::string mlir::pop::getHostName(Attribute attribute, const Twine &fallback) {
  auto given = dyn_cast_or_null<StringAttr>(attribute);
  return given && !given.empty() ? given.getValue().str() : fallback.str();
}

void mlir::pop::insertHostStream(Operation *stream, SymbolTable &symbols,
                                 Block::iterator position, const Twine &what) {
  std::string name = SymbolTable::getSymbolName(stream).str();
  StringAttr inserted = symbols.insert(stream, position);
  if (inserted.getValue() != name)
    emitWarning(stream->getLoc())
        << "the name '" << name << "' is already used; the host must use '"
        << inserted.getValue() << "' for " << what;
}
