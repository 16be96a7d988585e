//===- PopOptimizerSettings.h - Settings of optimizers ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPOPTIMIZERSETTINGS_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPOPTIMIZERSETTINGS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Parses `custom<OptimizerSettings>`, for example `, lr = 0.1, momentum =
/// operand`.
ParseResult parseOptimizerSettings(AsmParser &parser, DictionaryAttr &settings);
void printOptimizerSettings(AsmPrinter &printer, DictionaryAttr settings);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPOPTIMIZERSETTINGS_H
