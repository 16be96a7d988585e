//===- ModelFiles.h - Files of weights and models ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_MODELFILES_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_MODELFILES_H

#include "Programs.h"

namespace mlir::ipu::train {

/// Sets the initial values of variables and arguments of `module`, the model,
/// to the arrays of a .npz file with the same names. Reports an error if an
/// array does not fit a variable.
Status readInitialWeights(StringRef path, ModuleOp module);

/// Fails if `model`, an ONNX file, has no initializer for one of the tensors
/// that `writeWeights` writes.
llvm::Error checkInitializers(StringRef model, ArrayRef<SavedTensor> saved,
                              MLIRContext *context);

/// Writes `weights` to the .npz file `path` or, if the name ends in .onnx, to a
/// copy of the ONNX file `model`. The file at `path` is replaced only when the
/// new one is complete.
llvm::Error writeWeights(StringRef path, StringRef model,
                         ArrayRef<NamedTensor> weights, MLIRContext *context);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_MODELFILES_H
