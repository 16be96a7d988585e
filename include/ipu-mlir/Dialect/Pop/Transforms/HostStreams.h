//===- HostStreams.h - Names of streams for the host ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_HOSTSTREAMS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_HOSTSTREAMS_H

#include "mlir/IR/SymbolTable.h"
#include <string>

namespace mlir::pop {

/// The name that the host has for an argument or a result: the string that
/// `attribute` (`pop.name`) is, or `fallback` if it is none or empty.
std::string getHostName(Attribute attribute, const Twine &fallback);

/// Inserts `stream` into the symbol table at `position`. If its name is taken,
/// it gets another one, with a warning that says so of `what`.
void insertHostStream(Operation *stream, SymbolTable &symbols,
                      Block::iterator position, const Twine &what);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_HOSTSTREAMS_H
