//===- Precision.h - Options about element types ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_PRECISION_H
#define IPU_MLIR_TOOLS_PRECISION_H

#include "ipu-mlir/Compiler/Compiler.h"

namespace mlir::ipu::tools {

/// Parses the value of --precision.
llvm::Expected<Precision> parsePrecision(StringRef text);
StringRef stringifyPrecision(Precision precision);

/// Parses the value of --partials.
llvm::Expected<pop::PartialsKind> parsePartials(StringRef text);
StringRef stringifyPartials(pop::PartialsKind partials);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_PRECISION_H
