//===- ExternalModels.h - Models attached to a dialect's ops ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_EXTERNALMODELS_H
#define IPU_MLIR_SUPPORT_EXTERNALMODELS_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::ipu {

/// Returns whether `dialect` is the dialect of this project. If this code is in
/// a plugin, the tool that loads the plugin may have another dialect with the
/// same name. The ops of that dialect are other C++ classes.
template <typename DialectT>
bool isOwn(DialectT *dialect) {
  return dialect->getTypeID() == TypeID::get<DialectT>();
}

/// Registers `attach`, which adds models of interfaces to the ops of a dialect.
/// `attach` is called when the dialect is loaded.
template <typename DialectT, void (*attach)(MLIRContext &)>
void addExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DialectT *dialect) {
    if (isOwn(dialect))
      attach(*context);
  });
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_EXTERNALMODELS_H
