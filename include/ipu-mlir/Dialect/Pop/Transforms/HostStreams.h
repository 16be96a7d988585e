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

/// The name of the nested module that is the program of the host; see
/// `pop-host-reduce`.
constexpr StringLiteral kHostProgramName = "host_program";

/// Returns the name by which the host refers to an argument or a result: the
/// string in `attribute` (`pop.name`), or `fallback` if this string is empty or
/// does not exist.
std::string getHostName(Attribute attribute, const Twine &fallback);

/// Inserts `stream` into the symbol table at `position`. If the name of
/// `stream` is already used, `stream` gets another name, and a warning about
/// `what` states the new name.
void insertHostStream(Operation *stream, SymbolTable &symbols,
                      Block::iterator position, const Twine &what);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_HOSTSTREAMS_H
