//===- OptimizerText.h - Optimizers as text ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_OPTIMIZERTEXT_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_OPTIMIZERTEXT_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/Support/Error.h"

namespace mlir::ipu::train {

/// Returns `text`, an optimizer, with a kind of `pop` and its settings instead
/// of PyTorch's names `sgd` and `adamw`. Other text stays as it is.
std::string expandKind(StringRef text);

/// Parses `#pop.optimizer<...>`, whose kind and settings are the value of
/// `option`. The attribute is later part of a pipeline; this function returns
/// its errors as errors of the option.
llvm::Expected<pop::OptimizerAttr>
parseOptimizer(StringRef option, StringRef text, MLIRContext *context);

/// Returns `text`, an optimizer, with `settings`, which are `NAME=VALUE,...`,
/// instead of its own settings of the same names.
std::string replaceSettings(StringRef text, StringRef settings);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_OPTIMIZERTEXT_H
