//===- ValueForms.h - Forms of values: vectors and memory -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VALUEFORMS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VALUEFORMS_H

#include "NestContext.h"

namespace mlir::fuse {

/// Chooses the loops whose iterations become lanes of vectors, and the form of
/// each value and accumulator (ValueForm). TensorState::isWhole must already be
/// set.
void chooseForms(NestContext &context);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VALUEFORMS_H
