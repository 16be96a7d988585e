//===- RulesDetail.h - Registration of rules, by dialect --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_RULES_RULESDETAIL_H
#define IPU_MLIR_LIB_DIALECT_SDY_RULES_RULESDETAIL_H

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"

namespace mlir::ipu::sdy {

/// Returns whether `dialect` is the dialect of this project. The program that
/// loads the plugin may have another dialect with the same name, whose ops have
/// different C++ classes.
template <typename DialectT>
bool isOwn(DialectT *dialect) {
  return dialect->getTypeID() == TypeID::get<DialectT>();
}

/// Registers ShardableDataFlowOpInterface for all region ops.
void registerDataFlowModels(DialectRegistry &registry);
/// Registers ShardableDataFlowOpInterface for the region ops of scf, affine and
/// tosa.
void registerRegionDataFlowModels(DialectRegistry &registry);
void registerSdyRules(DialectRegistry &registry);
void registerStableHLORules(DialectRegistry &registry);
void registerStableHLOIndexingRules(DialectRegistry &registry);
void registerLinalgRules(DialectRegistry &registry);
void registerTensorRules(DialectRegistry &registry);
void registerTosaRules(DialectRegistry &registry);
void registerPopRules(DialectRegistry &registry);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_RULES_RULESDETAIL_H
