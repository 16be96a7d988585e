//===- InlineAnywhere.h - Inliner interface without limits ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_INLINEANYWHERE_H
#define IPU_MLIR_INTERFACES_INLINEANYWHERE_H

#include "mlir/Transforms/InliningUtils.h"

namespace mlir::ipu {

/// Allows all ops and regions of a dialect to be inlined anywhere. Dialects
/// whose ops compute tensors use this interface.
struct InlineAnywhereInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_INLINEANYWHERE_H
